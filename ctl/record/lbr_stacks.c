// SPDX-License-Identifier: GPL-2.0
/* Judges the LBR's stacks as they arrive, by stacks/build.c, which gives the verdicts. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "object/object.h"
#include "perfdata/parse.h"
#include "record/lbr_stacks.h"
#include "stacks/build.h"
#include "stacks/maps.h"
#include "stacks/recorded.h"

/* Number of cached answers, by a hash of the recorded words. */
#define LBR_STACKS_KNOWN		(1U << 15)
/* Judging takes at most this fraction of the time: 1/10. */
#define LBR_STACKS_TIME_SHARE	10
/* Maximum time in a row, ns: the first look at a large library takes that long. */
#define LBR_STACKS_TIME_MAX	1000000000
/* CPU time, ns, after which lbr_stacks_prepare() begins no other file. */
#define LBR_STACKS_PREPARE_MAX	2000000000

struct known_stack {
	uint64_t key;			/* 0: empty */
	enum lbr_stacks_answer answer;
};

struct lbr_stacks {
	struct recorded *recorded;
	struct known_stack known[LBR_STACKS_KNOWN];
	struct stacks_stack by_lbr, by_both;
	int64_t time;			/* ns of time that is left */
	uint64_t last;			/* ns: when `time` was updated last */
	uint64_t prepared;		/* ns: spent by lbr_stacks_prepare() */
};

struct lbr_stacks *lbr_stacks_new(struct callers *callers)
{
	struct lbr_stacks *v = calloc(1, sizeof(*v));

	if (!v) {
		err_fail("out of memory");
		return NULL;
	}
	v->recorded = callers_recorded(callers);
	v->time = LBR_STACKS_TIME_MAX;
	return v;
}

void lbr_stacks_free(struct lbr_stacks *v)
{
	if (!v)
		return;
	stacks_free(&v->by_lbr);
	stacks_free(&v->by_both);
	free(v);
}

/* What judging costs is CPU time: on a busy host it is much less than the time that goes by. */
static uint64_t spent(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void lbr_stacks_prepare(struct lbr_stacks *v, uint32_t pid)
{
	struct maps *maps = recorded_maps(v->recorded);
	struct maps_code code;

	for (uint64_t at = 0; v->prepared < LBR_STACKS_PREPARE_MAX && maps_code_from(maps, pid, at, &code);
	     at = code.end) {
		const struct maps_file *file = maps_file(maps, code.place.file);
		const uint64_t begun = spent();

		if (file->object)
			object_prepare(file->object);
		v->prepared += spent() - begun;
	}
}

/* Whether time is left to judge another stack; *begun is set to spent(). */
static bool has_time(struct lbr_stacks *v, uint64_t *begun)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (v->last)
		v->time += (now - v->last) / LBR_STACKS_TIME_SHARE;
	if (v->time > LBR_STACKS_TIME_MAX)
		v->time = LBR_STACKS_TIME_MAX;
	v->last = now;
	*begun = spent();
	return v->time > 0;
}

static bool parse(const struct perfdata_event *event, const struct perf_event_header *record,
		  struct recorded_sample *sample)
{
	*sample = (struct recorded_sample){ .event = event };
	return !perfdata_sample_parse(event, (const unsigned char *)(record + 1),
				      record->size - sizeof(*record), &sample->raw);
}

static enum lbr_stacks_answer judge(struct lbr_stacks *v, struct recorded_sample *sample)
{
	const struct stacks_code code = recorded_code(v->recorded);

	if (recorded_place(v->recorded, sample) || !sample->stack.has_user ||
	    stacks_build(&sample->stack, &code, &v->by_lbr))
		return LBR_STACKS_NONE;
	return v->by_lbr.verdict == STACKS_COMPLETE ? LBR_STACKS_PROVED : LBR_STACKS_UNPROVED;
}

/* A key of all words that the answer depends on; never 0. */
static uint64_t key_of(const uint64_t *words, size_t nr)
{
	uint64_t key = nr;

	for (size_t i = 0; i < nr; i++)
		key = hash_add(key, words[i]);
	return key | 1;
}

/* Finds the place of a sample's answer. false: there is nothing to judge. */
static bool find(struct lbr_stacks *v, const struct perfdata_event *event,
		 const struct perf_event_header *record, struct recorded_sample *sample,
		 struct known_stack **known, uint64_t *key)
{
	const uint64_t *words;
	size_t nr;

	if (!parse(event, record, sample) ||
	    recorded_words(v->recorded, sample, 0, &words, &nr) || !nr)
		return false;
	*key = key_of(words, nr);
	*known = &v->known[*key >> 1 & (LBR_STACKS_KNOWN - 1)];
	return true;
}

