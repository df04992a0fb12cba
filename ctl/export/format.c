// SPDX-License-Identifier: GPL-2.0
/* What the formats of export share. verbs/export.c has their list. */
#include <string.h>

#include "export/format.h"

uint64_t out_weight(const struct analysis *a, uint64_t samples, uint64_t period)
{
	return a->offcpu ? period : samples;
}

static const struct perf_event_attr *attr_of(const struct analysis *a)
{
	size_t nr;

	return &samples_events(a->samples, &nr)[a->event_number].attr;
}

const char *out_unit(const struct analysis *a)
{
	const struct perf_event_attr *attr = attr_of(a);
	bool clock = attr->type == PERF_TYPE_SOFTWARE &&
		     (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		      attr->config == PERF_COUNT_SW_TASK_CLOCK);

	return a->offcpu || clock ? "nanoseconds" : "count";
}

struct out_time out_time(const struct analysis *first)
{
	const struct perfdata_info *info = samples_info(first->samples);
	const struct perf_event_attr *attr = attr_of(first);
	uint64_t begin = UINT64_MAX, end = 0;
	struct out_time time = { 0 };

	for (const struct analysis *a = first; a; a = a->next) {
		begin = a->first_time < begin ? a->first_time : begin;
		end = a->last_time > end ? a->last_time : end;
	}
	if (info->wall_known && attr->use_clockid && end &&
	    (uint32_t)attr->clockid == info->wall_clockid)
		time.begin = info->wall + begin;
	time.duration = end > begin ? end - begin : 0;
	return time;
}

void out_split(const struct profile *p, const struct profile_stack *whole,
	       struct out_stack *stack)
{
	const struct profile_entry *second = whole->nr > 1 ?
		&p->entries[p->nodes[whole->nodes[1]].entry] : NULL;
	size_t skip = 1;

	stack->thread = p->entries[p->nodes[whole->nodes[0]].entry].name;
	strcpy(stack->verdict, "complete");
	stack->reason = "";
	if (second && second->kind == PROFILE_MARK) {
		/* Its name is "[verdict]". */
		snprintf(stack->verdict, sizeof(stack->verdict), "%.*s",
			 (int)strlen(second->name) - 2, second->name + 1);
		stack->reason = second->object;
		skip = 2;
	}
	stack->frames = whole->nodes + skip;
	stack->nr = whole->nr - skip;
}
