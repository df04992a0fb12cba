// SPDX-License-Identifier: GPL-2.0
/* Finds the place in the code of each address that a sample recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "stacks/marks.h"
#include "stacks/recorded.h"
#include "stacks/registers.h"
#include "stacks/replay.h"
#include "stacks/spots.h"
#include "stacks/unwind.h"

struct recorded {
	struct maps *maps;
	struct code *code;
	struct unwind *unwind;		/* NULL until the first user stack */
	size_t said_depth;		/* of the LBR, by the capture; 0: not known */
	size_t fullest;			/* most LBR entries of one sample */

	uint32_t state;			/* of the mappings, maps_state().process */
	struct spots *spots;

	/* Arrays of the sample that recorded_place() was called for last. */
	struct recorded_spot *frames;
	struct place *kernel, *chain;
	struct stacks_branch *lbr;
	struct replay_branch *history;
	uint64_t *words;
	size_t max_frames, max_kernel, max_chain, max_lbr, max_history, max_words;
};

struct recorded *recorded_new(const struct perfdata_info *info, const char *path)
{
	struct recorded *r = calloc(1, sizeof(*r));

	if (!r || !(r->maps = maps_new(info)) || !(r->spots = spots_new(r->maps)) ||
	    !(r->code = code_new(r->maps))) {
		err_errno("reading %s", path);
		recorded_free(r);
		return NULL;
	}
	r->said_depth = info->lbr_depth;
	return r;
}

void recorded_free(struct recorded *r)
{
	if (!r)
		return;
	unwind_free(r->unwind);
	code_free(r->code);
	spots_free(r->spots);
	maps_free(r->maps);
	free(r->frames);
	free(r->kernel);
	free(r->chain);
	free(r->lbr);
	free(r->history);
	free(r->words);
	free(r);
}

int recorded_begin(struct recorded *r, const struct perfdata_info *info)
{
	/* Its rules depend on the processes. */
	unwind_free(r->unwind);
	r->unwind = NULL;
	spots_forget(r->spots);
	code_begin(r->code);
	r->said_depth = info->lbr_depth;
	r->fullest = 0;
	return maps_begin(r->maps, info);
}

size_t recorded_nr_answers(const struct recorded *r)
{
	return code_nr_answers(r->code);
}

struct maps *recorded_maps(struct recorded *r)
{
	return r->maps;
}

struct stacks_code recorded_code(struct recorded *r)
{
	return code_answers(r->code);
}

static int room(void *list, size_t need, size_t *max, size_t each)
{
	return room_for(list, need, max, each) ? err_errno("reading a sample") : 0;
}

static struct recorded_spot spot(struct recorded *r, uint32_t pid, uint64_t address, bool kernel)
{
	return kernel ? (struct recorded_spot){ address, address, { MAPS_KERNEL, address } } :
			spots_user(r->spots, pid, r->state, address);
}

/* Whether an event has branch histories with all calls and returns in them; *jumps: and all
 * other branches. */
static bool has_history(const struct perfdata_event *e, bool *jumps)
{
	const uint64_t calls = PERF_SAMPLE_BRANCH_CALL |
			       PERF_SAMPLE_BRANCH_IND_CALL;
	uint64_t filter = e->attr.branch_sample_type;

	*jumps = filter & PERF_SAMPLE_BRANCH_ANY;
	if (!(e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) ||
	    filter & PERF_SAMPLE_BRANCH_CALL_STACK)
		return false;
	return *jumps || (filter & PERF_SAMPLE_BRANCH_ANY_RETURN &&
			  (filter & PERF_SAMPLE_BRANCH_ANY_CALL ||
			   (filter & calls) == calls));
}

static void add_frame(struct recorded *r, struct recorded_sample *out,
		      struct recorded_spot spot)
{
	r->frames[out->nr_frames++] = spot;
}

/* A return address may be the end of a mapping: the call lies before it. */
static struct place behind_call(struct recorded *r, uint32_t pid, uint64_t address)
{
	struct place call = spot(r, pid, address - 1, false).place;

	if (call.file == MAPS_NOTHING)
		return spot(r, pid, address, false).place;
	return (struct place){ call.file, call.addr + 1 };
}