bool lbr_stacks_known(struct lbr_stacks *v, const struct perfdata_event *event,
		    const struct perf_event_header *record, enum lbr_stacks_answer *answer)
{
	struct recorded_sample sample;
	struct known_stack *known;
	uint64_t key;

	*answer = LBR_STACKS_NONE;
	if (!find(v, event, record, &sample, &known, &key))
		return true;
	if (known->key == key)
		*answer = known->answer;
	return known->key == key;
}

enum lbr_stacks_answer lbr_stacks_of(struct lbr_stacks *v, const struct perfdata_event *event,
				 const struct perf_event_header *record)
{
	struct recorded_sample sample;
	struct known_stack *known;
	uint64_t key, begun;

	if (!find(v, event, record, &sample, &known, &key))
		return LBR_STACKS_NONE;
	if (known->key == key)
		return known->answer;
	if (!has_time(v, &begun))
		return LBR_STACKS_NONE;
	*known = (struct known_stack){ key, judge(v, &sample) };
	v->time -= spent() - begun;
	return known->answer;
}

/* Returns the next frame on the stack; a function that left by a tail call has none there. */
static size_t skip_tails(const struct stacks_stack *stack, size_t i)
{
	while (i < stack->nr_frames && stack->frames[i].kind == STACKS_TAIL_CALL)
		i++;
	return i;
}

/* Whether `all` begins with all frames of `first`; *nr: the number of these frames in `all`. */
static bool begins_with(const struct stacks_stack *all, const struct stacks_stack *first,
			size_t *nr)
{
	size_t i = skip_tails(first, 0), k = skip_tails(all, 0);

	for (; i < first->nr_frames; i = skip_tails(first, i + 1), k = skip_tails(all, k + 1))
		if (k == all->nr_frames ||
		    !maps_same_place(first->frames[i].place, all->frames[k].place))
			return false;
	*nr = k;
	return true;
}

/* A stack that reaches main() is complete: its outer frames belong to the C library. */
static bool is_same(const struct stacks_code *code, const struct stacks_stack *by_lbr,
		    const struct stacks_stack *by_both)
{
	size_t nr;

	if (by_both->verdict != STACKS_COMPLETE || !begins_with(by_both, by_lbr, &nr))
		return false;
	return nr == by_both->nr_frames ||
	       code->in_main(code->ctx, by_lbr->frames[by_lbr->nr_frames - 1].place);
}

/* Builds the stack by the LBR alone. */
static int build_alone(struct lbr_stacks *v, const struct stacks_sample *sample,
		       const struct stacks_code *code)
{
	struct stacks_sample alone = *sample;

	alone.nr_unwound = 0;
	alone.unwound_end = STACKS_END_NONE;
	alone.pointed = 0;
	return stacks_build(&alone, code, &v->by_lbr);
}

/* Compares a stack that the LBR alone calls complete with the user stack. */
static enum lbr_stacks_audit compare(struct lbr_stacks *v, const struct stacks_sample *sample,
				   const struct stacks_code *code)
{
	/* A frame pointer proves no more than the LBR. */
	if (sample->unwound_end != STACKS_END_ENTRY || sample->pointed ||
	    stacks_build(sample, code, &v->by_both))
		return LBR_STACKS_UNCHECKED;
	return is_same(code, &v->by_lbr, &v->by_both) ? LBR_STACKS_AGREED : LBR_STACKS_DISAGREED;
}

enum lbr_stacks_answer lbr_stacks_alone(struct lbr_stacks *v, const struct perfdata_event *event,
				    const struct perf_event_header *record)
{
	const struct stacks_code code = recorded_code(v->recorded);
	struct recorded_sample sample;
	uint64_t begun;

	if (!has_time(v, &begun))
		return LBR_STACKS_NONE;
	if (!parse(event, record, &sample) || recorded_place(v->recorded, &sample) ||
	    !sample.stack.has_user || build_alone(v, &sample.stack, &code))
		return LBR_STACKS_NONE;
	v->time -= spent() - begun;
	return v->by_lbr.verdict == STACKS_COMPLETE &&
	       compare(v, &sample.stack, &code) != LBR_STACKS_DISAGREED ?
	       LBR_STACKS_PROVED : LBR_STACKS_UNPROVED;
}

enum lbr_stacks_audit lbr_stacks_audit(struct lbr_stacks *v, const struct perfdata_event *event,
				   const struct perf_event_header *record)
{
	const struct stacks_code code = recorded_code(v->recorded);
	struct recorded_sample sample;

	if (!parse(event, record, &sample) || recorded_place(v->recorded, &sample) ||
	    !sample.stack.has_lbr || build_alone(v, &sample.stack, &code) ||
	    v->by_lbr.verdict != STACKS_COMPLETE)
		return LBR_STACKS_UNCHECKED;
	return compare(v, &sample.stack, &code);
}
