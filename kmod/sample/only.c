// SPDX-License-Identifier: GPL-2.0
/*
 * Samples that are kept by a ratio of counts, such as instructions per cycle.
 *
 * Context: the NMI, with the rules of nmi.c.
 */
#include <linux/kprobes.h>

#include "counters/counters.h"
#include "cpu/cpu.h"
#include "events/events.h"
#include "sample/only.h"

#define ONLY_UNIT	1000000		/* limits are millionths */

/*
 * Whether over / under is above or below the limit.  Counts have 64 bits, and their product
 * with a limit 104.
 */
static nokprobe_inline bool ls_only_within(const struct ls_only *only, u64 over, u64 under)
{
	unsigned __int128 ratio = (unsigned __int128)over * ONLY_UNIT;

	if (only->above && ratio <= (unsigned __int128)under * only->above)
		return false;
	return only->below == U64_MAX || ratio < (unsigned __int128)under * only->below;
}

bool ls_only_keeps(struct ls_cpu_ctx *cpu, const struct ls_event *event,
		   struct ls_event_state *state)
{
	const struct ls_only *only = &event->only;
	u64 over = ls_counters_read(cpu, only->over);
	u64 under = ls_counters_read(cpu, only->under);
	bool keeps = ls_only_within(only, over - state->over, under - state->under);

	state->over = over;
	state->under = under;
	return keeps;
}
NOKPROBE_SYMBOL(ls_only_keeps);
