// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers on data accesses: a debug register of each CPU, through perf's breakpoints,
 * which do not use the PMU.
 *
 * Each CPU has an event of its own.  register_wide_hw_breakpoint() would miss CPUs that
 * come online later.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <asm/ptrace.h>

#include "trigger/kinds.h"

/* Context: debug exception, interrupts off. */
static void ls_trigger_watch_hit(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	const struct ls_trigger *trigger = event->overflow_handler_context;

	ls_trigger_fire(trigger, regs, regs->ip, 0);
}
NOKPROBE_SYMBOL(ls_trigger_watch_hit);

static int ls_trigger_watch_add(struct ls_trigger *trigger, u32 cpu)
{
	struct ls_trigger_watch *watch = &trigger->watch;
	struct perf_event_attr attr;
	struct perf_event *event;

	if (watch->cpus && !cpumask_test_cpu(cpu, watch->cpus))
		return 0;
	hw_breakpoint_init(&attr);
	attr.bp_addr = watch->address;
	attr.bp_len = watch->length;
	attr.bp_type = watch->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, ls_trigger_watch_hit,
						 trigger);
	if (IS_ERR(event))
		return PTR_ERR(event);
	watch->events[cpu] = event;
	return 0;
}

static void ls_trigger_watch_remove(struct ls_trigger *trigger, u32 cpu)
{
	struct ls_trigger_watch *watch = &trigger->watch;

	if (watch->events[cpu])
		perf_event_release_kernel(watch->events[cpu]);
	watch->events[cpu] = NULL;
}

void ls_trigger_watch_disarm(struct ls_trigger *trigger)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		ls_trigger_watch_remove(trigger, cpu);
	kfree(trigger->watch.events);
	trigger->watch.events = NULL;
}

/* Locks: the caller holds the CPU hotplug lock. */
int ls_trigger_watch_arm(struct ls_trigger *trigger, const char **why)
{
	int err = 0;
	u32 cpu;

	trigger->watch.events = kcalloc(nr_cpu_ids,
					sizeof(*trigger->watch.events),
					GFP_KERNEL);
	if (!trigger->watch.events)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		err = ls_trigger_watch_add(trigger, cpu);
		if (err)
			break;
	}
	if (err)
		ls_trigger_watch_disarm(trigger);
	if (err == -ENOSPC)
		*why = "no debug register is free: debuggers or perf use them all";
	else if (err == -EPERM)
		*why = "a kernel address needs CAP_SYS_ADMIN";
	else if (err == -EINVAL)
		*why = "the kernel does not allow a watchpoint at this address";
	return err;
}

/* A failure leaves this CPU without the watchpoint: an error would keep it offline. */
void ls_trigger_watch_cpu_up(struct ls_trigger *trigger, u32 cpu)
{
	ls_trigger_watch_add(trigger, cpu);
}

void ls_trigger_watch_cpu_down(struct ls_trigger *trigger, u32 cpu)
{
	ls_trigger_watch_remove(trigger, cpu);
}
