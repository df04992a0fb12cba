/* SPDX-License-Identifier: GPL-2.0 */
/* Measures programs of selftest_programs.h on a CPU. */
#ifndef LBRCTL_DOCTOR_SELFTEST_RUN_H
#define LBRCTL_DOCTOR_SELFTEST_RUN_H

#include <sys/types.h>

#include "module/netlink.h"
#include "module/ring.h"

struct selftest_run {
	/* Set by the caller. */
	struct control *control;
	unsigned int cpu;
	void (*program)(uint64_t rounds);
	void (*second)(uint64_t rounds);	/* runs at the same time; may be NULL */
	uint64_t rounds;
	const char *event;		/* or several, separated by commas */
	uint64_t period;		/* of each event; 0: only counted */
	enum lbrscope_branches branches;
	/* Called for each sample; may be NULL. */
	void (*sample)(void *ctx, const struct ring_sample *sample);
	void *ctx;
	/* Called with ctx when a program has stopped itself, before it is continued; returns 0,
	 * or -1 with a message. NULL: no program does so. */
	int (*stopped)(void *ctx);

	/* Results. */
	uint64_t count;			/* of the first event */
	uint64_t switches;		/* context switches of the programs */
	struct control_stats stats;

	uint32_t second_pid;		/* the process of second, also after its end */
	/* The running processes of program and second; 0: it has not begun, or has ended. */
	pid_t children[2];
};

/* Runs the programs. Returns 0 or -1 with a message. */
int selftest_run(struct selftest_run *run);

#endif
