// SPDX-License-Identifier: GPL-2.0
/* Answers the questions of stacks/build.c about code, each once. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "object/cfi.h"
#include "object/insn.h"
#include "stacks/code.h"
#include "stacks/code_bounds.h"
#include "stacks/code_calls.h"
#include "stacks/code_frame.h"
#include "stacks/code_lead.h"
#include "stacks/code_lines.h"
#include "stacks/code_links.h"
#include "stacks/unwind_bytes.h"

enum question {
	ASK_CALL, ASK_CALL_BEFORE, ASK_SIGNAL, ASK_ENTRY, ASK_LEAD, ASK_STEP,
	ASK_STRAIGHT, ASK_OUTERMOST, ASK_IN_MAIN, ASK_SWITCHES, ASK_POINTS, ASK_FRAME, ASK_START,
};

struct fact {
	enum question question;
	struct place a, b;
	int answer;
	struct place from, target;
	int64_t bytes;
};

struct code {
	struct code_files files;
	struct code_bounds bounds;
	struct code_lines lines;
	struct code_frames frames;
	struct fact *facts;
	size_t max_facts;
	struct hash fact_index;
	struct fact unstored;		/* the last answer that there was no memory for */
	struct code_links links;
	struct stacks_code answers;
	struct beneath {
		uint32_t file;		/* the object that has main() */
		int64_t bytes;
	} *beneath;
	size_t nr_beneath, max_beneath;
};

/* --- the instruction at a place --- */

static enum stacks_call find_call(struct code *c, struct place p,
				  struct place *target)
{
	const struct object *o = code_object(&c->files, p);

	target->file = p.file;
	return o ? code_calls_at(o, p.addr, &target->addr) :
		   STACKS_CALL_UNKNOWN;
}

static bool find_signal(struct code *c, struct place p)
{
	const struct object *o = code_object(&c->files, p);
	struct object_cfi cfi;

	return o && object_cfi(o, p.addr, &cfi) && cfi.signal;
}

static enum stacks_answer find_entry(struct code *c, struct place p)
{
	const struct object *o = code_object(&c->files, p);
	struct object_range range;

	if (!o)
		return STACKS_UNKNOWN;
	if (object_is_entry(o, p.addr))
		return STACKS_YES;
	return object_function(o, p.addr, &range) ? STACKS_NO : STACKS_UNKNOWN;
}

/* --- the call before a place --- */

/* Instructions are decoded from the function's start on. */
static enum stacks_call find_call_before(struct code *c, struct place back,
					 struct place *from,
					 struct place *target)
{
	const struct object *o = code_object(&c->files, back);
	enum stacks_answer known = STACKS_UNKNOWN;
	struct object_range range;
	enum stacks_call kind;
	uint64_t last;

	target->file = back.file;
	*from = (struct place){ back.file, back.addr - 1 };
	if (!o)
		return STACKS_CALL_UNKNOWN;
	if (object_function(o, back.addr - 1, &range) &&
	    code_in_range(range, back.addr - 1))
		known = code_bounds_before(&c->bounds, back.file, o, range, back.addr, &last);
	if (known == STACKS_UNKNOWN)
		return code_calls_before(o, back.addr, &from->addr, &target->addr);
	if (known == STACKS_NO)
		return STACKS_CALL_NONE;
	kind = code_calls_at(o, last, &target->addr);
	if (kind != STACKS_CALL_NONE)
		from->addr = last;
	return kind;
}

static enum stacks_step find_step(struct code *c, struct place from,
				  struct place to)
{
	const struct object *o = code_object(&c->files, from);
	enum insn_found found;
	struct insn insn;

	if (!o || (found = insn_read(&insn, o, from.addr)) == INSN_UNREADABLE)
		return STACKS_STEP_UNKNOWN;
	if (found == INSN_FOUND && insn_is_call(&insn))
		return to.file == from.file && to.addr == insn_end(&insn) ? STACKS_STEP_JUMP :
									     STACKS_STEP_CALL;
	if (found == INSN_FOUND && insn_is_return(&insn))
		return STACKS_STEP_RETURN;
	return code_lead(&c->files, from, to) == STACKS_LEAD_NONE ? STACKS_STEP_ELSEWHERE :
								    STACKS_STEP_JUMP;
}

static enum stacks_answer find_straight(struct code *c, struct place from,
					struct place to)
{
	const struct object *o = code_object(&c->files, from);

	if (from.file != to.file)
		return STACKS_NO;
	if (!o)
		return from.addr <= to.addr ? STACKS_UNKNOWN : STACKS_NO;
	return code_lines_follow(&c->lines, o, from.addr, to.addr).reaches;
}

/* Where no table tells the bounds of functions, the branches tell where a function goes. */
static enum stacks_lead find_lead(struct code *c, struct place entered, struct place at)
{
	const struct object *o = code_object(&c->files, entered);
	enum stacks_lead lead = code_lead(&c->files, entered, at);

