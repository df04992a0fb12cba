/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The precision of shares: samples are random, and two captures of the same program differ.
 * Pure functions.
 *
 * A sample counts with its period, and periods may differ. Samples of different weight are
 * converted to the number of equal samples that would vary as much (Kish, "Survey Sampling",
 * 1965, for a whole capture; for a part, from the variance of a ratio estimate). With a fixed
 * period this is the number of samples.
 */
#ifndef LBRCTL_BASE_CONFIDENCE_H
#define LBRCTL_BASE_CONFIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums over the weights of some samples. */
struct share_sum {
	double sum, squares;
};

/* The 95 % interval of a share, in parts of 1. */
struct share_interval {
	double low, high;
};

/* The share of a part in the whole that contains it, in parts of 1. */
double share_of(struct share_sum part, struct share_sum all);

/* The interval of a share by Wilson's score (1927), which is also valid for few samples. */
struct share_interval share_interval(struct share_sum part, struct share_sum all);

/* Returns the distance of the share to the farther end of that interval, in parts of 1. */
double share_margin(struct share_sum part, struct share_sum all);

/* The interval of a share by `part` of `all` equal draws: Clopper and Pearson's (1934), which
 * covers the true share in at least 95 of 100 cases. */
struct share_interval share_exact(uint64_t part, uint64_t all);

/* One comparison of share_changes(): the same part of two captures. */
struct share_change {
	struct share_sum before, after;
	/* Results: the probability of such a difference, or a larger one, between equal shares; the
	 * same after Holm's correction for the number of comparisons; the interval of the
	 * difference, by Newcombe's method 10. */
	double p, corrected;
	struct share_interval difference;
};

/* Compares the shares of a part in two captures by a two-proportion test with pooled variance.
 * Sets p and difference, uncorrected. */
void share_compare(struct share_change *change, struct share_sum all_before,
		   struct share_sum all_after);

/* Compares nr parts. If captures differ by chance only, at most one of 20 comparisons of
 * captures has a part with corrected < 0.05 (Holm, 1979). Returns 0, or -1 when memory is
 * short. */
int share_changes(struct share_change *list, size_t nr, struct share_sum all_before,
		  struct share_sum all_after);

#endif
