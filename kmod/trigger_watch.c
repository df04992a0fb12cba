// SPDX-License-Identifier: GPL-2.0
/*
 * Watchpoints: a debug register of each CPU, from perf's breakpoints, which have
 * nothing to do with the PMU.
 *
 * One event a CPU and not one of all (register_wide_hw_breakpoint()): that
 * leaves out CPUs that come later, and does not come back with one that went.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <asm/ptrace.h>

#include "trigger_kinds.h"

/* The debug exception, with interrupts off. */
static void watch_hit(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	const struct trigger *trigger = event->overflow_handler_context;

	ls_trigger_fire(trigger, regs, regs->ip, 0);
}
NOKPROBE_SYMBOL(watch_hit);

static int watch_add(struct trigger *trigger, u32 cpu)
{
	struct trigger_watch *watch = &trigger->watch;
	struct perf_event_attr attr;
	struct perf_event *event;

	if (watch->cpus && !cpumask_test_cpu(cpu, watch->cpus))
		return 0;
	hw_breakpoint_init(&attr);
	attr.bp_addr = watch->address;
	attr.bp_len = watch->length;
	attr.bp_type = watch->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, watch_hit,
						 trigger);
	if (IS_ERR(event))
		return PTR_ERR(event);
	watch->events[cpu] = event;
	return 0;
}

static void watch_remove(struct trigger *trigger, u32 cpu)
{
	struct trigger_watch *watch = &trigger->watch;

	if (watch->events[cpu])
		perf_event_release_kernel(watch->events[cpu]);
	watch->events[cpu] = NULL;
}

void ls_trigger_watch_disarm(struct trigger *trigger)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		watch_remove(trigger, cpu);
	kfree(trigger->watch.events);
	trigger->watch.events = NULL;
}

/* With the hotplug lock. */
int ls_trigger_watch_arm(struct trigger *trigger, const char **why)
{
	int err = 0;
	u32 cpu;

	trigger->watch.events = kcalloc(nr_cpu_ids,
					sizeof(*trigger->watch.events),
					GFP_KERNEL);
	if (!trigger->watch.events)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		err = watch_add(trigger, cpu);
		if (err)
			break;
	}
	if (err)
		ls_trigger_watch_disarm(trigger);
	if (err == -ENOSPC)
		*why = "no debug register is free: debuggers and perf have them";
	else if (err == -EPERM)
		*why = "addresses of the kernel take CAP_SYS_ADMIN";
	else if (err == -EINVAL)
		*why = "this address must not be watched";
	return err;
}

/* Failing would keep the CPU offline: it stays unwatched instead. */
void ls_trigger_watch_cpu_up(struct trigger *trigger, u32 cpu)
{
	watch_add(trigger, cpu);
}

void ls_trigger_watch_cpu_down(struct trigger *trigger, u32 cpu)
{
	watch_remove(trigger, cpu);
}
