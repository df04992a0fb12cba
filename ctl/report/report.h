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
	bool quiet;		/* the text has neither head nor notes */
	bool verbose;		/* it has the details in place of the head */
	bool full_names;	/* it has whole names of functions and files */
	bool numbers;		/* its table has the numbers of samples */
};

/* A section for each event. Stdout may be a pipe whose reader has closed it: errors of writing stay
 * with the stream. Return 0, or -1 with a message when memory is short. */
int report_print_text(const struct report *report, FILE *out);
int report_print_json(const struct report *report, FILE *out);
int report_print_csv(const struct report *report, FILE *out);

/* The sum that shares refer to. */
struct share_sum report_all(const struct report *report);

static inline struct share_sum report_sum(uint64_t period, double squares)
{
	return (struct share_sum){ period, squares };
}

/* Returns the name of a function as a line shows it, in at most `cells` (0: any); free() it. NULL
 * when memory is short. */
char *report_name(const char *name, bool full, size_t cells);
/* The least room for a name, however narrow the terminal is. */
#define REPORT_NAME_LEAST	20

/* Returns what a cell of a row of a->rows shows, whole with `full`; room: the cells for a function
 * (0: any); free() it. NULL when memory is short. */
char *report_cell(const struct analysis *a, const struct rows_row *row, enum rows_key key, bool full,
		  size_t room);

/* Returns the last component of a file's path. */
const char *report_object(const char *path);

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
