/* SPDX-License-Identifier: GPL-2.0 */
/* The threads of a capture with the stacks whose calls are not noted for them yet. Private to
 * stitch.c. */
#ifndef LBRCTL_STACKS_STITCH_THREADS_H
#define LBRCTL_STACKS_STITCH_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct stitch_thread {
	uint32_t tid;
	bool special;			/* it showed a stack of STITCH_SPECIAL */
	uint32_t *stacks;		/* the caller's numbers, in order of time */
	size_t nr, max;
};

/* Initialize with 0. */
struct stitch_threads {
	struct stitch_thread *list;
	size_t max, last;		/* last: index of the one found last */
	struct hash index;
};

void stitch_threads_free(struct stitch_threads *threads);

/* Returns NULL if it does not exist, or, with `create`, if memory is short. Valid until the next
 * one is created. */
struct stitch_thread *stitch_threads_find(struct stitch_threads *threads, uint32_t tid,
					  bool create);

#endif
