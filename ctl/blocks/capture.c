// SPDX-License-Identifier: GPL-2.0
/* Checks the runs of a capture against the code. */
#include <limits.h>

#include "blocks/capture.h"

bool blocks_whole(const struct perfdata_event *event)
{
	const uint64_t type = event->attr.branch_sample_type;

	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       type & PERF_SAMPLE_BRANCH_ANY && !(type & PERF_SAMPLE_BRANCH_CALL_STACK);
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