/* Places the recorded chain: kernel frames, and the user frames that the kernel, or with
 * `unwound` the recorder, found. */
static void take_chain(struct recorded *r, uint32_t pid, bool unwound,
		       struct recorded_sample *out, size_t *nr_user)
{
	const struct perfdata_sample *raw = &out->raw;
	bool kernel = recorded_in_kernel(raw->ip), lbr = recorded_has_lbr_stack(out->event);
	struct stacks_sample *stack = &out->stack;

	for (uint64_t i = 0; i < raw->chain_nr; i++) {
		uint64_t address = perfdata_u64(raw->chain + 8 * i);
		struct recorded_spot here;

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = address == (uint64_t)PERF_CONTEXT_KERNEL ||
				 address == (uint64_t)PERF_CONTEXT_HV;
			continue;
		}
		here = spot(r, pid, address, kernel);
		if (kernel) {
			r->kernel[stack->nr_kernel++] = here.place;
			add_frame(r, out, here);
			continue;
		}
		if (unwound)
			r->chain[(*nr_user)++] = stack->leaf_known ?
				behind_call(r, pid, address) : here.place;
		if (!stack->leaf_known) {
			stack->leaf = here.place;
			stack->leaf_known = stack->has_user = true;
			add_frame(r, out, here);
		} else if (!lbr && !unwound) {
			r->chain[(*nr_user)++] = here.place;
			add_frame(r, out, here);
		}
	}
}

/* Captures made for unwinding have the user address in the registers only. */
static void take_registers(struct recorded *r, uint32_t pid,
			   struct recorded_sample *out)
{
	struct stacks_sample *stack = &out->stack;
	struct recorded_spot here;
	uint64_t ip;

	if (stack->leaf_known || !registers_ip(&out->event->attr, &out->raw, &ip))
		return;
	here = spot(r, pid, ip, false);
	stack->leaf = here.place;
	stack->leaf_known = stack->has_user = true;
	add_frame(r, out, here);
}

static const unsigned char *branch_at(const struct perfdata_sample *raw, uint64_t i)
{
	return raw->branches + i * sizeof(struct perf_branch_entry);
}

/* Skylake sometimes writes the newest entry twice. After a forward branch, another one comes
 * before it repeats. */
static bool top_is_double(const struct perfdata_sample *raw)
{
	const unsigned char *p = raw->branches;

	return raw->branches_nr > 1 && perfdata_u64(p) < perfdata_u64(p + 8) &&
	       !memcmp(p, branch_at(raw, 1), 16);
}

/* With callers only (record/encode.h), the youngest entry has the sampled address for `to`, the
 * others 0. The code shows the target of a direct call. */
static bool goes_to_sample(const struct recorded *r, const struct recorded_sample *out)
{
	const struct perfdata_sample *raw = &out->raw;

	return out->stack.leaf_known && perfdata_u64(branch_at(raw, 0) + 8) ==
					r->frames[out->nr_frames - 1].address &&
	       (raw->branches_nr == 1 || !perfdata_u64(branch_at(raw, 1) + 8));
}

static void take_lbr(struct recorded *r, uint32_t pid,
		     struct recorded_sample *out)
{
	struct stacks_sample *stack = &out->stack;
	struct stacks_code code = recorded_code(r);

	stack->has_lbr = true;
	for (uint64_t i = top_is_double(&out->raw); i < out->raw.branches_nr; i++) {
		const unsigned char *p = branch_at(&out->raw, i);
		struct recorded_spot from, to = { 0 };

		/* Entries behind the oldest call are 0. */
		if (!perfdata_u64(p))
			break;
		from = spot(r, pid, perfdata_u64(p), false);
		if (i || !goes_to_sample(r, out))
			to = spot(r, pid, perfdata_u64(p + 8), false);
		if (!to.address)
			code.call(code.ctx, from.place, &to.place);
		if (!stack->nr_lbr && !stack->leaf_known && to.address)
			add_frame(r, out, to);
		add_frame(r, out, from);
		r->lbr[stack->nr_lbr++] = (struct stacks_branch){
			{ from.place.file, from.place.addr },
			{ to.place.file, to.place.addr } };
	}
	if (stack->nr_lbr) {
		stack->has_user = true;
		if (stack->nr_lbr > r->fullest)
			r->fullest = stack->nr_lbr;
	}
}

