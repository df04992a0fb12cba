// SPDX-License-Identifier: GPL-2.0
/* Encodes samples of the ring as records of perf.data. */
#include <asm/perf_regs.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pmu/branches.h"
#include "record/encode.h"
#include "record/sideband.h"
#include "stacks/build.h"

#define ENCODE_REGS_CS	10
#define ENCODE_ENDBR64	4	/* bytes */
#define ENCODE_USER_CS	0x33	/* of 64-bit code: __USER_CS of the kernel */

uint64_t encode_id(const struct encode_format *format, uint64_t id, uint32_t cpu)
{
	return format->per_cpu ? id + cpu : id;
}

static uint64_t encode_pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static unsigned int encode_nr_branches(const struct ring_sample *s)
{
	return s->from ? s->nr : 0;
}

static uint64_t encode_to(const struct ring_sample *s, unsigned int i)
{
	return s->to ? s->to[i] : i ? 0 : ring_sample_user_ip(s);
}

static uint64_t *encode_kernel_chain(const struct ring_sample *s, uint64_t *at)
{
	*at++ = PERF_CONTEXT_KERNEL;
	*at++ = s->ip;
	if (s->nr_chain)
		memcpy(at, s->chain, s->nr_chain * sizeof(*at));
	return at + s->nr_chain;
}

/*
 * Writes the user's part of a chain. If perf finds the mark of user mode in a sample of an
 * event with call stacks, it takes the leaf from the first branch entry, even of an empty list,
 * and the callers from the others (resolve_lbr_callchain_sample() in
 * tools/perf/util/machine.c). perf takes a chain without any mark for user mode, and uses all
 * of it.
 */
static uint64_t *encode_user_chain(const struct encode_format *format,
				   const struct ring_sample *s,
				   const struct encode_callers *callers, uint64_t *at)
{
	bool user = s->flags & LBRSCOPE_SAMPLE_USER;

	if (callers->nr) {
		if (!user || !format->call_stack)
			*at++ = PERF_CONTEXT_USER;
		memcpy(at, callers->addresses, callers->nr * sizeof(*at));
		return at + callers->nr;
	}
	if (user ? encode_nr_branches(s) : s->has_user_ip)
		*at++ = PERF_CONTEXT_USER;
	if (user || s->has_user_ip)
		*at++ = user ? s->ip : s->user_ip;
	return at;
}

/* Writes the call chain: each mode's interrupted IP after its mark. The user's callers are
 * those that were unwound; else they are in the branch stack, as in perf's own LBR captures. If
 * only the stack window has the user's callers, the reader unwinds them, as with perf's
 * captures of that kind. */
static uint64_t *encode_chain(const struct encode_format *format,
			      const struct ring_sample *s,
			      const struct encode_callers *callers, uint64_t *at)
{
	uint64_t *nr = at++;

	if (!(s->flags & LBRSCOPE_SAMPLE_USER))
		at = encode_kernel_chain(s, at);
	if (!encode_unwound(format))
		at = encode_user_chain(format, s, callers, at);
	*nr = at - nr - 1;
	return at;
}

/* struct read_format of <linux/perf_event.h>. */
static uint64_t *encode_group(const struct encode_format *format,
			      const struct ring_sample *s, uint32_t cpu,
			      uint64_t *at)
{
	unsigned int i;

	*at++ = format->nr_members;
	for (i = 0; i < format->nr_members; i++) {
		*at++ = i < s->nr_group ? s->group[i] : 0;
		*at++ = encode_id(format, format->members[i], cpu);
	}
	return at;
}

/* Returns the first branch of interest. With kernel branches, the record of a kprobe has those
 * from the function to the module; the function begins up to an ENDBR64 before the probe. If a
 * branch of a kind that is not recorded entered the function, nothing shows where they begin. */
static unsigned int encode_first_branch(const struct encode_format *format,
					const struct ring_sample *s)
{
	unsigned int i, nr = encode_nr_branches(s);
	struct perf_branch_entry entry;

	if (!format->trigger || format->trigger->kind != LBRSCOPE_TRIGGER_KPROBE)
		return 0;
	for (i = 0; i < nr; i++)
		if (branches_entry(format->lbr_format, s->from[i], encode_to(s, i), 0,
				   &entry) &&
		    (entry.to == s->ip || entry.to == s->ip - ENCODE_ENDBR64))
			return i;
	return 0;
}

