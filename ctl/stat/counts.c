// SPDX-License-Identifier: GPL-2.0
/* Adds up counts over CPUs, cores, tasks and runs. */
#include <math.h>

#include "stat/counts.h"

/* Student's t for 95 %, by degrees of freedom from 1. */
static double counts_t(unsigned int freedom)
{
	static const double t[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228
	};
	double n = freedom, z = 1.959964;

	if (freedom <= sizeof(t) / sizeof(*t))
		return t[freedom - 1];
	/* Abramowitz and Stegun, 26.7.5: the error is below 0.001 from here on. */
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

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

void counts_subtract(struct lbrscope_count *a, const struct lbrscope_count *b)
{
	unsigned int i;

	a->value -= b->value;
	a->enabled -= b->enabled;
	a->running -= b->running;
	for (i = 0; i < LBRSCOPE_COUNT_PARTS; i++) {
		a->parts[i].value -= b->parts[i].value;
		a->parts[i].running -= b->parts[i].running;
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
 * The parts are replicates: samples of the same time, drawn in the same way. The scatter of
 * their rates estimates that of the whole (random groups: Wolter, "Introduction to Variance
 * Estimation"). The scatter becomes 0 when the event was counted all the time.
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
	return counts_t(nr - 1) * sqrt(sum * nr / (nr - 1) * (1 - seen)) /
	       count->value;
}

double counts_mean(const double *values, unsigned int nr, double *error)
{
	double mean = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		mean += values[i] / nr;
	for (i = 0; i < nr; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	*error = nr > 1 ? counts_t(nr - 1) * sqrt(sum / (nr - 1) / nr) : -1;
	return mean;
}
