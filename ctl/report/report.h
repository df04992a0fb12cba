/* SPDX-License-Identifier: GPL-2.0 */
/* The output of `lbrctl report`: one file for each form. */
#ifndef LBRCTL_REPORT_REPORT_H
#define LBRCTL_REPORT_REPORT_H

#include <stdio.h>

#include "base/confidence.h"
#include "profile/analysis.h"

struct report {
	const struct analysis *analysis;	/* with those that follow, for the whole forms */
	double limit;		/* percent of the total; smaller lines are left out */
	bool by_total;		/* rows are ordered by total */
	bool tree;
	bool quiet;		/* no summary in the text */
	const bool *nodes;	/* the tree's stacks that are shown; NULL: all */
};

/* A section for each event. Stdout may be a pipe whose reader has closed it: errors stay with the
 * stream. */
void report_print_text(const struct report *report, FILE *out);
void report_print_json(const struct report *report, FILE *out);
void report_print_csv(const struct report *report, FILE *out);

/* Print the parts of the text: a heading of lines with a #, one line for each row or node
 * above the limit, and notes with a # at the end of the table. */
void report_print_table(const struct report *report, FILE *out);
void report_print_tree(const struct report *report, FILE *out);

/* The sum that shares refer to. */
struct share_sum report_all(const struct report *report);

static inline struct share_sum report_sum(uint64_t period, double squares)
{
	return (struct share_sum){ period, squares };
}

/* Whether a line with this weight is above the limit. */
bool report_shows(const struct report *report, uint64_t period);

/* A ratio of two additional counts, shown for each row. */
struct report_ratio {
	char name[64];		/* "IPC", "branch-misses/1000 instructions" */
	size_t over, under;	/* indexes of the two events */
	double times;
};

#define REPORT_RATIOS	8
/* Returns the number of ratios. */
size_t report_ratios(const struct analysis *analysis,
		     struct report_ratio ratios[REPORT_RATIOS]);
/* Returns the ratio for these counts, by event; NAN: nothing was counted. */
double report_ratio(const struct report_ratio *ratio, const uint64_t *counts);

#endif
