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

/* Returns the frames as one text; malloc'd, NULL when memory is short. */
static char *csv_frames(const struct profile *p, const struct out_stack *stack)
{
	size_t size;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return NULL;
	for (size_t i = 0; i < stack->nr; i++) {
		if (i)
			fputc(';', memory);
		text_put_line(memory, p->entries[p->nodes[stack->frames[i]].entry].name, ';');
	}
	if (fclose(memory)) {
		free(text);
		return NULL;
	}
	return text;
}

static int csv_stack(void *ctx, const struct profile_stack *whole)
{
	const struct csv *csv = ctx;
	struct out_stack stack;
	char *frames;

	out_split(csv->analysis->profile, whole, &stack);
	frames = csv_frames(csv->analysis->profile, &stack);
	if (!frames)
		return -1;
	text_put_csv(csv->out, csv->analysis->event);
	fputc(',', csv->out);
	text_put_csv(csv->out, stack.thread);
	fprintf(csv->out, ",%s,%" PRIu64 ",%" PRIu64 ",", stack.verdict,
		whole->samples, whole->period);
	text_put_csv(csv->out, frames);
	fputs("\r\n", csv->out);
	free(frames);
	return 0;
}

static int csv_write(const struct analysis *first, FILE *out)
{
	fprintf(out, "event,thread,verdict,samples,%s,stack\r\n",
		first->offcpu ? "nanoseconds" : "events");
	for (const struct analysis *a = first; a; a = a->next)
		if (profile_walk(a->profile, 0, csv_stack, &(struct csv){ a, out }))
			return -1;
	return 0;
}

const struct out_format out_csv = {
	.name = "csv", .description = "a table of stacks", .write = csv_write,
};
