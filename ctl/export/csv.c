// SPDX-License-Identifier: GPL-2.0
/* A table of stacks (RFC 4180), with a header; frames are separated by semicolons. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "export/format.h"

struct csv {
	const struct analysis *analysis;
	FILE *out;
};

/* Prints a text for each frame, as one value. Returns 0, or -1 when memory is short. */
static int csv_frames(const struct csv *csv, const struct out_stack *stack,
		      const char *(*text_of)(const struct profile_entry *entry))
{
	const struct profile *p = csv->analysis->profile;
	size_t size;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return -1;
	for (size_t i = 0; i < stack->nr; i++) {
		if (i)
			fputc(';', memory);
		text_put_line(memory, text_of(&p->entries[p->nodes[stack->frames[i]].entry]), ';');
	}
	if (fclose(memory)) {
		free(text);
		return -1;
	}
	text_put_csv(csv->out, text);
	free(text);
	return 0;
}

static const char *name_of(const struct profile_entry *entry)
{
	return entry->name;
}

static const char *source_of(const struct profile_entry *entry)
{
	return profile_source_name(entry->source);
}

static int csv_stack(void *ctx, const struct profile_stack *whole)
{
	const struct csv *csv = ctx;
	struct out_stack stack;

	out_split(csv->analysis->profile, whole, &stack);
	text_put_csv(csv->out, csv->analysis->event);
	fputc(',', csv->out);
	text_put_csv(csv->out, stack.thread);
	fprintf(csv->out, ",%s,%" PRIu64 ",%" PRIu64 ",", stack.verdict,
		whole->samples, whole->period);
	if (csv_frames(csv, &stack, name_of))
		return -1;
	fputc(',', csv->out);
	text_put_csv(csv->out, stack.reason);
	fputc(',', csv->out);
	if (csv_frames(csv, &stack, source_of))
		return -1;
	fputc(',', csv->out);
	text_put_csv(csv->out, stack.process);
	fputs("\r\n", csv->out);
	return 0;
}

static int csv_write(const struct analysis *first, FILE *out)
{
	fprintf(out, "event,thread,verdict,samples,%s,stack,reason,sources,process\r\n",
		first->offcpu ? "nanoseconds" : "events");
	for (const struct analysis *a = first; a; a = a->next)
		if (profile_walk(a->profile, 0, csv_stack, &(struct csv){ a, out }))
			return -1;
	return 0;
}

const struct out_format out_csv = {
	.name = "csv", .description = "a table of stacks", .sources = true, .write = csv_write,
};
