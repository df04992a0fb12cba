// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "counts.h"

/* Student's t for 95 %, by degrees of freedom from 1. */
static const double counts_t[LBRSCOPE_COUNT_PARTS - 1] = {
	12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365
};

void counts_add(struct lbrscope_count *a, const struct lbrscope_count *b)
{
	unsigned int i;

	a->value += b->value;
	a->enabled += b->enabled;
	a->running += b->running;
	for (i = 0; i < LBRSCOPE_COUNT_PARTS; i++) {
		a->parts[i].value += b->parts[i].value;
		a->parts[i].running += b->parts[i].running;
	}
}

bool counts_whole(const struct lbrscope_count *count)
{
	return count->running == count->enabled;
}

double counts_estimate(const struct lbrscope_count *count)
{
	if (counts_whole(count))
		return count->value;
	return count->running ? (double)count->value / count->running *
				count->enabled : 0;
}

/*
 * The parts are replicates: samples of the same time, drawn in the same way. How
 * their rates scatter says how the rate of all of them would (random groups:
 * Wolter, "Introduction to Variance Estimation"); the scatter of what was seen
 * of a finite time vanishes as all of it is seen.
 */
double counts_error(const struct lbrscope_count *count)
{
	double rate, sum = 0, seen;
	unsigned int i, nr = 0;

	if (counts_whole(count))
		return 0;
	if (!count->running)
		return -1;
	rate = (double)count->value / count->running;
	for (i = 0; i < LBRSCOPE_COUNT_PARTS; i++) {
		double ran = count->parts[i].running, off;

		if (!ran)
			continue;
		off = count->parts[i].value - rate * ran;
		sum += off * off;
		nr++;
	}
	if (nr < LBRSCOPE_COUNT_PARTS / 2)
		return -1;
	if (!count->value)
		return 0;
	seen = (double)count->running / count->enabled;
	return counts_t[nr - 2] * sqrt(sum * nr / (nr - 1) * (1 - seen)) /
	       count->value;
}
