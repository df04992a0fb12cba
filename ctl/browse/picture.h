/* SPDX-License-Identifier: GPL-2.0 */
/* What the browser shows of a capture: functions, call trees and threads, without the files and
 * addresses that they came from. The samples to show can be chosen at any time. */
#ifndef LBRCTL_BROWSE_PICTURE_H
#define LBRCTL_BROWSE_PICTURE_H

#include "base/confidence.h"
#include "base/hash.h"
#include "profile/analysis.h"
#include "report/report.h"

/* A function, thread name or mark: equal nodes of the tree have equal ones. */
struct picture_function {
	enum profile_kind kind;
	char *name, *object;
	struct profile_weight self, total;	/* of the chosen samples; no samples: it is not in
						 * the table */
};

struct picture_node {
	uint32_t function;		/* not valid for the root */
	uint32_t parent, first_child, next;	/* 0: none, or the root */
	uint32_t depth;			/* of the root 0 */
	bool inner;			/* is below a node of the same function */
	struct profile_weight self, total;	/* of the chosen samples, */
	uint64_t concluded;		/* and the part of the total in which other samples, or
					 * only the recorded stack, show this frame */
};

/* Samples that end in one node. */
struct picture_trace {
	uint32_t node, thread, concluded;
	uint32_t own;			/* the function whose self they are */
	enum stacks_verdict verdict;
	struct profile_weight weight;
};

/* The samples of an event. */
struct picture_event {
	char *name;
	char *summary;			/* as it stands above a report, of all samples */
	bool offcpu;
	struct picture_function *functions;
	size_t max_functions;
	struct hash index;		/* number of functions */
	struct picture_node *nodes;	/* callers before callees; nodes[0] is the root, with the
					 * sums of the chosen samples */
	size_t nr_nodes;
	struct picture_trace *traces;
	size_t nr_traces;
	/* The additional counts, nr_counts for each trace, and for the self of each function. */
	size_t nr_counts;
	uint64_t *trace_counts, *counts;
	struct report_ratio ratios[REPORT_RATIOS];
	size_t nr_ratios;
	uint64_t samples, verdicts[STACKS_NR_VERDICTS];	/* of all samples */
};

struct picture_thread {
	uint32_t pid, tid;
	char *comm;			/* its first name */
};

struct picture {
	struct picture_event *events;
	size_t nr_events;		/* 0: no samples, or none that passes the filter */
	struct picture_thread *threads;
	size_t max_threads;
	struct hash index;		/* number of threads */
	uint64_t nr_read;		/* samples before the filter */
};

#define PICTURE_ALL	UINT32_MAX

struct picture_choice {
	uint32_t thread, verdict;	/* PICTURE_ALL: of all */
};

/* Copies analyses with traces. All samples are chosen. Returns NULL when memory is short. */
struct picture *picture_new(const struct analysis *analysis);
void picture_free(struct picture *picture);

/* Sets the weights of functions and nodes to those of the chosen samples. */
void picture_choose(struct picture_event *event, const struct picture_choice *choice);

/* The sum that shares refer to. */
static inline struct share_sum picture_sum(const struct profile_weight *weight)
{
	return (struct share_sum){ weight->period, weight->squares };
}

bool picture_same(const struct picture_function *a, const struct picture_function *b);

#endif
