// SPDX-License-Identifier: GPL-2.0
/* The layout of perf script in Linux 6.1, without options or with -F. */
#include <inttypes.h>
#include <string.h>

#include "script/lines.h"
#include "script/print.h"
#include "script/repeats.h"

int script_event_width(const struct samples *samples)
{
	size_t nr, width = 0;
	const struct perfdata_event *events = samples_events(samples, &nr);

	for (size_t i = 0; i < nr; i++)
		if (strlen(events[i].name) > width)
			width = strlen(events[i].name);
	return width;
}

#define MOST_DIGITS	20	/* of 64 bits */

/* Writes the number with at least `width` digits, and the suffix. Returns the end. printf()
 * would take a fifth of the time of a sample. */
static char *put_number(char *at, uint64_t number, int width, char fill,
			const char *behind)
{
	char digits[MOST_DIGITS];
	int nr = 0;

	do
		digits[nr++] = '0' + number % 10;
	while (number /= 10);
	for (; width > nr; width--)
		*at++ = fill;
	while (nr)
		*at++ = digits[--nr];
	return stpcpy(at, behind);
}

static char *put_tasks(char *at, const struct recorded_sample *s, unsigned int fields)
{
	const struct perfdata_sample *raw = &s->raw;

	if (!(s->event->attr.sample_type & PERF_SAMPLE_TID))
		return at;
	if (fields & SCRIPT_PID && fields & SCRIPT_TID)
		return at + sprintf(at, "%5d/%-5d ", (int)raw->pid, (int)raw->tid);
	if (fields & SCRIPT_PID)
		return at + sprintf(at, "%5d ", (int)raw->pid);
	if (!(fields & SCRIPT_TID))
		return at;
	if ((int)raw->tid < 0)
		return at + sprintf(at, "%5d ", (int)raw->tid);
	return put_number(at, raw->tid, 5, ' ', " ");
}

static void print_event(const struct recorded_sample *s, int width)
{
	for (int i = strlen(s->event->name); i < width; i++)
		putchar_unlocked(' ');
	fputs_unlocked(s->event->name, stdout);
	fputs_unlocked(": ", stdout);
}

static void print_head(const struct recorded_sample *s, int width, unsigned int fields)
{
	const struct perfdata_sample *raw = &s->raw;
	char text[6 * (MOST_DIGITS + 4)], *at = text;

	if (fields & SCRIPT_COMM && fields & SCRIPT_IP && raw->chain) {
		fputs_unlocked(s->comm, stdout);
		putchar_unlocked(' ');
	} else if (fields & SCRIPT_COMM) {
		printf("%16s ", s->comm);
	}
	at = put_tasks(at, s, fields);
	if (fields & SCRIPT_CPU && raw->has_cpu)
		at = put_number(stpcpy(at, "["), raw->cpu, 3, '0', "] ");
	if (fields & SCRIPT_TIME && raw->has_time) {
		at = put_number(at, raw->time / 1000000000, 5, ' ', ".");
		at = put_number(at, raw->time % 1000000000 / 1000, 6, '0', ": ");
	}
	if (fields & SCRIPT_PERIOD)
		at = put_number(at, raw->period, 10, ' ', " ");
	fwrite_unlocked(text, 1, at - text, stdout);
	if (fields & SCRIPT_EVENT)
		print_event(s, width);
}

