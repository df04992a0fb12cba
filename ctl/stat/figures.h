/* SPDX-License-Identifier: GPL-2.0 */
/* Works out the figures that stand beside counts. */
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
 * The figure of event i, by what all events of the list counted; NAN: nothing. Only counts of
 * the same modes, user or kernel, are related. Returns whether there is one.
 */
bool figures_of(const struct eventlist *events, const double *counts, unsigned int i,
		struct figure *figure);

#endif
