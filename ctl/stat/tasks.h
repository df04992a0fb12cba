/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of each thread. */
#ifndef LBRCTL_STAT_TASKS_H
#define LBRCTL_STAT_TASKS_H

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct session;
struct stat_counts;

/* A thread, and its counts since the start. */
struct stat_task {
	uint64_t id;		/* the module's id; 0: no thread, but the remainder */
	uint32_t tid, pid;
	char comm[LBRSCOPE_COMM_LEN];	/* empty: hidden */
	bool ended;
	uint64_t enabled, told_enabled;	/* the last reading, and that of the last output */
	struct {
		uint64_t value, running, told_value, told_running;
	} counts[];		/* by event */
};

/* All threads so far, except those that have ended and were printed. */
struct stat_tasks {
	unsigned int nr_events;
	struct stat_task **list;
	size_t max;
	struct hash index;	/* of the list, by id */
	struct stat_task *gone;	/* the sum of the printed ones */
	struct stat_task *rest;	/* counts that belong to no known thread */
	bool has_rest;
};

/* Returns 0, or -1 with a message; call stat_tasks_free() in both cases. */
int stat_tasks_init(struct stat_tasks *tasks, unsigned int nr_events);
void stat_tasks_free(struct stat_tasks *tasks);

/* Takes the module's data about threads: len bytes of consecutive struct lbrscope_task_counts,
 * at any address; ended: whether the threads have ended. Returns 0, -EPROTO if the data is
 * invalid, or -ENOMEM. */
int stat_tasks_add(struct stat_tasks *tasks, const void *counts, size_t len, bool ended);

/* Takes the counts of ended threads from the session's rings, which are emptied. */
int stat_tasks_drain(struct stat_tasks *tasks, struct session *session);

/* Read the counts of all threads. Return 0 or -1 with a message. */
int stat_tasks_read(struct stat_tasks *tasks, struct session *session);

/* Adds the counts of CPUs that belong to no known thread, by CPU, then by event. */
void stat_tasks_rest(struct stat_tasks *tasks, const struct lbrscope_count *cpus,
		     unsigned int nr_cpus);

/* Makes units of the threads that ran since the last output, sorted by their count of the first
 * event, with the remainder last. Returns 0, or -1 with a message. */
int stat_tasks_units(struct stat_tasks *tasks, struct stat_counts *counts);

/* Marks the units as printed: the next output counts from here. */
void stat_tasks_told(struct stat_tasks *tasks);

/* Returns the count of an event for a thread since the last output. */
struct lbrscope_count stat_task_count(const struct stat_task *task, unsigned int event);

#endif
