/* SPDX-License-Identifier: GPL-2.0 */
/* The output of `lbrctl script` for a sample: one file for each form. */
#ifndef LBRCTL_SCRIPT_PRINT_H
#define LBRCTL_SCRIPT_PRINT_H

#include <stdio.h>

#include "profile/samples.h"
#include "profile/symbols.h"
#include "script/fields.h"

struct script_frame {
	uint64_t offset;	/* offset in the mapped file; without a file, the address */
	struct place place;
	struct place within;	/* place at which inlined functions are looked up */
	bool pointed;		/* rests on a frame pointer (stacks_frame.pointed) */
};

struct script_lines;
struct script_repeats;

struct script {
	struct samples *samples;
	struct symbols *symbols;
	struct script_lines *lines;	/* caches the text of frames, */
	struct script_repeats *repeats;	/* and of stacks */
	unsigned int fields;	/* enum script_field, of the text */
	int event_width;	/* width of the longest event name: perf pads to it */
	/* The printed sample's stack, if its text is known; else its frames, innermost first; without
	 * a call chain, the sampled address only. */
	const char *known;
	size_t known_size;
	struct script_frame *frames;
	size_t nr_frames;
	bool is_chain;
};

int script_event_width(const struct samples *samples);

/* Print a sample to stdout. Return 0, or -1 when memory is short. */
int script_text(const struct script *script, const struct recorded_sample *sample);
int script_json(const struct script *script, const struct recorded_sample *sample);

/* Writes the lines of a frame of a call chain as text. */
void script_text_frame(FILE *out, struct symbols *symbols, unsigned int fields,
		       const struct script_frame *frame);

/* Whether this is a sample of lbrctl's own events, with a text. */
static inline bool script_has_raw(const struct recorded_sample *s)
{
	return s->raw.raw && s->event->attr.type == PERF_TYPE_SOFTWARE &&
	       s->event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

#endif
