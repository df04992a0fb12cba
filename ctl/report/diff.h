/* SPDX-License-Identifier: GPL-2.0 */
/* The difference of two captures: the shares of the same line in both. */
#ifndef LBRCTL_REPORT_DIFF_H
#define LBRCTL_REPORT_DIFF_H

#include <stdio.h>

#include "base/confidence.h"
#include "profile/analysis.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_line {
	const struct rows *rows;	/* whose row names the line */
	const struct rows_row *row;
	int side;			/* that these are of */
	struct profile_weight weights[DIFF_SIDES];
	double delta;			/* of the shares, after less before */
	struct share_change change;
	bool beyond_chance;
};

struct diff {
	const struct analysis *sides[DIFF_SIDES];	/* of the same query.sort */
	bool by_total;			/* totals are compared, else selfs */
	double limit;			/* percent; what has less in both is not shown */
	struct diff_line *lines;
	size_t nr;
	size_t changed;			/* lines beyond chance */
};

/* Compares diff->sides. What is beyond chance comes first, then by falling change. 0, or
 * -1 when memory is short; diff_free() in both cases. */
int diff_build(struct diff *diff);
void diff_free(struct diff *diff);

void diff_print_text(const struct diff *diff, FILE *out);
void diff_print_json(const struct diff *diff, FILE *out);
void diff_print_csv(const struct diff *diff, FILE *out);

#endif
