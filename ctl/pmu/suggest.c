// SPDX-License-Identifier: GPL-2.0
/* Names events that are similar to a misspelled one. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "pmu/generic.h"
#include "pmu/libpfm.h"
#include "pmu/software.h"
#include "pmu/suggest.h"

/* A star stands for any end. */
static bool is_like(const char *name, const char *pattern)
{
	const size_t length = strcspn(pattern, "*");

	return pattern[length] ? !strncmp(name, pattern, length) : !strcmp(name, pattern);
}

const char *events_of_perf(const char *name)
{
	static const char faults[] = "'record --trigger kprobe:handle_mm_fault' samples page faults; 'stat -e page-faults' counts them";
	static const char switches[] = "'record --off-cpu' shows where threads leave the CPU, and for how long; 'stat -e cs' counts it";
	static const char counted[] = "'lbrctl stat' counts it, and nothing samples it";
	static const char data[] = "addresses of data need precise samples, which the module does not take: perf mem has them";
	static const char functions[] = "tracepoints are perf's; 'record --trigger kprobe:FUNCTION' samples at a function of the kernel";
	static const struct { const char *pattern, *answer; } table[] = {
		{ "page-faults", faults }, { "faults", faults }, { "minor-faults", faults }, { "major-faults", faults },
		{ "exceptions:page_fault*", faults },
		{ "context-switches", switches }, { "cs", switches },
		{ "sched:*", "'record --off-cpu' shows where threads leave the CPU, and for how long" },
		{ "cpu-migrations", counted }, { "migrations", counted },
		{ "alignment-faults", counted }, { "emulation-faults", counted },
		{ "cgroup-switches", "perf stat counts it" },
		{ "bpf-output", "that is BPF's, by perf" },
		{ "duration_time", "'lbrctl stat --json' has the seconds of its counts" },
		{ "user_time", "'lbrctl stat -e task-clock:u' is the same" },
		{ "system_time", "'lbrctl stat -e task-clock:k' is the same" },
		{ "mem-loads*", data }, { "mem-stores*", data }, { "ibs_*", data },
		{ "mem:*", "'record --trigger watch:ADDRESS' samples at accesses of memory" },
		{ "probe:*", "'record --trigger kprobe:FUNCTION' samples at a function of the kernel" },
		{ "probe_*", "'record --trigger uprobe:FILE:FUNCTION' samples at a function of a program" },
		{ "sdt_*", "'record --trigger uprobe:FILE:FUNCTION' samples at a function of a program" },
		{ "syscalls:*", "'record --trigger kprobe:__x64_sys_NAME' samples at a system call" },
		{ "raw_syscalls:*", "'record --trigger kprobe:__x64_sys_NAME' samples at a system call" },
		{ "signal:*", "'record --trigger signal:NAME' samples at a signal" },
		{ "irq:*", functions }, { "timer:*", functions }, { "block:*", functions }, { "kmem:*", functions },
		{ "net:*", functions }, { "tcp:*", functions }, { "sock:*", functions }, { "skb:*", functions },
		{ "ext4:*", functions }, { "xfs:*", functions }, { "btrfs:*", functions }, { "lock:*", functions },
		{ "writeback:*", functions }, { "workqueue:*", functions }, { "power:*", functions },
		{ "exceptions:*", functions }, { "task:*", functions }, { "vmscan:*", functions },
		{ "intel_pt*", "perf traces; 'record -b' has the last branches of each sample" },
		{ "intel_bts*", "perf traces; 'record -b' has the last branches of each sample" },
		{ "cpu/mem-*", data }, { "cpu_core/mem-*", data },
		{ "cpu/*", "an event is written as 'lbrctl list' has it, or as its code: r003c" },
		{ "cpu_core/*", "an event is written as 'lbrctl list' has it, or as its code: r003c" },
		{ "cpu_atom/*", "an event is written as 'lbrctl list' has it, or as its code: r003c" },
		{ "power/*", "counters outside of the cores are perf's" },
		{ "uncore_*", "counters outside of the cores are perf's" },
		{ "msr/*", "counters outside of the cores are perf's" },
		{ "cstate_*", "counters outside of the cores are perf's" },
		{ "amd_*", "counters outside of the cores are perf's" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (is_like(name, table[i].pattern))
			return table[i].answer;
	return NULL;
}

static bool near_event(void *near, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	(void)pmu;
	near_offer(near, event->name);
	return false;
}

void events_near(const char *name, char *out, size_t size)
{
	char event[64];
	struct near near = { .word = event };

	/* Compares the name without a unit mask or modifier: those are looked up only once the
	 * event is found. */
	snprintf(event, sizeof(event), "%.*s", (int)strcspn(name, ":"), name);
	for (size_t i = 0; generic_name(i); i++)
		near_offer(&near, generic_name(i));
	for (size_t i = 0; software_name(i); i++)
		near_offer(&near, software_name(i));
	events_each(near_event, &near);
	near_text(&near, "", out, size);
}
