/* SPDX-License-Identifier: GPL-2.0 */
/* Counts recorded stacks that are equal in every address and in their task. Verdict and names
 * are computed once for each. Memory grows with the number of different stacks. */
#ifndef LBRCTL_PROFILE_TALLY_H
#define LBRCTL_PROFILE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "stacks/build.h"

struct tally;

/* The task, CPU and event of a sample; fields that are not distinguished are 0 or "". */
struct tally_who {
	const char *process, *comm;	/* names */
	uint32_t pid, tid, cpu;
	uint32_t event;			/* the caller's number */
	uint64_t cgroup;
	char state;			/* samples_state() */
};

struct tally_stack {
	struct stacks_sample sample;	/* depth is not stored: 0 */
	const struct tally_who *who;	/* valid until tally_free() or tally_add() */
	uint32_t who_number;		/* from 0; equal tasks have equal numbers */
	uint64_t samples;
	uint64_t period;		/* sum of the samples' periods, */
	double squares;			/* and of their squares */
	const uint64_t *counts;		/* sums of the additional counts */
};

/* nr_counts: number of additional counts of each sample. NULL when memory is short. */
struct tally *tally_new(size_t nr_counts);
void tally_free(struct tally *tally);

/* Counts one sample; *number: its stack. Returns 0, or -1 when memory is short. */
int tally_add(struct tally *tally, const struct stacks_sample *sample,
	      const struct tally_who *who, uint64_t period,
	      const uint64_t *counts, uint32_t *number);
/* Counts another sample of that stack. */
void tally_again(struct tally *tally, uint32_t number, uint64_t period,
		 const uint64_t *counts);

/* Whether that stack is of this task, CPU and event. */
bool tally_is_of(const struct tally *tally, uint32_t number, const struct tally_who *who);

/* Returns the number of different stacks, which are sorted by their first appearance. */
size_t tally_nr(const struct tally *tally);
/* Gets stack number i. Its arrays are valid until the next call of this or tally_add(). Returns
 * 0, or -1 when memory is short. */
int tally_get(struct tally *tally, size_t i, struct tally_stack *out);

/* Returns a + b, saturated: files may contain any period. */
static inline uint64_t tally_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
