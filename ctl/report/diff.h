/* SPDX-License-Identifier: GPL-2.0 */
/* The difference of two captures: the shares of the same line in both. */
#ifndef LBRCTL_REPORT_DIFF_H
#define LBRCTL_REPORT_DIFF_H

#include <stdio.h>

#include "base/confidence.h"
#include "profile/analysis.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_line {
	const struct rows *rows;	/* the side whose row has the line's name */
	const struct rows_row *row;
	int side;			/* sum that the shares refer to */
	const char *object;		/* the last component of the file's path; "": see diff.alone */
	bool of_file;			/* of all functions of a file: see diff.nameless */
	struct profile_weight weights[DIFF_SIDES];
	double delta;			/* difference of the shares, after - before */
	struct share_change change;
	bool beyond_chance;
};

struct diff {
	struct diff *next;		/* of another event; NULL: none */
	const struct analysis *sides[DIFF_SIDES];	/* both with the same query.sort */
	bool by_total;			/* totals are compared, else selfs */
	double limit;			/* percent; lines below it in both captures are not shown */
	bool full_names;		/* whole names of functions and files in the text */
	/* Names of files that only this side has, if each side has some and lines are of functions:
	 * these are taken for other builds of the same file, and compared by symbol. Else "". */
	char alone[DIFF_SIDES][128];
	/* Names of files of whose functions only the other side has names, where lines are of functions and
	 * their own samples: these files are compared as a whole. Else "". */
	char nameless[DIFF_SIDES][128];
	struct diff_line *lines;
	size_t nr;
	size_t changed;			/* lines that differ significantly */
};

/* Compares diff->sides. Significant differences come first, then by falling change. Returns 0,
 * or -1 when memory is short; call diff_free() in both cases. */
int diff_build(struct diff *diff);
void diff_free(struct diff *diff);

/* Returns a text key of the line. */
const char *diff_text(const struct diff_line *line, enum rows_key key);
/* Returns the line's share of its side's sum. */
double diff_share(const struct diff *d, const struct diff_line *line, int side);
/* Whether the line is above the limit in either capture. */
bool diff_shows(const struct diff *d, const struct diff_line *line);

/* Print it and those that follow. Return 0, or -1 with a message when memory is short. */
int diff_print_text(const struct diff *diff, FILE *out);
int diff_print_json(const struct diff *diff, FILE *out);
int diff_print_csv(const struct diff *diff, FILE *out);

#endif
