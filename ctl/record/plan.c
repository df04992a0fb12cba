// SPDX-License-Identifier: GPL-2.0
/* Prints what a recording is going to do. */
#include <stdio.h>

#include "record/plan.h"
#include "record/recording.h"

static const char *modes(uint64_t select)
{
	static const char *const names[] = { "no mode", "user mode", "the kernel", "user mode and the kernel" };

	return names[!!(select & EVENTS_SELECT_USR) + 2 * !!(select & EVENTS_SELECT_OS)];
}

static void print_event(const struct record_options *o, unsigned int i)
{
	const struct eventlist_event *e = &o->events.list[i];
	const struct events_event *event = &e->event;

	fprintf(stderr, "lbrctl: event %s: ", event->name);
	if (event->clock)
		fprintf(stderr, "a timer");
	else
		fprintf(stderr, "code 0x%llx%s",
			(unsigned long long)(event->select & ~(EVENTS_SELECT_USR | EVENTS_SELECT_OS)),
			event->counters ? " on some of the counters" : "");
	fprintf(stderr, ", %s, ", modes(event->select));
	if (!eventlist_samples(&o->events, i))
		fprintf(stderr, "counted with each sample of %s\n", o->events.list[e->group].event.name);
	else if (event->clock)
		fprintf(stderr, "a sample each %llu ns\n",
			(unsigned long long)eventlist_clock_period(o->period, o->frequency));
	else if (o->period)
		fprintf(stderr, "a sample each %llu events, jitter %u.%u %%\n", (unsigned long long)o->period,
			o->jitter / 10, o->jitter % 10);
	else
		fprintf(stderr, "%u samples/s on each CPU that runs it\n", o->frequency);
}

static void print_stacks(const struct record *r)
{
	const struct record_options *o = r->options;

	fprintf(stderr, "lbrctl: call stacks: ");
	if (r->branches == LBRSCOPE_BRANCHES_CALL_STACK)
		fprintf(stderr, "the LBR's, %u calls deep", r->lbr_depth);
	else if (r->branches == LBRSCOPE_BRANCHES_HISTORY)
		fprintf(stderr, "none of the LBR, which records the last %u branches", r->lbr_depth);
	else
		fprintf(stderr, "none of the LBR");
	if (!o->stack_window)
		fprintf(stderr, "\n");
	else if (o->keep_stacks)
		fprintf(stderr, "; %u bytes of the user stack are kept\n", o->stack_window);
	else
		fprintf(stderr, "; from memory%s, unwound while recording\n",
			o->stacks_where_needed ? " where the LBR does not prove them" : "");
}

static void print_subject(const struct record *r)
{
	const struct subject_options *o = &r->options->subject;

	fprintf(stderr, "lbrctl: measured: ");
	if (o->cgroup)
		fprintf(stderr, "the tasks in cgroup %s\n", o->cgroup);
	else if (subject_of_tasks(&r->subject))
		fprintf(stderr, "%s, with what is forked\n", r->subject.of_command ? o->command[0] : "the selected tasks");
	else
		fprintf(stderr, "all tasks, CPUs: %s\n", o->cpus ? o->cpus : "all");
}

void plan_print(const struct record *r)
{
	for (unsigned int i = 0; i < r->options->events.nr; i++)
		print_event(r->options, i);
	print_stacks(r);
	fprintf(stderr, "lbrctl: rings: %u, of %zu KiB each\n", r->session.nr_rings,
		r->session.rings ? (size_t)r->session.rings[0].data_size / 1024 : 0);
	print_subject(r);
}
