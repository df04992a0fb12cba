/* SPDX-License-Identifier: GPL-2.0 */
/* Encodes events by name, by libpfm4, or as raw code. */
#ifndef LBRCTL_PMU_EVENT_H
#define LBRCTL_PMU_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event as the user named it. */
struct events_event {
	char name[128];		/* as given, modifiers included */
	bool clock;		/* cpu-clock or task-clock: its events are ns, and no
				 * counter has it; select has USR and OS only */
	bool software;		/* Linux counts it, by perf_event_open(), and no counter: page-faults
				 * and the like; select has USR and OS only */
	uint64_t select;	/* as IA32_PERFEVTSELx or PERF_CTLx: event, umask,
				 * edge, any, inv, cmask, USR and OS; no other */
	uint32_t perf_type;	/* perf's type: PERF_TYPE_HARDWARE, _HW_CACHE, _SOFTWARE or
				 * _RAW
				 */
	uint64_t perf_config;	/* and PERF_COUNT_HW_*, a cache's operation and result,
				 * PERF_COUNT_SW_*, or the code
				 */
	uint64_t counters;	/* as LBRSCOPE_EVENT_A_COUNTERS; 0: any */
	bool has_extra;
	uint64_t extra;		/* as LBRSCOPE_EVENT_A_EXTRA, if has_extra */
};

/* IA32_PERFEVTSELx, SDM vol. 3, "Architectural Performance Monitoring". */
#define EVENTS_SELECT_CODE	0xffffULL	/* event and umask */
#define EVENTS_SELECT_USR	(1ULL << 16)
#define EVENTS_SELECT_OS	(1ULL << 17)
#define EVENTS_SELECT_EDGE	(1ULL << 18)
#define EVENTS_SELECT_ANY	(1ULL << 21)	/* counts all threads of the core */
#define EVENTS_SELECT_INV	(1ULL << 23)
#define EVENTS_SELECT_CMASK	(0xffULL << 24)
#define EVENTS_SELECT_HIGH	(0xfULL << 32)	/* AMD PERF_CTLx: of the event */

/* As LBRSCOPE_EVENT_A_COUNTERS. */
#define EVENTS_COUNTERS_GENERAL	0xffffffffULL
#define EVENTS_COUNTERS_FIXED	(0xffffffffULL << 32)

/*
 * Parses one of
 *   perf's generic name      cycles, branch-misses, L1-dcache-load-misses ...
 *   raw code                 rXXXX, hexadecimal, bits as above
 *   libpfm4's name           of an event of this CPU, with its modifiers
 *   cpu-clock, task-clock    the time, by the kernel's clock
 *   page-faults, cs ...      what Linux counts, as perf names it
 * followed by ":u", ":k" or both, for user and kernel mode; without, both are
 * counted; then by any of
 *   @fixed, @general, @N     the counters that may count it: N a general one
 *   @extra=HEX               for the register that the event needs besides
 * Returns 0, or -1 with one sentence, without a full stop, in why.
 */
int events_parse(const char *text, struct events_event *event, char *why,
		 size_t size);

/* Changes an event of user and kernel mode to one of user mode, with its name. */
void events_only_user(struct events_event *event);

#endif
