/* SPDX-License-Identifier: GPL-2.0 */
/* The view of a slice in `lbrctl top`: the lines of the report's table, or of the call tree of
 * one function, as text. It does not know the terminal. */
#ifndef LBRCTL_TOP_VIEW_H
#define LBRCTL_TOP_VIEW_H

#include "profile/analysis.h"

struct view {
	const char *search;		/* only functions with that in their name; NULL */
	bool tree;			/* of the chosen function, else the table */
	/* The chosen function stays so from slice to slice; by its name, NULL: the first
	 * line's, whichever that is. */
	char *name, *object;
	enum profile_kind kind;

	/* Results of view_make(). */
	char *text;			/* that is cut into lines */
	const char *title;		/* above the lines */
	const char **lines;
	size_t nr;
	size_t *rows;			/* of the table: the analysis's, by line */
	size_t chosen;			/* the line of the function, in the table */
};

/* A zeroed view is empty; free it with view_free(). analysis: ordered, with samples; or NULL
 * for no lines. Returns 0, or -1 when memory is short; then there are no lines. */
int view_make(struct view *view, const struct analysis *analysis);
void view_free(struct view *view);

/* The function of that line of the table is the chosen one. 0, or -1 when memory is
 * short. */
int view_choose(struct view *view, const struct analysis *analysis, size_t line);

#endif
