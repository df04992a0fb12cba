// SPDX-License-Identifier: GPL-2.0
/* The layout of perf script in Linux 6.1 without options. */
#include <inttypes.h>
#include <string.h>

#include "script/lines.h"
#include "script/print.h"

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

static void print_head(const struct recorded_sample *s, int width)
{
	const struct perfdata_sample *raw = &s->raw;
	uint64_t type = s->event->attr.sample_type;
	char text[5 * (MOST_DIGITS + 4)], *at = text;

	if (s->raw.chain) {
		fputs_unlocked(s->comm, stdout);
		putchar_unlocked(' ');
	} else {
		printf("%16s ", s->comm);
	}
	if (type & PERF_SAMPLE_TID && (int)raw->tid < 0)
		at += sprintf(at, "%5d ", (int)raw->tid);
	else if (type & PERF_SAMPLE_TID)
		at = put_number(at, raw->tid, 5, ' ', " ");
	if (raw->has_cpu)
		at = put_number(stpcpy(at, "["), raw->cpu, 3, '0', "] ");
	if (raw->has_time) {
		at = put_number(at, raw->time / 1000000000, 5, ' ', ".");
		at = put_number(at, raw->time % 1000000000 / 1000, 6, '0', ": ");
	}
	at = put_number(at, raw->period, 10, ' ', " ");
	fwrite_unlocked(text, 1, at - text, stdout);
	for (int i = strlen(s->event->name); i < width; i++)
		putchar_unlocked(' ');
	fputs_unlocked(s->event->name, stdout);
	fputs_unlocked(": ", stdout);
}

static bool is_text(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

static void print_name(FILE *out, struct symbols *symbols, struct place place)
{
	const struct symbols_function *f =
		symbols_function(symbols, symbols_find(symbols, place));

	if (f->known)
		fprintf(out, " %s+0x%" PRIx64, f->name, place.addr - f->start);
	else
		fprintf(out, " [unknown]");
	fprintf(out, " (%s)\n", f->object);
}

/* Prints the function that has the code, behind its inlined functions, with the offset, as
 * perf does. */
void script_text_frame(FILE *out, struct symbols *symbols,
		       const struct script_frame *frame)
{
	const struct symbols_function *f;
	size_t nr;
	const struct symbols_frame *frames = symbols_frames(symbols, frame->within, &nr);
	uint64_t start = symbols_function(symbols, frames->function)->start;

	for (size_t i = nr; i-- > 1;) {
		f = symbols_function(symbols, frames[i].function);
		fprintf(out, "\t%16" PRIx64 " %s+0x%" PRIx64 " (inlined)\n",
			frame->offset, f->name, frame->place.addr - start);
	}
	fprintf(out, "\t%16" PRIx64, frame->offset);
	print_name(out, symbols, frame->place);
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

int script_text(const struct script *script, const struct recorded_sample *s)
{
	print_head(s, script->event_width);
	if (script->is_chain && script->nr_frames)
		putchar('\n');
	for (size_t i = 0; i < script->nr_frames && script->is_chain; i++)
		if (script_lines_print(script->lines, &script->frames[i]))
			return -1;
	if (script->is_chain) {
		fputs(script->nr_frames ? "\n" : "\n\n", stdout);
	} else {
		printf(" %16" PRIx64, s->ip.address);
		print_name(stdout, script->symbols, s->ip.place);
	}
	if (script_has_raw(s)) {
		print_raw(s->raw.raw, s->raw.raw_size);
		printf("\n");
	}
	return 0;
}
