// SPDX-License-Identifier: GPL-2.0
/* Learns what all samples of a text have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "import/facts.h"

int facts_event(const struct facts *f, const char *name)
{
	for (unsigned int i = 0; i < f->nr_events; i++)
		if (!strcmp(f->events[i].name, name))
			return i;
	return -1;
}

/* The kinds by which readers know a weight: clocks' are nanoseconds, cycles are cycles. Others have their names. */
static struct perf_event_attr attr_of(const char *name, unsigned int number)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} known[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	};
	const size_t length = strcspn(name, ":");

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == length && !strncmp(known[i].name, name, length))
			return (struct perf_event_attr){ .type = known[i].type, .config = known[i].config };
	return (struct perf_event_attr){ .type = PERF_TYPE_RAW, .config = number };
}

static int add_event(struct facts *f, const char *name)
{
	struct perfdata_event *event = &f->events[f->nr_events];
	char *copy;

	if (f->nr_events == FACTS_EVENTS_MAX)
		return err_fail("the text has more than %d events, the last of them '%s'", FACTS_EVENTS_MAX, name);
	copy = strdup(name);
	if (!copy)
		return err_fail("out of memory");
	f->ids[f->nr_events] = f->nr_events + 1;
	*event = (struct perfdata_event){ .attr = attr_of(name, f->nr_events), .name = copy,
					  .ids = &f->ids[f->nr_events], .nr_ids = 1 };
	return f->nr_events++;
}

int facts_learn(struct facts *f, const struct item *item)
{
	const struct text_head *head = &item->head;
	struct perf_event_attr *attr;
	int number;

	number = facts_event(f, head->event);
	if (number < 0)
		number = add_event(f, head->event);
	if (number < 0)
		return -1;
	attr = &f->events[number].attr;
	if (item->is_chain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (item->nr_branches)
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	if (!f->nr_samples || head->time < f->first)
		f->first = head->time;
	if (head->time > f->last)
		f->last = head->time;
	if (head->cpu >= f->nr_cpus)
		f->nr_cpus = head->cpu + 1;
	f->without_time |= !head->has_time;
	f->without_cpu |= !head->has_cpu;
	f->without_pid |= !head->has_pid;
	f->nr_branches += item->nr_branches;
	f->nr_samples++;
	return 0;
}

void facts_settle(struct facts *f)
{
	for (unsigned int i = 0; i < f->nr_events; i++) {
		struct perf_event_attr *attr = &f->events[i].attr;

		attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
				     (f->without_time ? 0 : PERF_SAMPLE_TIME) | (f->without_cpu ? 0 : PERF_SAMPLE_CPU);
		attr->sample_id_all = 1;
		attr->comm = attr->mmap = attr->mmap2 = attr->task = 1;
		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
			attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
}

void facts_free(struct facts *f)
{
	for (unsigned int i = 0; i < f->nr_events; i++)
		free((char *)f->events[i].name);
}
