/* SPDX-License-Identifier: GPL-2.0 */
/* Computes the figures beside counts. */
#ifndef LBRCTL_STAT_FIGURES_H
#define LBRCTL_STAT_FIGURES_H

#include <stdbool.h>

#include "pmu/list.h"

/* A count in relation to another: instructions per cycle, misses per branch. */
struct figure {
	double value;
	const char *unit;	/* "per cycle", "% of branches" */
};

/*
 * Computes the figure of event i from the counts of all events of the list; NAN: nothing was
 * counted. Only counts of the same modes, user or kernel, are related. Returns whether the
 * event has a figure.
 */
bool figures_of(const struct eventlist *events, const double *counts, unsigned int i,
		struct figure *figure);

#endif
