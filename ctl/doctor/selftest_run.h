/* SPDX-License-Identifier: GPL-2.0 */
/* Measures a program of selftest_programs.h on a CPU. */
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
	uint64_t rounds;
	const char *event;
	uint64_t period;		/* 0: only counted */
	enum lbrscope_branches branches;
	/* Called for each sample; may be NULL. */
	void (*sample)(void *ctx, const struct ring_sample *sample);
	void *ctx;

	/* Results. */
	uint64_t count;
	struct control_stats stats;

	pid_t child;			/* 0 while it does not run */
};

/* Runs the program. Returns 0 or -1 with a message. */
int selftest_run(struct selftest_run *run);

#endif
