// SPDX-License-Identifier: GPL-2.0
#include <asm/perf_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/grow.h"
#include "profile/cgroup_names.h"
#include "profile/samples.h"
#include "record/encode.h"
#include "stacks/replay.h"
#include "stacks/unwind.h"

struct samples {
	struct perfdata_file *file;
	struct maps *maps;
	struct code *code;
	struct unwind *unwind;		/* NULL until there is a stack */
	struct cgroups cgroups;
	struct samples_losses losses;
	struct budget budget;
	bool *left_out;			/* by event; NULL: none is */
	bool with_offcpu;		/* though they are left out */
	size_t fullest;			/* most LBR entries of one sample */

	/* Of the sample that was handed out last. */
	struct samples_spot *frames;
	struct place *kernel, *chain;
	struct stacks_branch *lbr;
	struct replay_branch *history;
	uint64_t *words;
	size_t max_frames, max_kernel, max_chain, max_lbr, max_history, max_words;
};

struct samples *samples_open(const char *path)
{
	struct samples *s = calloc(1, sizeof(*s));

	if (!s) {
		err_errno("reading %s", path);
		return NULL;
	}
	s->file = perfdata_open(path);
	if (s->file && !(s->maps = maps_new(perfdata_info(s->file))))
		err_errno("reading %s", path);
	if (s->maps && !(s->code = code_new(s->maps)))
		err_fail("reading %s: not enough memory for the disassembler", path);
	if (s->code)
		return s;
	samples_close(s);
	return NULL;
}

void samples_close(struct samples *s)
{
	if (!s)
		return;
	unwind_free(s->unwind);
	code_free(s->code);
	maps_free(s->maps);
	cgroups_free(&s->cgroups);
	perfdata_close(s->file);
	free(s->left_out);
	free(s->frames);
	free(s->kernel);
	free(s->chain);
	free(s->lbr);
	free(s->history);
	free(s->words);
	free(s);
}

