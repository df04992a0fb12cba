// SPDX-License-Identifier: GPL-2.0
/* Replays a branch history to find the calls that are open at its end. */
#include "stacks/replay.h"

/* The state behind a branch. */
struct state {
	const struct stacks_code *code;
	bool jumps;
	bool known;			/* the program is at a known user place */
	struct place at;		/* where the program continues */
	struct stacks_branch *calls;	/* open calls, the outermost first */
	size_t nr;
	struct stacks_branch *made;	/* all calls */
	size_t nr_made;
	bool gap;			/* calls that were open before are not known */
};

static bool is_user(struct place p)
{
	return p.file != MAPS_KERNEL;
}

static void forget(struct state *s)
{
	s->nr = 0;
	s->gap = true;
}

/* Whether the program can get from its current place to `place` by branches that the history
 * does not record. */
static bool goes_on(const struct state *s, struct place place)
{
	if (!s->known || maps_same_place(s->at, place))
		return true;
	if (s->jumps)
		return s->code->straight(s->code->ctx, s->at, place) != STACKS_NO;
	return s->code->lead(s->code->ctx, s->at, place) != STACKS_LEAD_NONE;
}

/* Whether a return to `back` belongs to the innermost open call. */
static bool returns(const struct state *s, struct place back)
{
	struct place call = s->calls[s->nr - 1].from, from = { MAPS_NOTHING, 0 };
	struct place target;

	if (s->code->call_before(s->code->ctx, back, &from, &target) !=
	    STACKS_CALL_UNKNOWN)
		return maps_same_place(from, call);
	/* No instruction is longer than 15 bytes. */
	return back.file == call.file && back.addr > call.addr &&
	       back.addr - call.addr <= 15;
}

static void made(struct state *s, struct place from, struct place to)
{
	s->made[s->nr_made++] = (struct stacks_branch){ from, to };
}

/* If a call was made before the history begins, the history has only its return. */
static void take_return(struct state *s, const struct replay_branch *b)
{
	struct place from, target;

	if (s->nr && returns(s, b->to)) {
		s->nr--;
		return;
	}
	if (s->nr)
		forget(s);
	if (s->code->call_before(s->code->ctx, b->to, &from, &target) ==
		    STACKS_CALL_DIRECT &&
	    s->code->lead(s->code->ctx, target, b->from) != STACKS_LEAD_NONE)
		made(s, from, target);
}

static enum stacks_step step_of(const struct state *s,
				const struct replay_branch *b)
{
	enum stacks_step step = s->code->step(s->code->ctx, b->from, b->to);

	if (step != STACKS_STEP_UNKNOWN)
		return step;
	switch (b->kind) {
	case REPLAY_CALL:
		return STACKS_STEP_CALL;
	case REPLAY_RETURN:
		return STACKS_STEP_RETURN;
	case REPLAY_JUMP:
		return STACKS_STEP_JUMP;
	case REPLAY_UNKNOWN:
	case REPLAY_GAP:
		break;
	}
	return STACKS_STEP_UNKNOWN;
}

static void take_user(struct state *s, const struct replay_branch *b)
{
	switch (step_of(s, b)) {
	case STACKS_STEP_CALL:
		s->calls[s->nr++] = (struct stacks_branch){ b->from, b->to };
		made(s, b->from, b->to);
		break;
	case STACKS_STEP_RETURN:
		take_return(s, b);
		break;
	case STACKS_STEP_JUMP:
		break;
	case STACKS_STEP_ELSEWHERE:
	case STACKS_STEP_UNKNOWN:
		forget(s);
		break;
	}
	s->at = b->to;
}

static void take(struct state *s, const struct replay_branch *b)
{
	if (b->kind == REPLAY_GAP) {
		forget(s);
		s->known = false;
		return;
	}
	if (is_user(b->from)) {
		if (!goes_on(s, b->from))
			forget(s);
		s->at = b->from;	/* continues below if it goes into the kernel */
		s->known = true;
		if (is_user(b->to))
			take_user(s, b);
	} else if (is_user(b->to)) {
		/* Return from the kernel: to the interrupted code, after a system call, or to a
		 * signal handler, whose callers are unknown. */
		if (!goes_on(s, b->to))
			forget(s);
		s->at = b->to;
		s->known = true;
	}
}

/* The sampled address may be slightly behind the newest branch. */
static bool ends_at(const struct state *s, struct place leaf)
{
	enum stacks_lead lead;

	if (!s->known)
		return false;
	if (goes_on(s, leaf))
		return true;
	lead = s->code->lead(s->code->ctx, s->at, leaf);
	return lead == STACKS_LEAD_SAME || lead == STACKS_LEAD_UNKNOWN;
}

static void turn_round(struct stacks_branch *calls, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		struct stacks_branch other = calls[i];

		calls[i] = calls[nr - 1 - i];
		calls[nr - 1 - i] = other;
	}
}

void replay_sample(const struct replay *r, const struct stacks_code *code,
		   struct stacks_branch *calls, struct stacks_sample *sample)
{
	struct state s = { .code = code, .jumps = r->jumps, .calls = calls,
			   .made = calls + r->nr };

	for (size_t i = r->nr; i-- > 0;)
		take(&s, &r->history[i]);
	sample->has_lbr = true;
	sample->lbr = calls;
	sample->made = s.made;
	sample->nr_made = s.nr_made;
	if (sample->leaf_known && !ends_at(&s, sample->leaf)) {
		sample->history = STACKS_HISTORY_ELSEWHERE;
		return;
	}
	sample->history = s.gap ? STACKS_HISTORY_GAP : STACKS_HISTORY_WHOLE;
	if (!s.known)
		return;
	if (!sample->leaf_known) {
		sample->leaf = s.at;
		sample->leaf_known = sample->leaf_inferred = true;
		sample->has_user = true;
	}
	turn_round(calls, s.nr);
	sample->nr_lbr = s.nr;
}
