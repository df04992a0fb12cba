/* SPDX-License-Identifier: GPL-2.0 */
/* The processes of a capture with their mappings, and its threads with their names. */
#ifndef LBRCTL_STACKS_MAPS_TASKS_H
#define LBRCTL_STACKS_MAPS_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "stacks/mappings.h"

struct maps_process {
	uint32_t pid;
	uint32_t state;			/* a new number after each change */
	struct mappings *mappings;
	const struct mapping *last;	/* the last that was found; NULL: none, or the tree was
					 * changed */
	uint32_t dump;			/* file number of its jit-PID.dump; 0: none */
	size_t next;			/* entry of the dump that is not yet mapped */
	size_t nr_mapped;		/* mappings that were added since the last exec */
};

struct maps_thread {
	uint32_t tid;
	uint32_t forked_of;		/* the thread from which it was forked; 0: none */
	uint32_t state;			/* a new number after each change */
	char comm[64];
};

/* Initialize with 0. */
struct maps_tasks {
	struct maps_process *processes;
	size_t max_processes;
	struct hash process_index;
	struct maps_thread *threads;
	size_t max_threads;
	struct hash thread_index;
	uint32_t nr_states;		/* number of states given to processes and threads */
	size_t last_process, last_thread;	/* indexes of those found last */
};

void maps_tasks_free(struct maps_tasks *tasks);

/* Returns NULL if it does not exist, or, with `create`, if memory is short. Valid until the
 * next one is created. */
struct maps_process *maps_process_find(struct maps_tasks *tasks, uint32_t pid, bool create);
struct maps_thread *maps_thread_find(struct maps_tasks *tasks, uint32_t tid, bool create);

/* Returns the thread, or the other one if it has no name; NULL: neither has. */
const struct maps_thread *maps_thread_named(struct maps_tasks *tasks, uint32_t tid, uint32_t other);

/* Adds a mapping. It replaces overlapping parts of others; the rest of these stays. Returns 0,
 * or -1 with the reason printed. */
int maps_process_map(struct maps_process *process, struct mapping map);

/* Returns the mapping that contains addr, or NULL. */
const struct mapping *maps_process_at(struct maps_process *process, uint64_t addr);

/* Replaces the child's mappings by those of its parent (NULL: none). */
void maps_process_fork(struct maps_process *child, const struct maps_process *parent);

/* Removes all mappings, since the process executes another program. */
void maps_process_clear(struct maps_process *process);

#endif
