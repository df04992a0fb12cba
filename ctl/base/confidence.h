/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far the shares of a capture can be trusted: samples are drawn, and two captures of
 * the same program differ. Pure.
 *
 * A sample stands for its period, and periods may differ. What samples of different weight
 * are worth is said as the number of equal ones that would scatter as much (Kish, "Survey
 * Sampling", 1965, for all of a capture; for a part, from the variance of a ratio
 * estimate). With a fixed period it is the number of samples.
 */
#ifndef LBRCTL_BASE_CONFIDENCE_H
#define LBRCTL_BASE_CONFIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The weights of some samples. */
struct share_sum {
	double sum, squares;
};

/* Where a share lies, in 19 of 20 cases; parts of 1. */
struct share_interval {
	double low, high;
};

/* The share of the part among all, which it is a part of, parts of 1. */
double share_of(struct share_sum part, struct share_sum all);

/* Its interval by Wilson's score (1927), which holds for few samples as well. */
struct share_interval share_interval(struct share_sum part, struct share_sum all);

/* Whether two parts without common samples differ no more than chance would have it in
 * one case of 20. */
bool share_alike(struct share_sum a, struct share_sum b, struct share_sum all);

/* What share_changes() judges: the same part of two captures. */
struct share_change {
	struct share_sum before, after;
	/* Results: how likely such a difference is, or a larger one, if there is none;
	 * that after Holm's correction for the number of comparisons; where the
	 * difference lies, by Newcombe's method 10. */
	double p, corrected;
	struct share_interval difference;
};

/* Compares the shares of a part in two captures by a two-proportion test with pooled
 * variance; sets p and difference, not corrected. */
void share_compare(struct share_change *change, struct share_sum all_before,
		   struct share_sum all_after);

/* The same of nr parts. Among all that have corrected < 0.05 there is one that is by
 * chance in one of 20 comparisons of captures at most (Holm, 1979). 0, or -1 when memory is short. */
int share_changes(struct share_change *list, size_t nr, struct share_sum all_before,
		  struct share_sum all_after);

#endif