#define ENCODE_ENTRY	(sizeof(struct perf_branch_entry) / sizeof(uint64_t))

/* Calls have no flags. */
static void encode_call(uint64_t from, uint64_t to, uint64_t *at)
{
	at[0] = from;
	at[1] = to;
	at[2] = 0;
}

/* Takes calls up to the first invalid one: those further out have no connection without it.
 * Returns their number. */
static unsigned int encode_read_calls(const struct encode_format *format,
				      const struct ring_sample *s, uint64_t *at)
{
	unsigned int i, nr = encode_nr_branches(s);
	struct perf_branch_entry entry;

	for (i = 0; i < nr; i++, at += ENCODE_ENTRY) {
		if (!branches_entry(format->lbr_format, s->from[i], encode_to(s, i), 0, &entry))
			break;
		encode_call(entry.from, entry.to, at);
	}
	return i;
}

/* The same if the words are the addresses, which covers most samples. */
static unsigned int encode_copy_calls(const uint64_t *from, const uint64_t *to,
				      unsigned int nr, uint64_t *at)
{
	unsigned int i;

	for (i = 0; i < nr && (from[i] | to[i]); i++, at += ENCODE_ENTRY)
		encode_call(from[i], to[i], at);
	return i;
}

static uint64_t *encode_calls(const struct encode_format *format,
			      const struct ring_sample *s, uint64_t *at)
{
	uint64_t nr = s->to && branches_are_addresses(format->lbr_format) ?
		      encode_copy_calls(s->from, s->to, encode_nr_branches(s), at + 1) :
		      encode_read_calls(format, s, at + 1);

	*at = nr;
	return at + 1 + nr * ENCODE_ENTRY;
}

static uint64_t *encode_branches(const struct encode_format *format,
				 const struct ring_sample *s, uint64_t *at)
{
	unsigned int i, nr = encode_nr_branches(s);
	struct perf_branch_entry entry;
	uint64_t *count = at++;

	*count = 0;
	for (i = encode_first_branch(format, s); i < nr; i++) {
		if (!branches_entry(format->lbr_format, s->from[i], encode_to(s, i),
				    s->info ? s->info[i] : 0, &entry))
			continue;
		memcpy(at, &entry, sizeof(entry));
		at += ENCODE_ENTRY;
		++*count;
	}
	return at;
}

bool encode_is_64bit(const struct ring_sample *s)
{
	return s->user_regs[ENCODE_REGS_CS] == ENCODE_USER_CS;
}

/* Writes the registers, and the stack from their sp on. An empty window has no word for the
 * number of its valid bytes (PERF_SAMPLE_STACK_USER in <linux/perf_event.h>). */
static uint64_t *encode_user(const struct ring_sample *s, uint64_t *at)
{
	if (!s->user_regs) {
		*at++ = PERF_SAMPLE_REGS_ABI_NONE;
		*at++ = 0;
		return at;
	}
	*at++ = encode_is_64bit(s) ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
	memcpy(at, s->user_regs, LBRSCOPE_USER_REGS_NR * sizeof(*at));
	at += LBRSCOPE_USER_REGS_NR;
	*at++ = s->user_stack_size;
	if (!s->user_stack_size)
		return at;
	memcpy(at, s->user_stack, s->user_stack_size);
	at += s->user_stack_size / sizeof(*at);
	*at++ = s->user_stack_size;
	return at;
}

/* Writes raw data: u32 size, then the words, and the text, padded to a multiple of 8 together. */
static uint64_t *encode_raw(const uint64_t *words, size_t nr, const char *text, uint64_t *at)
{
	size_t before = nr * sizeof(*words), len = strlen(text);
	uint32_t size = (sizeof(size) + before + len + 8) / 8 * 8 - sizeof(size);
	char *bytes = (char *)at + sizeof(size);

	at[(sizeof(size) + size) / sizeof(*at) - 1] = 0;
	memcpy(at, &size, sizeof(size));
	if (nr)
		memcpy(bytes, words, before);
	memcpy(bytes + before, text, len);
	memset(bytes + before + len, 0, size - before - len);
	return at + (sizeof(size) + size) / sizeof(*at);
}

static uint64_t *encode_text(const char *text, uint64_t *at)
{
	return encode_raw(NULL, 0, text, at);
}

/* Words of the call chain that are repeated in raw data: the longest chains fill half of a record. */
#define ENCODE_RAW_CHAIN	2000