static enum replay_kind branch_kind(const struct perf_branch_entry *e)
{
	if (e->abort)
		return REPLAY_GAP;
	switch (e->type) {
	case PERF_BR_UNKNOWN:
		return REPLAY_UNKNOWN;
	case PERF_BR_CALL:
	case PERF_BR_IND_CALL:
	case PERF_BR_COND_CALL:
		return REPLAY_CALL;
	case PERF_BR_RET:
	case PERF_BR_COND_RET:
		return REPLAY_RETURN;
	default:
		return REPLAY_JUMP;
	}
}

static void add_branch(struct recorded *r, uint32_t pid, size_t *nr,
		       const struct perf_branch_entry *e)
{
	r->history[(*nr)++] = (struct replay_branch){
		spot(r, pid, e->from, recorded_in_kernel(e->from)).place,
		spot(r, pid, e->to, recorded_in_kernel(e->to)).place,
		branch_kind(e),
	};
}

/* Places a branch history, newest first. Branches that AMD marks as wrongly predicted were
 * never executed. An empty entry with others behind it was lost. */
static int take_history(struct recorded *r, uint32_t pid, bool jumps,
			struct recorded_sample *out)
{
	const struct perfdata_sample *raw = &out->raw;
	struct replay replay = { .jumps = jumps };
	struct stacks_code code = recorded_code(r);
	bool lost = false;

	if (room(&r->history, 2 * raw->branches_nr, &r->max_history,
		 sizeof(*r->history)))
		return -1;
	for (uint64_t i = top_is_double(raw); i < raw->branches_nr; i++) {
		struct perf_branch_entry e;

		memcpy(&e, branch_at(raw, i), sizeof(e));
		if (e.spec == PERF_BR_SPEC_WRONG_PATH)
			continue;
		if (!e.from) {
			lost = true;
			continue;
		}
		if (lost)
			r->history[replay.nr++] =
				(struct replay_branch){ .kind = REPLAY_GAP };
		lost = false;
		add_branch(r, pid, &replay.nr, &e);
	}
	replay.history = r->history;
	replay_sample(&replay, &code, r->lbr, &out->stack);
	return 0;
}

/* Unwinds the recorded piece of the user stack. */
static int take_stack(struct recorded *r, struct recorded_sample *out)
{
	struct unwind_start start = { .pid = out->raw.pid,
				      .stack = out->raw.stack,
				      .size = out->raw.stack_size };
	struct unwind_result result;

	if (!(out->event->attr.sample_type & PERF_SAMPLE_STACK_USER) ||
	    !registers_of(&out->event->attr, &out->raw, start.registers))
		return 0;
	if (!r->unwind && !(r->unwind = unwind_new(r->maps)))
		return err_errno("reading a sample");
	result = unwind_stack(r->unwind, &start);
	out->stack.unwound = result.frames;
	out->stack.nr_unwound = result.nr;
	out->stack.unwound_end = result.end;
	out->stack.pointed = result.pointed;
	return 0;
}

/* Reads the recorder's marks: the end of its unwinding, and the depth of the user stack. */
static void take_marks(const struct recorded *r, const struct marks *marks, size_t nr_user,
		       struct stacks_sample *stack)
{
	bool unwound = marks->end != STACKS_END_NONE;

	stack->stack_known = marks->has_depth;
	stack->stack = marks->depth;
	stack->crowded = marks->crowded;
	stack->chain = r->chain;
	stack->nr_chain = unwound ? 0 : nr_user;
	if (!unwound)
		return;
	stack->unwound = r->chain;
	stack->nr_unwound = nr_user;
	stack->unwound_end = marks->end;
	stack->pointed = marks->pointed;
}