	return lead == STACKS_LEAD_UNKNOWN && o && entered.file == at.file &&
	       code_frames_leads(&c->frames, o, entered.addr, at.addr) ? STACKS_LEAD_SAME : lead;
}

static bool find_outermost(struct code *c, struct place p)
{
	const struct object *o = code_object(&c->files, p);

	return o && object_is_outermost(o, p.addr);
}

static bool find_in_main(struct code *c, struct place p)
{
	const struct object *o = code_object(&c->files, p);
	struct object_range range;
	uint64_t start;

	return o && code_calls_main(o, &start) &&
	       object_function(o, p.addr, &range) &&
	       (range.start == start || code_same_name(o, start, p.addr));
}

static bool find_start(struct code *c, struct place p, struct place *start)
{
	const struct object *o = code_object(&c->files, p);
	struct object_range range;

	if (!o || !object_function(o, p.addr, &range) || object_is_fragment(o, range.start))
		return false;
	*start = (struct place){ p.file, range.start };
	return true;
}

static bool find_points(struct code *c, struct place p)
{
	const struct object *o = code_object(&c->files, p);
	unsigned char bytes[UNWIND_BYTES_BEGINNING];
	struct unwind_bytes_prologue prologue;
	struct object_range range;
	size_t nr;

	if (!o || !object_function(o, p.addr, &range))
		return false;
	nr = range.end - p.addr < sizeof(bytes) ? range.end - p.addr : sizeof(bytes);
	nr = object_read(o, p.addr, bytes, nr);
	return unwind_bytes_prologue(bytes, nr, &prologue);
}

static bool find_frame(struct code *c, struct place p, struct place entered, int64_t *bytes)
{
	const struct object *o = code_object(&c->files, p);
	bool known = maps_is_known(entered) && entered.file == p.file;

	return o && code_frames_bytes(&c->frames, o, p.addr, known ? entered.addr : 0, bytes);
}

/* --- the cache of answers --- */

static uint64_t fact_key(enum question q, struct place a, struct place b)
{
	return hash_u64(maps_add_place(maps_place_key(a) + q, b));
}

static void fact_find(struct code *c, struct fact *f)
{
	switch (f->question) {
	case ASK_CALL:
		f->answer = find_call(c, f->a, &f->target);
		break;
	case ASK_CALL_BEFORE:
		f->answer = find_call_before(c, f->a, &f->from, &f->target);
		break;
	case ASK_SIGNAL:
		f->answer = find_signal(c, f->a);
		break;
	case ASK_ENTRY:
		f->answer = find_entry(c, f->a);
		break;
	case ASK_LEAD:
		f->answer = find_lead(c, f->a, f->b);
		break;
	case ASK_STEP:
		f->answer = find_step(c, f->a, f->b);
		break;
	case ASK_STRAIGHT:
		f->answer = find_straight(c, f->a, f->b);
		break;
	case ASK_OUTERMOST:
		f->answer = find_outermost(c, f->a);
		break;
	case ASK_IN_MAIN:
		f->answer = find_in_main(c, f->a);
		break;
	case ASK_SWITCHES:
		f->answer = code_switches(&c->files, f->a);
		break;
	case ASK_POINTS:
		f->answer = find_points(c, f->a);
		break;
	case ASK_START:
		f->answer = find_start(c, f->a, &f->target);
		break;
	case ASK_FRAME:
		f->answer = find_frame(c, f->a, f->b, &f->bytes);
		break;
	}
}

/* Stores the answer if there is memory. */
static const struct fact *fact_new(struct code *c, const struct fact *question, uint64_t key)
{
	struct fact *f = &c->unstored;

	if (!hash_reserve(&c->fact_index) &&
	    !room_for(&c->facts, c->fact_index.used + 1, &c->max_facts, sizeof(*f)))
		f = &c->facts[hash_put(&c->fact_index, key)];
	*f = *question;
	fact_find(c, f);
	return f;
}

/* Valid until the next call. */
static const struct fact *ask(struct code *c, enum question q, struct place a, struct place b)
{
	uint64_t key = fact_key(q, a, b);

	hash_for_each(i, &c->fact_index, key) {
		const struct fact *f = &c->facts[i];

		if (f->question == q && maps_same_place(f->a, a) && maps_same_place(f->b, b))
			return f;
	}
	return fact_new(c, &(struct fact){ .question = q, .a = a, .b = b }, key);
}

static enum stacks_call answer_call(void *ctx, struct place place,
				    struct place *target)
{
	const struct fact *f = ask(ctx, ASK_CALL, place, (struct place){ 0, 0 });

	if (f->answer == STACKS_CALL_DIRECT)
		*target = f->target;
	return f->answer;
}

