// SPDX-License-Identifier: GPL-2.0
/* Keeps judged stacks. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/traces.h"

/* The first slice is 1.024 ms: samples of one thread are rarely closer. */
#define FIRST_SLICE	(1000ULL << 10)

int traces_add(struct traces *traces, const struct tally_stack *t,
	       const struct stacks_stack *stack, struct trace_place at, bool frames)
{
	const size_t nr = frames ? stack->nr_frames : 0;

	if (room_for(&traces->list, traces->nr + 1, &traces->max, sizeof(*traces->list)) ||
	    room_for(&traces->frames, traces->nr_frames + nr, &traces->max_frames, sizeof(*traces->frames)))
		return -1;
	traces->list[traces->nr++] = (struct trace){
		.who = t->who, .verdict = stack->verdict, .whole = stacks_is_whole(stack),
		.inferred = stack->inferred,
		.unwound = stack->unwound, .pointed = stack->pointed, .stitched = stack->stitched,
		.samples = t->samples, .period = t->period, .squares = t->squares,
		.counts = t->counts, .at = at,
		.first = traces->nr_frames, .nr = nr };
	if (nr)
		memcpy(traces->frames + traces->nr_frames, stack->frames,
		       nr * sizeof(*stack->frames));
	traces->nr_frames += nr;
	return 0;
}

static int moment_compare(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->trace < b->trace ? -1 : a->trace > b->trace;
}

static bool join(struct moment *to, const struct moment *more)
{
	if (to->time != more->time || to->trace != more->trace ||
	    __builtin_add_overflow(to->samples, more->samples, &to->samples))
		return false;
	to->period = tally_sum(to->period, more->period);
	to->squares += more->squares;
	return true;
}

/* Moves each moment to the start of its slice, and joins equal ones. */
static void make_slices(struct moments *m)
{
	size_t nr = 0;

	for (size_t i = 0; i < m->nr; i++)
		m->list[i].time -= m->list[i].time % m->slice;
	qsort(m->list, m->nr, sizeof(*m->list), moment_compare);
	for (size_t i = 0; i < m->nr; i++)
		if (!nr || !join(&m->list[nr - 1], &m->list[i]))
			m->list[nr++] = m->list[i];
	m->nr = nr;
}

static void shrink(struct moments *m)
{
	bool one = false;

	if (m->slice)
		make_slices(m);
	/* The times of a damaged file may span all 64 bits. */
	while (m->nr > m->limit / 2 && !one && m->slice < UINT64_MAX / 4) {
		m->slice = m->slice ? 2 * m->slice : FIRST_SLICE;
		make_slices(m);
		one = m->list[0].time == m->list[m->nr - 1].time;
	}
	if (m->nr > m->limit / 2)
		m->limit = 2 * m->nr;
}

int moments_add(struct moments *m, uint64_t time, uint64_t period, uint32_t number)
{
	if (m->limit && m->nr == m->limit)
		shrink(m);
	if (room_for(&m->list, m->nr + 1, &m->max, sizeof(*m->list)))
		return -1;
	m->list[m->nr++] = (struct moment){ time, period, (double)period * period, number, 1 };
	return 0;
}

void moments_of_traces(struct moments *moments, const uint32_t *of)
{
	size_t nr = 0;

	if (moments->slice)
		make_slices(moments);
	for (size_t i = 0; i < moments->nr; i++) {
		struct moment moment = moments->list[i];

		moment.trace = of[moment.trace];
		if (moment.trace != TRACE_NONE)
			moments->list[nr++] = moment;
	}
	moments->nr = nr;
}

void traces_free(struct traces *traces)
{
	free(traces->list);
	free(traces->frames);
}
