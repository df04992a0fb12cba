/* SPDX-License-Identifier: GPL-2.0 */
/* Records samples of a command, tasks or CPUs into perf.data files. */
#ifndef LBRCTL_RECORD_RECORD_H
#define LBRCTL_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "module/netlink.h"
#include "pmu/list.h"
#include "record/remote.h"
#include "record/rotation.h"
#include "record/triggers.h"
#include "workload/workload.h"

/* Jitter by default: depends on whether a period is given. */
#define RECORD_JITTER_UNSET	UINT32_MAX

/* The options of a recording; checked as far as possible without the module. */
struct record_options {
	struct eventlist events;
	bool default_event;	/* none was asked for */
	bool no_events;		/* only times off the CPU and triggers, not even the default
				 * event
				 */
	const char *only;	/* which samples are kept, see pmu/only.h; NULL: all */
	uint64_t period;	/* events per sample; 0: by frequency */
	uint32_t frequency;	/* samples per second; 0: by period */
	uint32_t jitter;	/* thousandths of the period */
	uint64_t seed;		/* of the jitter's random numbers */
	uint32_t budget;	/* thousandths of a CPU's time; 0: the default */
	bool branches;		/* a branch history instead of call stacks */
	uint32_t branch_filter;	/* enum lbrscope_branch_filter; without a mode: the modes of the
				 * events
				 */
	bool call_stacks;	/* requested explicitly */
	bool lbr_reset;		/* call stacks are empty after a context switch */
	bool lbr_callers;	/* read only the addresses of the calls, not their targets */
	uint32_t lbr_depth;	/* a sample has this many LBR entries at most, the youngest; 0: no limit */
	bool no_lbr;		/* addresses only, no call stacks */
	uint32_t stack_window;	/* bytes of the user stack with each sample: for its call chain, */
	bool keep_stacks;	/* or to be kept in the file */
	bool stacks_where_needed;	/* only for processes that the LBR does not prove; */
	bool stacks_auto;	/* this was requested explicitly */
	uint32_t audit;		/* one in this many samples of the other processes is checked
				 * against the user stack; 0: none */
	bool audit_asked;	/* explicitly: an error where no stacks are checked */
	bool cgroups;		/* with the cgroup of each sample */
	struct control_offcpu offcpu;	/* times off the CPU */
	uint32_t ring;		/* bytes per CPU; 0: chosen by the other options */
	uint32_t flight;	/* flight recorder: bytes per CPU; 0: none */
	struct triggers triggers;	/* with flight, the first trigger that fires ends the
					 * recording */
	int compression;	/* level of zstd; 0: none */
	uint64_t max_size;	/* of the file, in bytes; 0: unlimited */
	uint64_t duration;	/* ns; 0: unlimited */
	uint64_t delay;		/* ns from the start, in which no sample is kept; */
	bool disabled;		/* none is kept until a command enables it */
	struct remote remote;	/* commands while it runs */
	struct rotation rotation;	/* of files, if wanted */
	const char *output;	/* file */
	bool quiet;		/* print only warnings and errors */
	bool verbose;		/* print what is going to be recorded */
	struct subject_options subject;
	int argc;		/* lbrctl's command line, for the file's header */
	char **argv;
	/* Called for each finished file of --switch-output with the session's statistics
	 * and its age in ns. NULL: print one line to stderr. */
	void (*finished)(void *ctx, const char *file, const struct control_stats *stats,
			 uint64_t ns);
	void *ctx;
	/* Called with the finished capture if it has call stacks, is quickly read, and
	 * stderr is a terminal. May be NULL. */
	void (*show)(const char *file);
};

/* Records. Returns the exit status of `lbrctl record`, with all messages printed. */
int record_run(struct record_options *options);

#endif