static bool is_own(const struct perfdata_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

bool samples_are_offcpu(const struct perfdata_event *event)
{
	return is_own(event) && !strcmp(event->name, ENCODE_OFFCPU_NAME);
}

static bool is_budget(const struct perfdata_event *event)
{
	return is_own(event) && !strcmp(event->name, ENCODE_BUDGET_NAME);
}

bool samples_selected(const struct samples *s, size_t i)
{
	return !s->left_out || !s->left_out[i];
}

static bool is_dummy(const struct perfdata_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_DUMMY;
}

/* There is no such event: says which there are. */
static int no_event(const struct perfdata_event *events, size_t nr,
		    const char *event)
{
	char names[512] = "";
	size_t at = 0;

	for (size_t i = 0; i < nr && at < sizeof(names); i++)
		if (!is_dummy(&events[i]))
			at += snprintf(names + at, sizeof(names) - at, "%s%s",
				       at ? ", " : "", events[i].name);
	return err_fail("the capture has no event '%s'; it has %s", event, names);
}

/* What an event's samples are, those first that a report rather tells of. */
enum samples_kind { SAMPLES_COUNTED, SAMPLES_OFFCPU, SAMPLES_TRIGGER, SAMPLES_NONE };

static enum samples_kind kind(const struct perfdata_event *event)
{
	if (is_dummy(event) || is_budget(event))
		return SAMPLES_NONE;
	if (!is_own(event))
		return SAMPLES_COUNTED;
	return samples_are_offcpu(event) ? SAMPLES_OFFCPU : SAMPLES_TRIGGER;
}

int samples_select(struct samples *s, const char *event)
{
	size_t nr, left = 0;
	const struct perfdata_event *events = perfdata_events(s->file, &nr);
	enum samples_kind first = SAMPLES_NONE;

	free(s->left_out);
	s->left_out = calloc(nr, sizeof(*s->left_out));
	if (!s->left_out)
		return err_errno("selecting an event");
	for (size_t i = 0; i < nr; i++)
		if (kind(&events[i]) < first)
			first = kind(&events[i]);
	for (size_t i = 0; i < nr; i++) {
		s->left_out[i] = event ? strcmp(events[i].name, event) :
					 kind(&events[i]) != first;
		left += !s->left_out[i] && !is_dummy(&events[i]);
	}
	if (left || !event)
		return 0;
	return no_event(events, nr, event);
}

void samples_with_offcpu(struct samples *s)
{
	s->with_offcpu = true;
}

static int room(void *list, size_t need, size_t *max, size_t each)
{
	return room_for(list, need, max, each) ? err_errno("reading a sample") : 0;
}

/* Places are copied field by field where there are many: all 16 bytes in one would wait until
 * the 4 of the file, which were just written, are in the cache. */
static struct samples_spot spot(struct samples *s, uint32_t pid,
				uint64_t address, bool kernel)
{
	uint64_t offset = address;
	struct place place = { MAPS_KERNEL, address };

	if (!kernel)
		place = maps_place(s->maps, pid, address, &offset);
	return (struct samples_spot){ address, offset, { place.file, place.addr } };
}

/* The upper half of the address space is the kernel's on x86-64. */
static bool is_kernel_address(uint64_t address)
{
	return (int64_t)address < 0;
}

static bool has_lbr_stack(const struct perfdata_event *e)
{
	return e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       e->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Whether an event has branch histories with all calls and returns in them; *jumps:
 * all other branches as well. */
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

static void add_frame(struct samples *s, struct samples_sample *out,
		      struct samples_spot spot)
{
	s->frames[out->nr_frames++] = spot;
}

/* The recorded chain: kernel frames and what the kernel saw of the user's. */
static void take_chain(struct samples *s, uint32_t pid,
		       struct samples_sample *out, size_t *nr_user)
{
	const struct perfdata_sample *raw = &out->raw;
	bool kernel = is_kernel_address(raw->ip), lbr = has_lbr_stack(out->event);
	struct stacks_sample *stack = &out->stack;

	for (uint64_t i = 0; i < raw->chain_nr; i++) {
		uint64_t address = perfdata_u64(raw->chain + 8 * i);
		struct samples_spot here;

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = address == (uint64_t)PERF_CONTEXT_KERNEL ||
				 address == (uint64_t)PERF_CONTEXT_HV;
			continue;
		}
		here = spot(s, pid, address, kernel);
		if (kernel) {
			s->kernel[stack->nr_kernel++] = here.place;
			add_frame(s, out, here);
			continue;
		}
		if (!stack->leaf_known) {
			stack->leaf = here.place;
			stack->leaf_known = stack->has_user = true;
			add_frame(s, out, here);
		} else if (!lbr) {
			s->chain[(*nr_user)++] = here.place;
			add_frame(s, out, here);
		}
	}
}

/* Captures for who unwinds the stack leave the user address to the registers. */
static void take_registers(struct samples *s, uint32_t pid,
			   struct samples_sample *out)
{
	const uint64_t mask = out->event->attr.sample_regs_user;
	const uint64_t ip = 1ULL << PERF_REG_X86_IP;
	struct stacks_sample *stack = &out->stack;
	struct samples_spot here;

	if (stack->leaf_known || !out->raw.regs || !(mask & ip))
		return;
	here = spot(s, pid, perfdata_u64(out->raw.regs + 8 *
		    __builtin_popcountll(mask & (ip - 1))), false);
	stack->leaf = here.place;
	stack->leaf_known = stack->has_user = true;
	add_frame(s, out, here);
}

static const unsigned char *branch_at(const struct perfdata_sample *raw, uint64_t i)
{
	return raw->branches + i * sizeof(struct perf_branch_entry);
}

/* Skylake writes the newest entry twice at times. After a branch forwards there is
 * another one before it comes again. */
static bool top_is_double(const struct perfdata_sample *raw)
{
	const unsigned char *p = raw->branches;

	return raw->branches_nr > 1 && perfdata_u64(p) < perfdata_u64(p + 8) &&
	       !memcmp(p, branch_at(raw, 1), 16);
}

/* Of the callers alone (encode.h) the youngest entry has the sampled address for `to`, the
 * others 0. Where a direct call went, its code tells. */
static bool goes_to_sample(const struct samples *s, const struct samples_sample *out)
{
	const struct perfdata_sample *raw = &out->raw;

	return out->stack.leaf_known && perfdata_u64(branch_at(raw, 0) + 8) ==
					s->frames[out->nr_frames - 1].address &&
	       (raw->branches_nr == 1 || !perfdata_u64(branch_at(raw, 1) + 8));
}

static void take_lbr(struct samples *s, uint32_t pid,
		     struct samples_sample *out)
{
	struct stacks_sample *stack = &out->stack;
	struct stacks_code code = samples_code(s);

	stack->has_lbr = true;
	for (uint64_t i = top_is_double(&out->raw); i < out->raw.branches_nr; i++) {
		const unsigned char *p = branch_at(&out->raw, i);
		struct samples_spot from, to = { 0 };

		/* Entries behind the last call that was made are 0. */
		if (!perfdata_u64(p))
			break;
		from = spot(s, pid, perfdata_u64(p), false);
		if (i || !goes_to_sample(s, out))
			to = spot(s, pid, perfdata_u64(p + 8), false);
		if (!to.address)
			code.call(code.ctx, from.place, &to.place);
		if (!stack->nr_lbr && !stack->leaf_known && to.address)
			add_frame(s, out, to);
		add_frame(s, out, from);
		s->lbr[stack->nr_lbr++] = (struct stacks_branch){
			{ from.place.file, from.place.addr },
			{ to.place.file, to.place.addr } };
	}
	if (stack->nr_lbr) {
		stack->has_user = true;
		if (stack->nr_lbr > s->fullest)
			s->fullest = stack->nr_lbr;
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

static void add_branch(struct samples *s, uint32_t pid, size_t *nr,
		       const struct perf_branch_entry *e)
{
	s->history[(*nr)++] = (struct replay_branch){
		spot(s, pid, e->from, is_kernel_address(e->from)).place,
		spot(s, pid, e->to, is_kernel_address(e->to)).place,
		branch_kind(e),
	};
}

/* A branch history, newest first. What the CPU took by mistake only (AMD's mark) was
 * never executed; an entry that is empty with others behind it went lost. */
static int take_history(struct samples *s, uint32_t pid, bool jumps,
			struct samples_sample *out)
{
	const struct perfdata_sample *raw = &out->raw;
	struct replay replay = { .jumps = jumps };
	struct stacks_code code = samples_code(s);
	bool lost = false;

	if (room(&s->history, 2 * raw->branches_nr, &s->max_history,
		 sizeof(*s->history)))
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
			s->history[replay.nr++] =
				(struct replay_branch){ .kind = REPLAY_GAP };
		lost = false;
		add_branch(s, pid, &replay.nr, &e);
	}
	replay.history = s->history;
	replay_sample(&replay, &code, s->lbr, &out->stack);
	return 0;
}

/* Which of perf's registers are DWARF's 0, 1, 2 … (x86-64 psABI, figure 3.36). */
static const unsigned char perf_registers[OBJECT_CFI_NR_REGISTERS] = {
	PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX,
	PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP,
	PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15,
	PERF_REG_X86_IP,
};

/* False when not all of them were recorded. */
static bool unwind_registers(const struct samples_sample *sample, uint64_t *out)
{
	const uint64_t mask = sample->event->attr.sample_regs_user;

	if (!sample->raw.regs ||
	    sample->raw.regs_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++) {
		uint64_t bit = 1ULL << perf_registers[i];

		if (!(mask & bit))
			return false;
		out[i] = perfdata_u64(sample->raw.regs + 8 *
				      __builtin_popcountll(mask & (bit - 1)));
	}
	return true;
}

/* The recorded piece of the user stack. */
static int take_stack(struct samples *s, struct samples_sample *out)
{
	struct unwind_start start = { .pid = out->raw.pid,
				      .stack = out->raw.stack,
				      .size = out->raw.stack_size };
	struct unwind_result result;

	if (!(out->event->attr.sample_type & PERF_SAMPLE_STACK_USER) ||
	    !unwind_registers(out, start.registers))
		return 0;
	if (!s->unwind && !(s->unwind = unwind_new(s->maps)))
		return err_errno("reading a sample");
	result = unwind_stack(s->unwind, &start);
	out->stack.unwound = result.frames;
	out->stack.nr_unwound = result.nr;
	out->stack.unwound_end = result.end;
	return 0;
}

int samples_place(struct samples *s, struct samples_sample *out)
{
	struct perfdata_sample *raw = &out->raw;
	struct stacks_sample *stack = &out->stack;
	size_t nr_user = 0;
	bool kernel, jumps;

	if (room(&s->frames, raw->chain_nr + raw->branches_nr + 2,
		 &s->max_frames, sizeof(*s->frames)) ||
	    room(&s->kernel, raw->chain_nr + 1, &s->max_kernel,
		 sizeof(*s->kernel)) ||
	    room(&s->chain, raw->chain_nr, &s->max_chain, sizeof(*s->chain)) ||
	    room(&s->lbr, 2 * raw->branches_nr, &s->max_lbr, sizeof(*s->lbr)))
		return -1;
	out->comm = maps_comm(s->maps, raw->pid, raw->tid);
	kernel = is_kernel_address(raw->ip);
	out->ip = spot(s, raw->pid, raw->ip, kernel);
	take_chain(s, raw->pid, out, &nr_user);
	take_registers(s, raw->pid, out);
	/* An event without call chains, or one whose chain begins elsewhere: the
	 * sampled address is the leaf. */
	if (!out->nr_frames) {
		add_frame(s, out, out->ip);
		if (kernel) {
			s->kernel[stack->nr_kernel++] = out->ip.place;
		} else {
			stack->leaf = out->ip.place;
			stack->leaf_known = stack->has_user = true;
		}
	}
	if (has_lbr_stack(out->event))
		take_lbr(s, raw->pid, out);
	else if (has_history(out->event, &jumps) &&
		 take_history(s, raw->pid, jumps, out))
		return -1;
	if (take_stack(s, out))
		return -1;
	stack->kernel = s->kernel;
	stack->lbr = s->lbr;
	stack->chain = s->chain;
	stack->nr_chain = nr_user;
	stack->depth = samples_depth(s);
	out->frames = s->frames;
	return 0;
}

/* Where they went, and of their flags those that have a part in what comes of it. */
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

int samples_words(struct samples *s, const struct samples_sample *sample,
		  const uint64_t **words, size_t *nr)
{
	const struct perfdata_sample *raw = &sample->raw;
	struct maps_state state = maps_state(s->maps, raw->pid, raw->tid);
	size_t nr_events, event;
	bool jumps, history = has_history(sample->event, &jumps);
	uint64_t *word;

	*nr = 0;
	if (raw->regs)
		return 0;
	if (room(&s->words, 4 + raw->chain_nr + 3 * raw->branches_nr,
		 &s->max_words, sizeof(*word)))
		return -1;
	event = sample->event - perfdata_events(s->file, &nr_events);
	word = s->words;
	*word++ = (uint64_t)raw->tid << 32 | event;
	*word++ = (uint64_t)state.process << 32 | state.thread;
	*word++ = raw->ip;
	*word++ = raw->chain_nr;
	if (raw->chain_nr)
		memcpy(word, raw->chain, raw->chain_nr * sizeof(*word));
	word = branch_words(raw, history, word + raw->chain_nr);
	*words = s->words;
	*nr = word - s->words;
	return 0;
}

static bool is_left_out(const struct samples *s, const struct perfdata_record *r)
{
	size_t nr;

	return r->event && !samples_selected(s, r->event -
					     perfdata_events(s->file, &nr));
}

/* Layouts of LOST (id, lost) and LOST_SAMPLES (lost): uapi/linux/perf_event.h. */
static void take_loss(struct samples *s, const struct perfdata_record *r)
{
	size_t at = r->type == PERF_RECORD_LOST ? 16 : 8;
	uint64_t *sum = r->type == PERF_RECORD_LOST ? &s->losses.records :
						      &s->losses.samples;

	if (r->type == PERF_RECORD_LOST_SAMPLES && is_left_out(s, r))
		return;

	if (r->body_size >= at + 8)
		*sum += perfdata_u64(r->data + at);
}

/* A mark that is none, in somebody else's event of that name, says nothing. */
static void take_mark(struct samples *s, const struct perfdata_sample *raw)
{
	struct ring_budget mark;
	char text[BUDGET_MARK];

	if (!raw->raw || !raw->raw_size)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)raw->raw_size,
		 (const char *)raw->raw);
	if (budget_parse(text, &mark))
		budget_add(&s->budget, &mark, raw->cpu);
}

