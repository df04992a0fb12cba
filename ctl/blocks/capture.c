// SPDX-License-Identifier: GPL-2.0
/* Checks the runs of a capture against the code. */
#include <limits.h>

#include "base/err.h"
#include "blocks/capture.h"

bool blocks_whole(const struct perfdata_event *event)
{
	const uint64_t type = event->attr.branch_sample_type;

	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       type & PERF_SAMPLE_BRANCH_ANY && !(type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

static int blocks_check(const struct samples *samples, const char *input)
{
	size_t i, nr;
	const struct perfdata_event *events = samples_events(samples, &nr);

	for (i = 0; i < nr; i++)
		if (samples_selected(samples, i) && blocks_whole(&events[i]))
			return 0;
	return err_fail("%s: no records of all kinds of branches; record with 'lbrctl record -b'",
			input);
}

int blocks_read(struct blocks_capture *c, const char *input, const char *event,
		struct filter *filter)
{
	struct maps *maps = samples_maps(c->samples);
	struct recorded_sample sample;
	uint64_t nr = 0;
	int ret;

	filter_begin(filter);
	if (samples_select(c->samples, event) || blocks_check(c->samples, input))
		return -1;
	while ((ret = samples_take(c->samples, &sample)) > 0) {
		if (!blocks_whole(sample.event))
			continue;
		nr++;
		if (filter_sample(filter, maps, &sample.raw) &&
		    runs_add(&c->runs, maps, &sample))
			return -1;
	}
	if (ret)
		return -1;
	if (nr && !c->runs.samples)
		return samples_none_chosen(input, nr);
	if (runs_finish(&c->runs))
		return -1;
	return c->runs.nr ? 0 : err_fail("%s: no two consecutive branches in user mode", input);
}

static bool blocks_meant(const struct blocks_capture *c, const struct filter *filter,
			 const struct runs_run *run)
{
	const struct place start = { run->file, run->start };
	const struct symbols_function *f;

	if (!filter || !filter_has_frames(filter))
		return true;
	f = symbols_function(c->symbols, symbols_find(c->symbols, start));
	return filter_frame(filter, f->name, f->object);
}

void blocks_decode(struct blocks_capture *c, const struct filter *filter)
{
	const struct maps *maps = samples_maps(c->samples);
	size_t i, kept = 0;

	for (i = 0; i < c->runs.nr; i++) {
		struct runs_run run = c->runs.list[i];
		const struct object *object = maps_file(maps, run.file)->object;
		unsigned int nr;

		if (!blocks_meant(c, filter, &run))
			continue;
		nr = object && object_is_x86_64(object) ?
		     blocks_count(c->blocks, object, run.start, run.end) : UINT_MAX;
		if (!nr) {
			c->contradicted += run.executions;
			continue;
		}
		if (nr == UINT_MAX)
			c->unread += run.executions;
		else
			run.instructions = nr;
		c->executions += run.executions;
		c->timed += run.timed;
		c->cycles += run.cycles;
		c->instructions += run.instructions * run.executions;
		c->runs.list[kept++] = run;
	}
	c->runs.nr = kept;
}
