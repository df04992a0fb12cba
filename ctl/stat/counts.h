/* SPDX-License-Identifier: GPL-2.0 */
/* Adds up counts over CPUs, cores, tasks and runs. */
#ifndef LBRCTL_STAT_COUNTS_H
#define LBRCTL_STAT_COUNTS_H

#include <linux/lbrscope.h>
#include <stdbool.h>

/* Computations on counts. All pure. */

/* Adds b to a, both counts of the same event: of two CPUs, or two rounds. */
void counts_add(struct lbrscope_count *a, const struct lbrscope_count *b);

/* Subtracts b from a, both counts of the same event. */
void counts_subtract(struct lbrscope_count *a, const struct lbrscope_count *b);

/* Whether the event had a counter all the time. */
bool counts_whole(const struct lbrscope_count *count);

/* Estimates the count of the event with a counter of its own all the time; 0: it never had
 * one. */
double counts_estimate(const struct lbrscope_count *count);

/*
 * Returns the error of the estimate in 19 of 20 cases, as a part of it; 0 if it is not an
 * estimate, negative if there were too few turns.
 */
double counts_error(const struct lbrscope_count *count);

/* Returns the mean of nr values; *error: its distance, to either side, from the mean of very
 * many values in 19 of 20 cases; negative for a single value. */
double counts_mean(const double *values, unsigned int nr, double *error);

#endif