int recorded_place(struct recorded *r, struct recorded_sample *out)
{
	struct perfdata_sample *raw = &out->raw;
	struct stacks_sample *stack = &out->stack;
	const struct marks marks = marks_read(raw);
	size_t nr_user = 0;
	bool kernel, jumps;

	if (room(&r->frames, raw->chain_nr + raw->branches_nr + 2,
		 &r->max_frames, sizeof(*r->frames)) ||
	    room(&r->kernel, raw->chain_nr + 1, &r->max_kernel,
		 sizeof(*r->kernel)) ||
	    room(&r->chain, raw->chain_nr, &r->max_chain, sizeof(*r->chain)) ||
	    room(&r->lbr, 2 * raw->branches_nr, &r->max_lbr, sizeof(*r->lbr)))
		return -1;
	r->state = maps_state(r->maps, raw->pid, raw->tid).process;
	out->comm = maps_comm(r->maps, raw->pid, raw->tid);
	kernel = recorded_in_kernel(raw->ip);
	out->ip = spot(r, raw->pid, raw->ip, kernel);
	take_chain(r, raw->pid, marks.end != STACKS_END_NONE, out, &nr_user);
	/* For an event without call chains, or with a chain that begins elsewhere, the sampled
	 * address is the leaf. */
	if (kernel && !out->nr_frames) {
		r->kernel[stack->nr_kernel++] = out->ip.place;
		add_frame(r, out, out->ip);
	}
	take_registers(r, raw->pid, out);
	if (!out->nr_frames) {
		stack->leaf = out->ip.place;
		stack->leaf_known = stack->has_user = true;
		add_frame(r, out, out->ip);
	}
	take_marks(r, &marks, nr_user, stack);
	if (recorded_has_lbr_stack(out->event))
		take_lbr(r, raw->pid, out);
	else if (has_history(out->event, &jumps) &&
		 take_history(r, raw->pid, jumps, out))
		return -1;
	if (take_stack(r, out))
		return -1;
	stack->kernel = r->kernel;
	stack->lbr = r->lbr;
	stack->depth = recorded_depth(r);
	out->frames = r->frames;
	return 0;
}

static size_t raw_words(const struct perfdata_sample *raw)
{
	return raw->text ? (raw->text_size + 7) / 8 : 0;
}

/* Appends the raw data, and its length, to the words. */
static uint64_t *raw_put(const struct perfdata_sample *raw, uint64_t *word)
{
	size_t nr = raw_words(raw);

	*word++ = nr;
	if (!nr)
		return word;
	word[nr - 1] = 0;
	memcpy(word, raw->text, raw->text_size);
	return word + nr;
}

/* Appends the targets, and those flags that affect the result. */
static uint64_t *branch_words(const struct perfdata_sample *raw, bool history,
			      uint64_t *word)
{
	for (uint64_t i = 0; i < raw->branches_nr; i++) {
		struct perf_branch_entry e;

		memcpy(&e, branch_at(raw, i), sizeof(e));
		*word++ = e.from;
		*word++ = e.to;
		if (history)
			*word++ = e.abort | e.type << 1 | e.spec << 5;
	}
	return word;
}

int recorded_words(struct recorded *r, const struct recorded_sample *sample,
		   uint32_t event, const uint64_t **words, size_t *nr)
{
	const struct perfdata_sample *raw = &sample->raw;
	struct maps_state state = maps_state(r->maps, raw->pid, raw->tid);
	bool jumps, history = has_history(sample->event, &jumps);
	uint64_t *word;

	*nr = 0;
	if (raw->regs)
		return 0;
	if (room(&r->words, 5 + raw_words(raw) + raw->chain_nr + 3 * raw->branches_nr,
		 &r->max_words, sizeof(*word)))
		return -1;
	word = r->words;
	*word++ = (uint64_t)raw->pid << 32 | event;
	*word++ = state.process;
	*word++ = raw->ip;
	*word++ = raw->chain_nr;
	if (raw->chain_nr)
		memcpy(word, raw->chain, raw->chain_nr * sizeof(*word));
	word = raw_put(raw, word + raw->chain_nr);
	word = branch_words(raw, history, word);
	*words = r->words;
	*nr = word - r->words;
	return 0;
}

size_t recorded_depth(const struct recorded *r)
{
	static const size_t sizes[] = { 8, 16, 32, 64 };

	if (r->said_depth)
		return r->said_depth;
	for (size_t i = 0; r->fullest && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (r->fullest <= sizes[i])
			return sizes[i];
	return r->fullest;
}
