/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of a graph as the page needs them: the distinct traces, and the times of the samples
 * of each. */
#ifndef LBRCTL_FLAME_SAMPLES_H
#define LBRCTL_FLAME_SAMPLES_H

#include "base/hash.h"
#include "flame/tree.h"

/* The threads of all graphs of a page. A thread that changes its name is several. */
struct flame_threads {
	struct flame_thread {
		uint32_t pid, tid;
		const char *comm;
	} *list;
	size_t max;
	struct hash index;		/* number of threads */
};

/* Samples that differ in time and weight only. */
struct flame_trace {
	uint32_t node;			/* of the tree, by its place in the order of flame_next() */
	uint32_t thread, cpu;
	uint32_t verdict;
	uint32_t concluded;		/* as paths.concluded */
	uint32_t up;			/* levels from the node to the function whose self it is */
	uint64_t samples, period;
	double squares;			/* sum of the periods' squares */
};

/* The traces of one side, the most frequent first. */
struct flame_samples {
	struct flame_trace *list;
	size_t nr;
	uint32_t *of;			/* by trace of the analysis: its place in the list */
};

/* Collects the traces of a side of the graph. Returns 0, or -1 when memory is short; call
 * flame_samples_free() in both cases. */
int flame_samples_make(struct flame_samples *samples, const struct flame *flame,
		       unsigned int side, struct flame_threads *threads);
void flame_samples_free(struct flame_samples *samples);
void flame_threads_free(struct flame_threads *threads);

#endif
