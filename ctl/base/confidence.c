// SPDX-License-Identifier: GPL-2.0
/* The confidence interval of a share of samples. */
#include <math.h>
#include <stdlib.h>

#include "base/confidence.h"

/* 95 % of the normal distribution lie within this many standard deviations. */
#define SHARE_Z	1.959963984540054

/* Bounds the rounding errors of equal sums. */
#define SHARE_TINY	1e-12

double share_of(struct share_sum part, struct share_sum all)
{
	double share = all.sum > 0 ? part.sum / all.sum : 0;

	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Returns the number of equal samples that would vary as much. A share of 0 or 1 does not vary:
 * then the number for the whole capture. */
static double share_worth(struct share_sum part, struct share_sum all)
{
	double p = share_of(part, all);
	double whole = all.squares > 0 ? all.sum * all.sum / all.squares : 0;
	double variance;

	if (p < SHARE_TINY || p > 1 - SHARE_TINY)
		return whole;
	variance = ((1 - 2 * p) * part.squares + p * p * all.squares) /
		   (all.sum * all.sum);
	return variance > 0 ? p * (1 - p) / variance : whole;
}

struct share_interval share_interval(struct share_sum part, struct share_sum all)
{
	double p = share_of(part, all), n = share_worth(part, all);
	double z2 = SHARE_Z * SHARE_Z, middle, half;

	if (n <= 0)
		return (struct share_interval){ 0, 1 };
	middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	half = SHARE_Z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	/* At 0 and 1 the ends equal the share except for rounding. */
	return (struct share_interval){ p > 0 ? fmax(middle - half, 0) : 0,
					p < 1 ? fmin(middle + half, 1) : 1 };
}

double share_margin(struct share_sum part, struct share_sum all)
{
	struct share_interval i = share_interval(part, all);
	double share = share_of(part, all);

	return fmax(i.high - share, share - i.low);
}

/* The continued fraction of the incomplete beta function, by Lentz's method (Press et al.,
 * "Numerical Recipes", section 6.4). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), result, term, change;

	d = 1 / (fabs(d) < SHARE_TINY ? SHARE_TINY : d);
	result = d;
	for (int m = 1; m < 10000; m++) {
		for (int odd = 0; odd < 2; odd++) {
			term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) :
				     m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
			d = 1 + term * d;
			d = 1 / (fabs(d) < SHARE_TINY ? SHARE_TINY : d);
			c = 1 + term / c;
			c = fabs(c) < SHARE_TINY ? SHARE_TINY : c;
			change = c * d;
			result *= change;
		}
		if (fabs(change - 1) < SHARE_TINY)
			break;
	}
	return result;
}

/* The regularized incomplete beta function: the chance of a or more in a + b - 1 draws, each
 * of chance x. */
static double beta_part(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a :
	       1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Returns the x at which the function has the value, by bisection. */
static double beta_where(double a, double b, double value)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (beta_part(a, b, middle) < value)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct share_interval share_exact(uint64_t part, uint64_t all)
{
	struct share_interval result = { 0, 1 };

	if (part && part <= all)
		result.low = beta_where(part, all - part + 1, 0.025);
	if (part < all)
		result.high = beta_where(part + 1, all - part, 0.975);
	return result;
}

void share_compare(struct share_change *c, struct share_sum all_before,
		   struct share_sum all_after)
{
	double p1 = share_of(c->before, all_before), p2 = share_of(c->after, all_after);
	double n1 = share_worth(c->before, all_before);
	double n2 = share_worth(c->after, all_after);
	struct share_interval i1 = share_interval(c->before, all_before);
	struct share_interval i2 = share_interval(c->after, all_after);
	double pooled = n1 + n2 > 0 ? (p1 * n1 + p2 * n2) / (n1 + n2) : 0;
	double variance = n1 > 0 && n2 > 0 ?
			  pooled * (1 - pooled) * (1 / n1 + 1 / n2) : 0;

	c->p = variance > 0 ? erfc(fabs(p2 - p1) / sqrt(2 * variance)) : 1;
	c->difference.low = p2 - p1 - hypot(p2 - i2.low, i1.high - p1);
	c->difference.high = p2 - p1 + hypot(i2.high - p2, p1 - i1.low);
}

static int share_compare_p(const void *x, const void *y)
{
	const struct share_change *a = *(struct share_change *const *)x;
	const struct share_change *b = *(struct share_change *const *)y;

	return a->p < b->p ? -1 : a->p > b->p;
}

int share_changes(struct share_change *list, size_t nr, struct share_sum all_before,
		  struct share_sum all_after)
{
	struct share_change **sorted = calloc(nr + 1, sizeof(*sorted));
	double most = 0;

	if (!sorted)
		return -1;
	for (size_t i = 0; i < nr; i++) {
		sorted[i] = &list[i];
		share_compare(&list[i], all_before, all_after);
	}
	qsort(sorted, nr, sizeof(*sorted), share_compare_p);
	for (size_t i = 0; i < nr; i++) {
		most = fmax(most, fmin(1, sorted[i]->p * (nr - i)));
		sorted[i]->corrected = most;
	}
	free(sorted);
	return 0;
}