static enum stacks_call answer_call_before(void *ctx, struct place back,
					   struct place *from,
					   struct place *target)
{
	const struct fact *f = ask(ctx, ASK_CALL_BEFORE, back, (struct place){ 0, 0 });

	*from = f->from;
	*target = f->target;
	return f->answer;
}

static bool answer_signal(void *ctx, struct place place)
{
	return ask(ctx, ASK_SIGNAL, place, (struct place){ 0, 0 })->answer;
}

static enum stacks_answer answer_entry(void *ctx, struct place place)
{
	return ask(ctx, ASK_ENTRY, place, (struct place){ 0, 0 })->answer;
}

static enum stacks_lead answer_lead(void *ctx, struct place entered,
				    struct place at)
{
	return ask(ctx, ASK_LEAD, entered, at)->answer;
}

static enum stacks_step answer_step(void *ctx, struct place from, struct place to)
{
	return ask(ctx, ASK_STEP, from, to)->answer;
}

static enum stacks_answer answer_straight(void *ctx, struct place from,
					  struct place to)
{
	return ask(ctx, ASK_STRAIGHT, from, to)->answer;
}

static bool answer_outermost(void *ctx, struct place place)
{
	return ask(ctx, ASK_OUTERMOST, place, (struct place){ 0, 0 })->answer;
}

static bool answer_absent(void *ctx, struct place place)
{
	const struct code *c = ctx;
	const struct maps_file *file = maps_file(c->files.maps, place.file);

	return place.file >= MAPS_FIRST_FILE &&
	       (maps_file_is_missing(file) || file->state == OBJECT_MISMATCH);
}

static bool answer_in_main(void *ctx, struct place place)
{
	return ask(ctx, ASK_IN_MAIN, place, (struct place){ 0, 0 })->answer;
}

static bool answer_switches(void *ctx, struct place place)
{
	return ask(ctx, ASK_SWITCHES, place, (struct place){ 0, 0 })->answer;
}

static bool answer_points(void *ctx, struct place place)
{
	return ask(ctx, ASK_POINTS, place, (struct place){ 0, 0 })->answer;
}

static void answer_start(void *ctx, struct place place, struct place *start)
{
	const struct fact *f = ask(ctx, ASK_START, place, (struct place){ 0, 0 });

	if (f->answer)
		*start = f->target;
}

static bool answer_frame(void *ctx, struct place place, struct place entered, int64_t *bytes)
{
	const struct fact *f = ask(ctx, ASK_FRAME, place, entered);

	*bytes = f->bytes;
	return f->answer;
}

static bool answer_beneath_main(void *ctx, struct place place, int64_t *bytes)
{
	const struct code *c = ctx;

	for (size_t i = 0; i < c->nr_beneath; i++) {
		if (c->beneath[i].file != place.file)
			continue;
		*bytes = c->beneath[i].bytes;
		return true;
	}
	return false;
}

/* An answer that cannot be stored, for lack of memory, is not known. */
static void tell_beneath_main(void *ctx, struct place place, int64_t bytes)
{
	struct code *c = ctx;
	int64_t known;

	if (answer_beneath_main(c, place, &known) ||
	    room_for(&c->beneath, c->nr_beneath + 1, &c->max_beneath, sizeof(*c->beneath)))
		return;
	c->beneath[c->nr_beneath++] = (struct beneath){ place.file, bytes };
}

static uint32_t answer_link(void *ctx, const struct stacks_branch *call, struct place inner)
{
	struct code *c = ctx;

	return code_links_number(&c->links, &c->answers, call, inner);
}

static struct stacks_code answers_new(struct code *c)
{
	return (struct stacks_code){
		.ctx = c,
		.call = answer_call,
		.call_before = answer_call_before,
		.signal = answer_signal,
		.entry = answer_entry,
		.lead = answer_lead,
		.step = answer_step,
		.straight = answer_straight,
		.outermost = answer_outermost,
		.absent = answer_absent,
		.in_main = answer_in_main,
		.switches = answer_switches,
		.points = answer_points,
		.link = answer_link,
		.start = answer_start,
		.frame = answer_frame,
		.beneath_main = answer_beneath_main,
		.tell_beneath_main = tell_beneath_main,
	};
}

struct stacks_code code_answers(struct code *c)
{
	return c->answers;
}

struct code *code_new(const struct maps *maps)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->files.maps = maps;
	c->answers = answers_new(c);
	return c;
}

void code_begin(struct code *c)
{
	c->nr_beneath = 0;
}

size_t code_nr_answers(const struct code *c)
{
	return c->fact_index.used + c->links.index.used;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	code_files_free(&c->files);
	code_bounds_free(&c->bounds);
	code_lines_free(&c->lines);
	code_frames_free(&c->frames);
	free(c->facts);
	free(c->beneath);
	hash_free(&c->fact_index);
	code_links_free(&c->links);
	free(c);
}
