/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software events of a capture by which lbrctl records facts that perf has no record for.
 * Each is a PERF_COUNT_SW_BPF_OUTPUT event and known by its name; its samples have raw data:
 * a text with its NUL, zero-padded. Writer: record/encode.c. Reader: profile/samples.c.
 */
#ifndef LBRCTL_PERFDATA_OWN_EVENTS_H
#define LBRCTL_PERFDATA_OWN_EVENTS_H

#include <stdbool.h>
#include <string.h>

#include "perfdata/event.h"

/*
 * One sample for each time that a task was off the CPU, as of perf record --off-cpu. perf from 6.16 on takes its
 * facts from the raw data (__set_offcpu_sample() of its util/evsel.c), older ones take them from the fields:
 *
 *   time	when the task came back, on CPU cpu
 *   period	ns that it was off
 *   call chain	of the kernel from the scheduler out, then the user address; the
 *		callers of that address are in the branch stack, where there is one
 *   raw data	u32 pid, u32 tid, u64 period, u64 nr, u64[nr] call chain (2000 words at most),
 *		u64 cgroup or 0: as perf has them; with nr 0 another u64 0, since perf takes the address from the chain's second
 *		word. Then the text: "state=S", a letter as in /proc/PID/stat or '?'; then, if the waker was
 *		asked for and is known, " waker=PID/TID" or " waker=interrupt"; then,
 *		with call stacks, " depth=N" or " depth-unknown" (stacks/marks.h). Older captures
 *		have the text alone
 */
#define PERFDATA_OFFCPU_NAME	"offcpu-time"
#define PERFDATA_OFFCPU_TEXT	"state="

/*
 * One sample for each measure that kept a CPU to the session's budget. It belongs to no
 * task (pid and tid are -1), has address 0 and period 1. Raw data: see budget_mark().
 */
#define PERFDATA_BUDGET_NAME	"budget"

/* Whether an event is of this kind, whatever its name; and whether it has this name as well. */
static inline bool perfdata_is_own(const struct perfdata_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

static inline bool perfdata_is_own_named(const struct perfdata_event *event, const char *name)
{
	return perfdata_is_own(event) && !strcmp(event->name, name);
}

#endif
