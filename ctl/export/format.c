// SPDX-License-Identifier: GPL-2.0
/* What the formats of export share. verbs/export.c has their list. */
#include <string.h>

#include "export/format.h"

uint64_t out_number(enum out_weight weight, uint64_t samples, uint64_t period)
{
	return weight == OUT_SAMPLES ? samples : period;
}

const struct perf_event_attr *out_attr(const struct analysis *a)
{
	size_t nr;

	return &samples_events(a->samples, &nr)[a->event_number].attr;
}

bool out_is_time(const struct analysis *a)
{
	const struct perf_event_attr *attr = out_attr(a);

	return a->offcpu || (attr->type == PERF_TYPE_SOFTWARE &&
			     (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
			      attr->config == PERF_COUNT_SW_TASK_CLOCK));
}

const char *out_unit(const struct analysis *a)
{
	return out_is_time(a) ? "nanoseconds" : "count";
}

struct out_time out_time(const struct analysis *first)
{
	const struct perfdata_info *info = samples_info(first->samples);
	const struct perf_event_attr *attr = out_attr(first);
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

static const struct profile_entry *entry_of(const struct profile *p,
					    const struct profile_stack *stack, size_t i)
{
	return &p->entries[p->nodes[stack->nodes[i]].entry];
}

void out_split(const struct profile *p, const struct profile_stack *whole,
	       struct out_stack *stack)
{
	const struct profile_entry *mark = entry_of(p, whole, 2);

	stack->process = entry_of(p, whole, 0)->name;
	stack->thread = entry_of(p, whole, 1)->name;
	/* Its name is "[verdict]". */
	snprintf(stack->verdict, sizeof(stack->verdict), "%.*s", (int)strlen(mark->name) - 2,
		 mark->name + 1);
	stack->reason = mark->object;
	stack->frames = whole->nodes + 3;
	stack->nr = whole->nr - 3;
}
