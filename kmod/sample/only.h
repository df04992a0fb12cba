/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that are kept by a ratio of counts. */
#ifndef LBRSCOPE_ONLY_H
#define LBRSCOPE_ONLY_H

#include <linux/types.h>

struct ls_cpu_ctx;
struct ls_event;
struct ls_event_state;

/*
 * Whether a sample of the event, which falls due now, is to be kept: see
 * LBRSCOPE_EVENT_A_ONLY_*.  Call it once for each sample, as it begins the next interval.
 * Context: the NMI.
 */
bool ls_only_keeps(struct ls_cpu_ctx *cpu, const struct ls_event *event,
		   struct ls_event_state *state);

#endif