/* The clock of those who say when something was, besides the kernel: `perf record -k mono`. */
static bool is_monotonic(const struct perfdata_event *event)
{
	return event->attr.use_clockid && event->attr.clockid == CLOCK_MONOTONIC;
}

int samples_take(struct samples *s, struct samples_sample *sample)
{
	struct perfdata_record r;
	bool left_out;
	int ret;

	while ((ret = perfdata_next(s->file, &r)) > 0) {
		if (r.type == PERF_RECORD_SAMPLE) {
			if (is_budget(r.event))
				take_mark(s, &r.sample);
			left_out = is_left_out(s, &r);
			if (left_out && !(s->with_offcpu && samples_are_offcpu(r.event)))
				continue;
			memset(sample, 0, sizeof(*sample));
			sample->left_out = left_out;
			sample->event = r.event;
			sample->raw = r.sample;
			sample->has_chain = r.sample.chain != NULL;
			if (r.sample.has_time && is_monotonic(r.event))
				maps_until(s->maps, r.sample.pid, r.sample.time);
			return 1;
		}
		if (r.type == PERF_RECORD_LOST ||
		    r.type == PERF_RECORD_LOST_SAMPLES)
			take_loss(s, &r);
		if (r.type == PERF_RECORD_CGROUP && cgroups_record(&s->cgroups, &r))
			return err_errno("reading a cgroup's name");
		if (maps_record(s->maps, &r))
			return -1;
	}
	return ret;
}

