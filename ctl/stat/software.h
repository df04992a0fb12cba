/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a list that Linux counts: page faults, context switches, migrations. */
#ifndef LBRCTL_STAT_SOFTWARE_H
#define LBRCTL_STAT_SOFTWARE_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stddef.h>

struct cpulist;
struct eventlist;
struct subject;

/* A counter of perf_event_open(). */
struct software_counter {
	int fd;			/* -1: its CPU was offline */
	unsigned int event;	/* its index in the list */
	unsigned int place;	/* the index of its CPU in the list of CPUs; 0 if it counts tasks */
	int cpu;		/* -1: it counts tasks */
};

struct stat_software {
	bool of_cpus;		/* they count all that happens on a CPU */
	size_t nr, max;
	struct software_counter *list;
};

/*
 * Opens the counters of the list's software events for the subject: of tasks one for each thread, which
 * also counts what it forks; else one for each CPU. Those of a command count from its execution on. Returns
 * 0, or -1 with a message; call stat_software_close() in both cases.
 */
int stat_software_open(struct stat_software *software, const struct eventlist *events, struct subject *subject,
		  const struct cpulist *possible);

/* Starts those that do not wait for a command. */
void stat_software_start(const struct stat_software *software, const struct subject *subject);

/* Writes the counts since the start into counts: by index of the CPU, then by the list's nr_events. */
void stat_software_read(const struct stat_software *software, struct lbrscope_count *counts, unsigned int nr_events);

/* Warns of the CPUs that were offline for a part of the time. May take 20 ms for each: read the counts before. */
void stat_software_warn(const struct stat_software *software);

void stat_software_close(struct stat_software *software);

#endif