/* Size of the buffer for a text in raw data. */
#define ENCODE_TEXT	80

/* Writes the number, in decimal. */
static void encode_number(int64_t number, char *text)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;

	*--at = '\0';
	do {
		*--at = '0' + left % 10;
	} while (left /= 10);
	if (number < 0)
		*--at = '-';
	memcpy(text, at, digits + sizeof(digits) - at);
}

/* Appends the depth of the user stack to a text of ENCODE_TEXT bytes: stacks/marks.h. */
static void encode_depth(const struct ring_sample *s, char *text)
{
	if (!s->has_depth)
		return;
	if (*text) {
		text += strlen(text);
		*text++ = ' ';
	}
	if (s->depth > STACKS_NO_DEPTH)
		encode_number(s->depth, stpcpy(text, "depth="));
	else
		strcpy(text, "depth-unknown");
}

static void encode_end(const struct encode_callers *callers, char *text)
{
	if (!callers->nr)
		return;
	if (*text)
		strcat(text, " ");
	strcat(strcat(text, "end="), callers->end);
	if (callers->pointed)
		sprintf(text + strlen(text), " fp=%zu", callers->pointed);
}

/* The ring had no room for the stack that the callers would have come from. */
static void encode_crowded(const struct ring_sample *s, char *text)
{
	if (s->flags & LBRSCOPE_SAMPLE_CROWDED)
		strcat(text, *text ? " crowded" : "crowded");
}

/* A sample of a virtual CPU: the registers of the guest are not known. */
static uint16_t encode_mode(const struct ring_sample *s)
{
	if (s->flags & LBRSCOPE_SAMPLE_GUEST)
		return PERF_RECORD_MISC_GUEST_KERNEL;
	return s->flags & LBRSCOPE_SAMPLE_USER ? PERF_RECORD_MISC_USER :
						 PERF_RECORD_MISC_KERNEL;
}

/* text: a buffer of ENCODE_TEXT bytes. */
static size_t encode_sampled(const struct encode_format *format,
			     const struct ring_sample *s,
			     const struct encode_callers *callers, char *text,
			     uint32_t cpu, void *out)
{
	static const struct encode_callers none;

	struct perf_event_header *header = out;
	uint64_t *at = (uint64_t *)(header + 1);

	if (!callers)
		callers = &none;
	*at++ = encode_id(format, format->id, cpu);
	*at++ = s->ip;
	*at++ = encode_pair(s->pid, s->tid);
	*at++ = s->time;
	*at++ = encode_pair(cpu, 0);
	*at++ = s->period ? s->period : format->period;
	if (format->nr_members)
		at = encode_group(format, s, cpu, at);
	if (format->call_stack || format->chain)
		at = encode_chain(format, s, callers, at);
	if (format->depth)
		encode_depth(s, text);
	encode_end(callers, text);
	if (format->unwind)
		encode_crowded(s, text);
	if (*text || format->depth || format->unwind)
		at = encode_text(text, at);
	if (format->call_stack)
		at = encode_calls(format, s, at);
	else if (format->history)
		at = encode_branches(format, s, at);
	if (format->user_stack)
		at = encode_user(s, at);
	if (format->cgroup)
		*at++ = s->cgroup;
	header->type = PERF_RECORD_SAMPLE;
	header->misc = encode_mode(s);
	header->size = (char *)at - (char *)out;
	return header->size;
}

size_t encode_sample(const struct encode_format *format,
		     const struct ring_sample *s,
		     const struct encode_callers *callers, uint32_t cpu, void *out)
{
	char text[ENCODE_TEXT];

	text[0] = '\0';
	return encode_sampled(format, s, callers, text, cpu, out);
}

size_t encode_trigger(const struct encode_format *format,
		      const struct ring_trigger *t,
		      const struct encode_callers *callers, uint32_t cpu, void *out)
{
	unsigned long long value = t->value;
	char text[ENCODE_TEXT] = "";

	if (format->trigger->kind == LBRSCOPE_TRIGGER_KRETPROBE)
		snprintf(text, sizeof(text), "returned=%#llx", value);
	else if (format->trigger->kind == LBRSCOPE_TRIGGER_EXIT)
		snprintf(text, sizeof(text), "status=%#llx", value);
	else if (format->trigger->kind == LBRSCOPE_TRIGGER_SIGNAL)
		snprintf(text, sizeof(text), "signal=%llu", value);
	return encode_sampled(format, &t->at, callers, text, cpu, out);
}

