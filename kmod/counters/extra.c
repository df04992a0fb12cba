// SPDX-License-Identifier: GPL-2.0
/*
 * The extra registers of events, which filter what they count (limits.h has the list).
 *
 * Context: on the CPU, interrupts off, the counters are stopped.
 */
#include <linux/errno.h>

#include "compat/cpu.h"
#include "counters/extra.h"
#include "cpu/cpu.h"
#include "events/events.h"
#include "pmu/msr.h"

/* Tries the values of the extra registers, and saves the previous ones. */
static int ls_extra_try(struct ls_cpu_ctx *cpu, const struct ls_events *events)
{
	u32 i;

	cpu->nr_extra = 0;
	for (i = 0; i < events->nr; i++) {
		u32 msr = events->list[i].extra_msr;
		u32 known = 0;

		if (!msr)
			continue;
		while (known < cpu->nr_extra && cpu->extra[known].msr != msr)
			known++;
		if (known == cpu->nr_extra) {
			cpu->extra[known].msr = msr;
			cpu->extra[known].value = msr_read(msr);
			cpu->nr_extra++;
		}
		if (wrmsrl_safe(msr, events->list[i].extra))
			return -EINVAL;
	}
	return 0;
}

void ls_extra_release(struct ls_cpu_ctx *cpu)
{
	while (cpu->nr_extra) {
		cpu->nr_extra--;
		msr_write(cpu->extra[cpu->nr_extra].msr,
			  cpu->extra[cpu->nr_extra].value);
	}
}

int ls_extra_claim(struct ls_cpu_ctx *cpu, const struct ls_events *events)
{
	int err = ls_extra_try(cpu, events);

	if (err)
		ls_extra_release(cpu);
	return err;
}

void ls_extra_write(const struct ls_event *event)
{
	if (event->extra_msr)
		msr_write(event->extra_msr, event->extra);
}