static bool is_text(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

/* A symbol, with the offset of an address in it. */
static void print_symbol(FILE *out, const char *name, uint64_t offset, unsigned int fields)
{
	if (!(fields & SCRIPT_SYM))
		return;
	fprintf(out, " %s", name);
	if (fields & SCRIPT_SYMOFF)
		fprintf(out, "+0x%" PRIx64, offset);
}

static void print_name(FILE *out, struct symbols *symbols, unsigned int fields,
		       struct place place)
{
	const struct symbols_function *f =
		symbols_function(symbols, symbols_find(symbols, place));

	if (f->known)
		print_symbol(out, f->name, place.addr - f->start, fields);
	else if (fields & SCRIPT_SYM)
		fputs(" [unknown]", out);
	if (fields & SCRIPT_DSO)
		fprintf(out, " (%s)", f->object);
}

/* Prints the function that has the code, behind its inlined functions, with the offset, as
 * perf does, with lbrctl's own mark at the end of the line. */
void script_text_frame(FILE *out, struct symbols *symbols, unsigned int fields,
		       const struct script_frame *frame)
{
	const struct symbols_function *f;
	size_t nr;
	const struct symbols_frame *frames = symbols_frames(symbols, frame->within, &nr);
	uint64_t start = symbols_function(symbols, frames->function)->start;
	const char *mark = frame->pointed ? " [by frame pointer]" : "";

	for (size_t i = nr; i-- > 1;) {
		f = symbols_function(symbols, frames[i].function);
		fprintf(out, "\t%16" PRIx64, frame->offset);
		print_symbol(out, f->name, frame->place.addr - start, fields);
		fprintf(out, "%s%s\n", fields & SCRIPT_SYM ? " (inlined)" : "", mark);
	}
	fprintf(out, "\t%16" PRIx64, frame->offset);
	print_name(out, symbols, fields, frame->place);
	fprintf(out, "%s\n", mark);
}

/* Prints eight bytes a line, as hexadecimal and as text; then the whole as text if it is text,
 * which perf decides by printable characters. */
static void print_raw(const unsigned char *raw, uint32_t size)
{
	uint32_t len = strnlen((const char *)raw, size), i = 0;

	for (uint32_t at = 0; at < size; at += 8) {
		printf("%17s %04x:", at ? "" : "BPF output:", at);
		for (i = at; i < at + 8; i++)
			printf(i < size ? " %02x" : "   ", i < size ? raw[i] : 0);
		printf("  ");
		for (i = at; i < at + 8; i++)
			putchar(i >= size ? ' ' : is_text(raw[i]) ? raw[i] : '.');
		putchar('\n');
	}
	for (i = 0; i < size; i++)
		if (i < len ? !is_text(raw[i]) : raw[i])
			break;
	if (len < size && i == size)
		printf("%17s \"%s\"\n", "BPF string:", raw);
}

/* The kinds of PERF_BR_*, with the names of perf; recorded by perf record -j save_type. */
static const char *const kinds[] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
	"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "",
};

static void print_branches(const struct perfdata_sample *raw)
{
	struct perf_branch_entry b;

	for (uint64_t i = 0; i < raw->branches_nr; i++) {
		memcpy(&b, raw->branches + i * sizeof(b), sizeof(b));
		printf(" 0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%d/%s ", (uint64_t)b.from,
		       (uint64_t)b.to, b.mispred ? 'M' : b.predicted ? 'P' : '-',
		       b.in_tx ? 'X' : '-', b.abort ? 'A' : '-', (int)b.cycles,
		       kinds[b.type]);
	}
}

static void print_line(const struct script *script, const char *line, size_t size)
{
	fwrite_unlocked(line, 1, size, stdout);
	script_repeats_add(script->repeats, line, size);
}

static int print_frames(const struct script *script, const struct recorded_sample *s)
{
	if (script->known) {
		fwrite_unlocked(script->known, 1, script->known_size, stdout);
		return 0;
	}
	if (!script->is_chain) {
		printf(" %16" PRIx64, s->ip.address);
		print_name(stdout, script->symbols, script->fields, s->ip.place);
		return 0;
	}
	print_line(script, "\n", 1);
	for (size_t i = 0; i < script->nr_frames; i++) {
		size_t size;
		const char *line = script_lines_of(script->lines, &script->frames[i], &size);

		if (!line)
			return -1;
		print_line(script, line, size);
	}
	script_repeats_end(script->repeats);
	return 0;
}

int script_text(const struct script *script, const struct recorded_sample *s)
{
	print_head(s, script->event_width, script->fields);
	if (script->fields & SCRIPT_IP && print_frames(script, s))
		return -1;
	if (script->fields & SCRIPT_BRSTACK)
		print_branches(&s->raw);
	putchar('\n');
	if (script_has_raw(s)) {
		print_raw(s->raw.text, s->raw.text_size);
		putchar('\n');
	}
	return 0;
}
