/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache from words, such as those that a sample recorded, to a tally entry: identical samples
 * are resolved once. Bounded; emptied when full.
 */
#ifndef LBRCTL_PROFILE_MEMO_H
#define LBRCTL_PROFILE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memo;

/* What is known of the words; the caller's, and 0 at first. */
struct memo_entry {
	bool noted;			/* the words were looked up before, */
	bool counted;			/* and counted as: */
	uint32_t stack;			/* number of the stack in the tally */
	uint32_t number;		/* of the words, from 1 */
	bool special;			/* each thread that shows them is treated by itself */
};

/* Returns NULL when memory is short. */
struct memo *memo_new(void);
void memo_free(struct memo *memo);

/* Whether the lookup is better left out: words hardly ever came again. Ask before each one; from time to time it is tried
 * again. */
bool memo_rests(struct memo *memo);

/* Returns the entry of these words, a new one if needed; valid until the next call. NULL when
 * memory is short. */
struct memo_entry *memo_entry(struct memo *memo, const uint64_t *words, size_t nr);

#endif
