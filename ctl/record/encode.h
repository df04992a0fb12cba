/* SPDX-License-Identifier: GPL-2.0 */
/* Encodes samples of the ring as records of perf.data. */
#ifndef LBRCTL_RECORD_ENCODE_H
#define LBRCTL_RECORD_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "module/ring.h"
#include "perfdata/budget.h"
#include "perfdata/format.h"
#include "pmu/event.h"
#include "record/triggers.h"

/* How ring samples become records of perf.data. */
struct encode_format {
	uint64_t id;		/* of the event's records */
	bool per_cpu;		/* each CPU has its own id: the CPU's number is added to it, and
				 * to the members' ids. perf takes the previous count of the
				 * same id from each
				 */
	uint64_t period;	/* events per sample; 0: varying */
	uint32_t frequency;	/* samples per second; 0: fixed period */
	uint32_t lbr_format;	/* enum lbrscope_lbr_format */
	bool call_stack;	/* with call chain and branch stack, see below */
	const uint64_t *members;	/* ids of the events whose counts are read with the
					 * samples; nr_members of them
					 */
	unsigned int nr_members;
	bool chain;		/* with call chain: the kernel's, and the address in user mode
				 * unless the stack window shows it
				 */
	uint32_t user_stack;	/* with the user registers and this many bytes of the user
				 * stack; 0: without */
	bool unwind;		/* with the unwound callers of the user address in the call
				 * chain, see below */
	bool cgroup;		/* with the cgroup's id */
	bool depth;		/* with the depth of the user stack, see below */
	uint32_t history;	/* enum lbrscope_branch_filter: record branches that pass it; 0:
				 * no branches
				 */
	const struct triggers_trigger *trigger;	/* the trigger; NULL: an event */
};

/*
 * For a call stack without targets (LBRSCOPE_SESSION_A_BRANCH_CALLERS), `to` is 0, except that
 * the youngest entry's is the sampled address in user mode, if there is one, since perf shows
 * it as the leaf.
 */

/*
 * A trigger that fired is a sample of a software event, named as the trigger was requested. It
 * has all fields of a sample. Some kinds have raw data: a text with its NUL, zero-padded,
 *
 *   kretprobe	"returned=0x0"
 *   exit	"status=0x100", as of wait(2)
 *   signal	"signal=11"
 *
 * Of a kprobe's branches the youngest leads to the function: the kernel's branches from there
 * to the module are left out.
 */

/*
 * With `depth` or `unwind`, a sample has raw data, or the text of its raw data ends with the
 * words of stacks/marks.h, with blanks between them: the depth of the user stack
 * (LBRSCOPE_FORMAT_USER_DEPTH), and that the chain was unwound, and how. A sample without
 * such facts has an empty text.
 */

/* The callers that were unwound from the user stack of a sample. */
struct encode_callers {
	const uint64_t *addresses;	/* the user address, then return addresses, innermost
					 * first */
	size_t nr;			/* 0: not unwound */
	const char *end;		/* why unwinding ended: marks_end() */
	size_t pointed;			/* index of the first that rests on a frame pointer; 0:
					 * none does */
};

/* Upper bound of a record, whose size has 16 bits. The longest has 255 branch entries, the
 * longest chain and the largest window of the stack. */
#define ENCODE_MAX	65536

/* Whether the callers come from the stack window, which readers unwind. */
static inline bool encode_unwound(const struct encode_format *format)
{
	return format->user_stack && !format->call_stack;
}

/* Whether the sample's user registers are of 64-bit code. */
bool encode_is_64bit(const struct ring_sample *sample);

/* Whether samples of a trigger have raw data. */
static inline bool encode_has_text(const struct triggers_trigger *trigger)
{
	return trigger && (trigger->kind == LBRSCOPE_TRIGGER_KRETPROBE ||
			   trigger->kind == LBRSCOPE_TRIGGER_EXIT ||
			   trigger->kind == LBRSCOPE_TRIGGER_SIGNAL);
}

/* Fills in the attribute of the event as perf would have opened it. */
void encode_attr(struct perf_event_attr *attr, const struct events_event *event,
		 const struct encode_format *format);

void encode_offcpu_attr(struct perf_event_attr *attr,
			const struct encode_format *format);
void encode_budget_attr(struct perf_event_attr *attr,
			const struct encode_format *format);
void encode_trigger_attr(struct perf_event_attr *attr,
			 const struct encode_format *format);

/* Callers may be NULL: none. Each writes one complete record to out, which has room for ENCODE_MAX bytes and is aligned to
 * 8, and returns its size. Lost samples belong to the event of the format. */
size_t encode_sample(const struct encode_format *format,
		     const struct ring_sample *sample,
		     const struct encode_callers *callers, uint32_t cpu, void *out);
size_t encode_offcpu(const struct encode_format *format,
		     const struct ring_offcpu *offcpu,
		     const struct encode_callers *callers, uint32_t cpu, void *out);
size_t encode_trigger(const struct encode_format *format,
		      const struct ring_trigger *trigger,
		      const struct encode_callers *callers, uint32_t cpu, void *out);
static inline struct budget_record encode_budget_record(const struct ring_budget *b)
{
	return (struct budget_record){ b->stretch, b->share, b->left_out };
}
size_t encode_budget(const struct encode_format *format,
		     const struct ring_budget *budget, uint32_t cpu, void *out);
size_t encode_lost(const struct encode_format *format, uint64_t lost,
		   uint64_t time, uint32_t cpu, void *out);

/* Returns the id of the format's event on the CPU; `id` is the first of its ids. */
uint64_t encode_id(const struct encode_format *format, uint64_t id, uint32_t cpu);

#endif
