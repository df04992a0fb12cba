/* SPDX-License-Identifier: GPL-2.0 */
/* The view of a slice in `lbrctl top`: the lines of the report's table, or of the call tree of
 * one function, as text. It does not know the terminal. */
#ifndef LBRCTL_TOP_VIEW_H
#define LBRCTL_TOP_VIEW_H

#include "profile/analysis.h"

struct view {
	const char *search;		/* show only functions with this text in their name; or
					 * NULL */
	bool tree;			/* show the call tree of the chosen function, else the
					 * table */
	/* The chosen function, by its name, stays the same from slice to slice. NULL: that of
	 * the first line. */
	char *name, *object;
	enum profile_kind kind;

	/* Results of view_make(). */
	char *text;			/* the memory of the lines */
	const char *title;		/* heading above the lines */
	const char **lines;
	size_t nr;
	size_t *rows;			/* of the table: by line, its row of the analysis */
	size_t chosen;			/* the line of the function, in the table */
};

/* A zeroed view is empty; free it with view_free(). analysis: ordered, with samples; or NULL
 * for no lines. Returns 0, or -1 when memory is short; then there are no lines. */
int view_make(struct view *view, const struct analysis *analysis);
void view_free(struct view *view);

/* Chooses the function of that line of the table. Returns 0, or -1 when memory is short. */
int view_choose(struct view *view, const struct analysis *analysis, size_t line);

#endif
