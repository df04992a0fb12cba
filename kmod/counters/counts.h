/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of a CPU, for requests. */
#ifndef LBRSCOPE_COUNTS_H
#define LBRSCOPE_COUNTS_H

#include <linux/types.h>

struct ls_cpu_ctx;
struct ls_event_totals;
struct ls_events;
struct lbrscope_count;

/* Both fill counts, which has an element for each event of the session. */

/* The counts of this CPU, which samples.  Context: interrupts off. */
void ls_counts_snapshot(const struct ls_cpu_ctx *cpu, struct lbrscope_count *counts);

/* The counts of a CPU that does not sample, or no longer. */
void ls_counts_totals(const struct ls_events *events, const struct ls_event_totals *totals,
		      struct lbrscope_count *counts);

/* Whether these counts are still those of ls_counts_totals(); none of them ever falls. */
bool ls_counts_stand(const struct ls_events *events, const struct ls_event_totals *totals,
		     const struct lbrscope_count *counts);

#endif
