// SPDX-License-Identifier: GPL-2.0
/* The events of a recording's file, and how their samples are encoded. */
#include <stdlib.h>

#include "base/err.h"
#include "perfdata/own_events.h"
#include "record/events.h"
#include "record/sideband.h"

/* Ids of the first event's samples, of times off the CPU, of the first trigger, and of budget
 * marks. SIDEBAND_ID is another one. */
#define RECORD_SAMPLE_ID	(1ULL << 62)
#define RECORD_OFFCPU_ID	(1ULL << 61)
#define RECORD_TRIGGER_ID	(1ULL << 60)
#define RECORD_BUDGET_ID	(1ULL << 59)
/* Distance of the ids of two events: larger than the number of CPUs. */
#define RECORD_ID_STEP		(1ULL << 32)

bool record_events_chain(const struct record_options *o, uint32_t branches)
{
	bool kernel = false;
	unsigned int i;

	for (i = 0; i < o->events.nr; i++)
		kernel |= o->events.list[i].event.select & EVENTS_SELECT_OS;
	for (i = 0; i < o->triggers.nr; i++)
		kernel |= o->triggers.list[i].symbol != NULL;
	return kernel && branches != LBRSCOPE_BRANCHES_HISTORY;
}

/* The requested fields of samples, for events and triggers. */
static struct encode_format events_format(const struct record_options *o,
					  const struct control_info *info,
					  uint32_t branches, uint64_t id)
{
	return (struct encode_format){
		.id = id,
		.lbr_format = info->lbr_format,
		.call_stack = branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.depth = branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.history = branches == LBRSCOPE_BRANCHES_HISTORY ?
			   o->branch_filter : 0,
		.chain = record_events_chain(o, branches) || o->stack_window,
		.user_stack = o->keep_stacks ? o->stack_window : 0,
		.unwind = o->stack_window && !o->keep_stacks,
		.cgroup = o->cgroups,
	};
}

static struct perfdata_event *events_add(struct record_events *events,
					 const char *name,
					 const struct encode_format *format)
{
	struct perfdata_event *event = &events->list[events->nr++];

	*event = (struct perfdata_event){
		.name = name, .ids = &format->id, .nr_ids = 1,
	};
	return event;
}

/* The counts of a CPU grow from one sample of this CPU to the next, not across CPUs: the file
 * has one event per CPU, as with perf. */
static void events_each_cpu(struct record_events *events,
			    struct perfdata_event *event,
			    struct encode_format *format,
			    const struct cpulist *cpus)
{
	uint64_t *ids = events->cpu_ids + events->nr_cpu_ids;
	unsigned int i;

	format->per_cpu = true;
	for (i = 0; i < cpus->nr; i++)
		ids[i] = encode_id(format, format->id, cpus->cpus[i]);
	event->ids = ids;
	event->nr_ids = cpus->nr;
	events->nr_cpu_ids += cpus->nr;
}

/* Adds the next event of the session; the format is complete except for the fields of this
 * event. */
static void events_of_session(struct record_events *events,
			      const struct record_options *o,
			      const struct cpulist *cpus)
{
	const unsigned int i = events->nr;
	const struct eventlist_event *e = &o->events.list[i];
	struct encode_format *format = &events->formats[i];
	bool samples = eventlist_samples(&o->events, i);
	struct perfdata_event *event;

	events->ids[i] = format->id;
	format->period = samples ? o->period : 0;
	format->frequency = samples ? o->frequency : 0;
	if (samples && e->event.clock) {
		format->period = eventlist_clock_period(o->period, o->frequency);
		format->frequency = 0;
	}
	if (e->group >= 0 && o->events.list[e->group].leads) {
		format->members = &events->ids[e->group];
		while (e->group + format->nr_members < o->events.nr &&
		       o->events.list[e->group + format->nr_members].group ==
		       e->group)
			format->nr_members++;
	}
	event = events_add(events, e->event.name, format);
	event->leads = e->leads ? format->nr_members : 0;
	encode_attr(&event->attr, &e->event, format);
	/* Counts that are read with samples belong to the thread, or to the CPU. */
	event->attr.inherit = !cpus;
	if (format->nr_members && cpus)
		events_each_cpu(events, event, format, cpus);
}

static void events_offcpu(struct record_events *events,
			  const struct control_info *info, uint32_t branches)
{
	struct encode_format *format = &events->offcpu_format;

	*format = (struct encode_format){
		.id = RECORD_OFFCPU_ID,
		.lbr_format = info->lbr_format,
		.call_stack = branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.depth = branches == LBRSCOPE_BRANCHES_CALL_STACK,
	};
	encode_offcpu_attr(&events_add(events, PERFDATA_OFFCPU_NAME, format)->attr,
			   format);
}

static void events_budget(struct record_events *events,
			  const struct record_options *o)
{
	struct encode_format *format = &events->budget_format;

	*format = (struct encode_format){
		.id = RECORD_BUDGET_ID,
		.period = 1,
		.user_stack = o->keep_stacks ? o->stack_window : 0,
		.cgroup = o->cgroups,
	};
	encode_budget_attr(&events_add(events, PERFDATA_BUDGET_NAME, format)->attr,
			   format);
}

int record_events_make(struct record_events *events,
		       const struct record_options *o,
		       const struct control_info *info, uint32_t branches,
		       const struct cpulist *cpus)
{
	struct encode_format *format;
	unsigned int i;

	events->nr = events->nr_cpu_ids = 0;
	events->cpu_ids = calloc(cpus ? (size_t)o->events.nr * cpus->nr + 1 : 1,
				 sizeof(*events->cpu_ids));
	if (!events->cpu_ids)
		return err_fail("out of memory");
	for (i = 0; i < o->events.nr; i++) {
		events->formats[i] = events_format(o, info, branches,
						   RECORD_SAMPLE_ID + i * RECORD_ID_STEP);
		events_of_session(events, o, cpus);
	}
	if (o->offcpu.wanted)
		events_offcpu(events, info, branches);
	for (i = 0; i < o->triggers.nr; i++) {
		format = &events->trigger_formats[i];
		*format = events_format(o, info, branches, RECORD_TRIGGER_ID + i);
		format->period = 1;
		format->trigger = &o->triggers.list[i];
		encode_trigger_attr(&events_add(events, format->trigger->text,
						format)->attr, format);
	}
	events_budget(events, o);
	return 0;
}

void record_events_free(struct record_events *events)
{
	free(events->cpu_ids);
}

void record_events_sideband(struct record_events *events,
			    const struct perf_event_attr *attr)
{
	static const uint64_t id = SIDEBAND_ID;

	events->list[events->nr++] = (struct perfdata_event){
		.name = "dummy", .attr = *attr, .ids = &id, .nr_ids = 1,
	};
}