int samples_next(struct samples *s, struct samples_sample *sample)
{
	int ret = samples_take(s, sample);

	return ret > 0 && samples_place(s, sample) ? -1 : ret;
}

int samples_none(const struct samples *s, const char *path)
{
	char others[256] = "";
	size_t nr, at = 0;
	const struct perfdata_event *events = samples_events(s, &nr);

	for (size_t i = 0; i < nr && at < sizeof(others); i++)
		if (!samples_selected(s, i) && !is_dummy(&events[i]) && !is_budget(&events[i]))
			at += snprintf(others + at, sizeof(others) - at, "%s%s", at ? ", " : "",
				       events[i].name);
	if (at)
		return err_fail("%s: no samples; other events there, for -e: %s", path, others);
	return err_fail("%s: no samples; was the program running, and long enough for one period?",
			path);
}

int samples_none_chosen(const char *path, uint64_t nr)
{
	return err_fail("%s: none of the %llu samples is meant by the options that choose some",
			path, (unsigned long long)nr);
}

const struct perfdata_info *samples_info(const struct samples *s)
{
	return perfdata_info(s->file);
}

const struct perfdata_event *samples_events(const struct samples *s, size_t *nr)
{
	return perfdata_events(s->file, nr);
}

const struct budget *samples_budget(const struct samples *s)
{
	return &s->budget;
}

bool samples_follow_tasks(const struct samples *s)
{
	const struct perfdata_event *events;
	size_t nr;

	events = perfdata_events(s->file, &nr);
	for (size_t i = 0; i < nr; i++)
		if (events[i].attr.mmap || events[i].attr.mmap2)
			return true;
	return false;
}

struct samples_losses samples_losses(const struct samples *s)
{
	return s->losses;
}

struct maps *samples_maps(struct samples *s)
{
	return s->maps;
}

struct stacks_code samples_code(struct samples *s)
{
	return code_answers(s->code);
}

const char *samples_cgroup(const struct samples *s, uint64_t id)
{
	return cgroups_path(&s->cgroups, id);
}

size_t samples_depth(const struct samples *s)
{
	static const size_t sizes[] = { 8, 16, 32, 64 };
	size_t said = perfdata_info(s->file)->lbr_depth;

	if (said)
		return said;
	for (size_t i = 0; s->fullest && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (s->fullest <= sizes[i])
			return sizes[i];
	return s->fullest;
}
