// SPDX-License-Identifier: GPL-2.0
/* The attributes of the events in a recording's file, as perf would have opened them. */
#include <asm/perf_regs.h>
#include <string.h>
#include <time.h>

#include "pmu/branches.h"
#include "record/encode.h"

/* The registers of a ring_sample in perf's numbering, which has the same order. */
#define ENCODE_REGS	((1ULL << PERF_REG_X86_64_MAX) - 1 - \
			 (1ULL << PERF_REG_X86_DS | 1ULL << PERF_REG_X86_ES | \
			  1ULL << PERF_REG_X86_FS | 1ULL << PERF_REG_X86_GS))

static void encode_attr_requests(struct perf_event_attr *attr,
				 const struct encode_format *format)
{
	if (format->chain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (format->user_stack) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER |
				     PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = ENCODE_REGS;
		attr->sample_stack_user = format->user_stack;
		attr->exclude_callchain_user = encode_unwound(format);
	}
	if (format->cgroup)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (format->depth || format->unwind)
		attr->sample_type |= PERF_SAMPLE_RAW;
}

/* Sets the fields that all events with records in the file have in common. */
static void encode_common(struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			    PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

static void encode_call_stack(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	/* What perf requests with --call-graph lbr. CALL_STACK tells a reader that the entries
	 * are open calls. */
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER |
				   PERF_SAMPLE_BRANCH_CALL_STACK |
				   PERF_SAMPLE_BRANCH_NO_FLAGS |
				   PERF_SAMPLE_BRANCH_NO_CYCLES;
}

static void encode_attr_branches(struct perf_event_attr *attr,
				 const struct encode_format *format)
{
	if (format->call_stack)
		encode_call_stack(attr);
	if (format->history) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type =
			branches_sample_type(format->history, format->lbr_format);
	}
}

void encode_attr(struct perf_event_attr *attr, const struct events_event *event,
		 const struct encode_format *format)
{
	encode_common(attr);
	attr->type = event->perf_type;
	attr->config = event->perf_config;
	if (format->frequency) {
		attr->freq = 1;
		attr->sample_freq = format->frequency;
	} else {
		attr->sample_period = format->period;
	}
	encode_attr_branches(attr, format);
	if (format->nr_members) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	}
	encode_attr_requests(attr, format);
	attr->exclude_user = !(event->select & EVENTS_SELECT_USR);
	attr->exclude_kernel = !(event->select & EVENTS_SELECT_OS);
	attr->exclude_hv = attr->exclude_user || attr->exclude_kernel;
}

/* An event of lbrctl, which no counter counts. */
static void encode_attr_own(struct perf_event_attr *attr)
{
	encode_common(attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_BPF_OUTPUT;
	attr->sample_period = 1;
}

void encode_offcpu_attr(struct perf_event_attr *attr,
			const struct encode_format *format)
{
	encode_attr_own(attr);
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	if (format->call_stack)
		encode_call_stack(attr);
}

/* It also has the fields requested for samples, empty: perf script prints no field that an
 * event of the file lacks. */
void encode_budget_attr(struct perf_event_attr *attr,
			const struct encode_format *format)
{
	encode_attr_own(attr);
	encode_attr_requests(attr, format);
	attr->sample_type |= PERF_SAMPLE_RAW;
}

void encode_trigger_attr(struct perf_event_attr *attr,
			 const struct encode_format *format)
{
	encode_attr_own(attr);
	encode_attr_branches(attr, format);
	encode_attr_requests(attr, format);
	if (encode_has_text(format->trigger))
		attr->sample_type |= PERF_SAMPLE_RAW;
}
