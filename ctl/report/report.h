/* SPDX-License-Identifier: GPL-2.0 */
/* The output of `lbrctl report`: one file for each form. */
#ifndef LBRCTL_REPORT_REPORT_H
#define LBRCTL_REPORT_REPORT_H

#include <stdio.h>

#include "base/confidence.h"
#include "profile/analysis.h"

struct report {
	const struct analysis *analysis;
	double limit;		/* percent of the total; what has less is left out */
	bool by_total;		/* rows are ordered by total */
	bool tree;
	const bool *nodes;	/* which of the tree's are shown; NULL: all */
};

/* Stdout may be a pipe whose reader has closed it: errors stay with the stream. */
void report_print_text(const struct report *report, FILE *out);
void report_print_json(const struct report *report, FILE *out);
void report_print_csv(const struct report *report, FILE *out);

/* The parts of the text: below a head of lines with a #, and at the table's end notes
 * with one, a line for each of the rows, or of the nodes, that there are to show. */
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

/* A ratio of two additional counts, to be shown for each row. */
struct report_ratio {
	char name[64];		/* "IPC", "branch-misses/1000 instructions" */
	size_t over, under;	/* numbers of events */
	double times;
};

#define REPORT_RATIOS	8
/* Returns how many. */
size_t report_ratios(const struct analysis *analysis,
		     struct report_ratio ratios[REPORT_RATIOS]);
/* The ratio for these counts, by event; NAN: nothing was counted. */
double report_ratio(const struct report_ratio *ratio, const uint64_t *counts);

#endif
