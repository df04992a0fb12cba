/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_STAT_H
#define LBRCTL_STAT_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stdio.h>

#include "eventlist.h"
#include "subject.h"

struct stat_options {
	struct eventlist events;
	struct subject_options subject;
	bool per_cpu;
	bool json;
	const char *output;	/* file; NULL: stderr */
};

/* What was counted. */
struct stat_counts {
	const struct eventlist *events;
	double seconds;
	unsigned int nr_cpus;
	unsigned int *cpus;		/* their numbers */
	struct lbrscope_count *counts;	/* by CPU, then by event */
};

/* Counts. Returns the exit status of `lbrctl stat`. */
int stat_run(struct stat_options *options);

/* The results, for people and for scripts. */
void stat_print_text(const struct stat_counts *counts, bool per_cpu, FILE *out);
void stat_print_json(const struct stat_counts *counts, bool per_cpu, FILE *out);

#endif