static uint64_t *encode_offcpu_chain(const struct ring_sample *s,
				     const struct encode_callers *callers, uint64_t *at)
{
	uint64_t *nr = at++;

	if (s->nr_chain) {
		*at++ = PERF_CONTEXT_KERNEL;
		memcpy(at, s->chain, s->nr_chain * sizeof(*at));
		at += s->nr_chain;
	}
	if (s->has_user_ip)
		*at++ = PERF_CONTEXT_USER;
	if (callers->nr) {
		memcpy(at, callers->addresses, callers->nr * sizeof(*at));
		at += callers->nr;
	} else if (s->has_user_ip) {
		*at++ = s->user_ip;
	}
	*nr = at - nr - 1;
	return at;
}

/* Writes the raw data of a time off the CPU (perfdata/own_events.h). chain: as encode_offcpu_chain() wrote it, up
 * to `at`. */
static uint64_t *encode_offcpu_raw(const struct encode_format *format,
				   const struct ring_offcpu *o,
				   const struct encode_callers *callers,
				   const uint64_t *chain, uint64_t *at)
{
	uint64_t words[5 + ENCODE_RAW_CHAIN], *word = words;
	size_t nr = *chain < ENCODE_RAW_CHAIN ? *chain : ENCODE_RAW_CHAIN;
	char text[ENCODE_TEXT] = "";

	*word++ = encode_pair(o->at.pid, o->at.tid);
	*word++ = o->off;
	*word++ = nr;
	word = mempcpy(word, chain + 1, nr * sizeof(*word));
	*word++ = 0;
	if (!nr)
		*word++ = 0;

	if (o->by_interrupt)
		snprintf(text, sizeof(text), "state=%c waker=interrupt",
			 o->state);
	else if (o->waker_tid)
		snprintf(text, sizeof(text), "state=%c waker=%u/%u", o->state,
			 o->waker_pid, o->waker_tid);
	else
		snprintf(text, sizeof(text), "state=%c", o->state);
	if (format->depth)
		encode_depth(&o->at, text);
	encode_end(callers, text);
	return encode_raw(words, word - words, text, at);
}

size_t encode_offcpu(const struct encode_format *format,
		     const struct ring_offcpu *o,
		     const struct encode_callers *callers, uint32_t cpu, void *out)
{
	static const struct encode_callers none;

	const struct ring_sample *s = &o->at;
	struct perf_event_header *header = out;
	uint64_t *at = (uint64_t *)(header + 1), *chain;

	if (!callers)
		callers = &none;
	*at++ = format->id;
	*at++ = s->nr_chain ? s->chain[0] : s->user_ip;
	*at++ = encode_pair(s->pid, s->tid);
	*at++ = s->time;
	*at++ = encode_pair(cpu, 0);
	*at++ = o->off;
	chain = at;
	at = encode_offcpu_chain(s, callers, at);
	at = encode_offcpu_raw(format, o, callers, chain, at);
	if (format->call_stack)
		at = encode_calls(format, s, at);
	header->type = PERF_RECORD_SAMPLE;
	header->misc = s->nr_chain ? PERF_RECORD_MISC_KERNEL :
				     PERF_RECORD_MISC_USER;
	header->size = (char *)at - (char *)out;
	return header->size;
}

size_t encode_budget(const struct encode_format *format,
		     const struct ring_budget *budget, uint32_t cpu, void *out)
{
	const struct ring_sample nobody = {
		.time = budget->time, .pid = -1, .tid = -1,
		.flags = LBRSCOPE_SAMPLE_USER,
	};
	const struct budget_record record = encode_budget_record(budget);
	char mark[ENCODE_TEXT];

	_Static_assert(sizeof(mark) >= BUDGET_MARK, "room for the mark");

	budget_mark(&record, mark);
	return encode_sampled(format, &nobody, NULL, mark, cpu, out);
}

size_t encode_lost(const struct encode_format *format, uint64_t lost,
		   uint64_t time, uint32_t cpu, void *out)
{
	struct {
		struct perf_event_header header;
		uint64_t lost;
		struct sideband_id id;
	} record = {
		.header = { .type = PERF_RECORD_LOST_SAMPLES,
			    .size = sizeof(record) },
		.lost = lost,
		.id = { .time = time, .cpu = cpu,
			.id = encode_id(format, format->id, cpu) },
	};

	memcpy(out, &record, sizeof(record));
	return sizeof(record);
}
