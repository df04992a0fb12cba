/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts that lbrctl records of a sample as words in its raw data, because perf has no field
 * for them. Blanks separate the words; a sample may have other words, too (record/encode.h).
 *
 *   "depth=N"	bytes, in decimal, from the user stack pointer up to the one that the
 *		thread began with
 *   "depth-unknown" the same, if that one is not known: the thread ran already when the
 *		recording began
 *   "end=WORD"	the user part of the call chain was unwound from the user stack while it
 *		was recorded, and why the unwinding ended there: "entry", "window",
 *		"rules", "nowhere", "limit", "absent" (enum stacks_end)
 *   "crowded"	the recorder's buffer had no room for the user stack
 *   "fp=INDEX"	the frames of that chain from this one on (0: the leaf) rest on a frame
 *		pointer (stacks_sample.pointed)
 */
#ifndef LBRCTL_STACKS_MARKS_H
#define LBRCTL_STACKS_MARKS_H

#include "perfdata/read.h"
#include "stacks/build.h"

struct marks {
	bool has_depth;
	int64_t depth;			/* STACKS_NO_DEPTH: not known */
	bool crowded;
	enum stacks_end end;		/* STACKS_END_NONE: the word is absent */
	size_t pointed;			/* 0: the word is absent */
};

/* Reads the words. Raw data that is no text, or has other words, has no marks. */
struct marks marks_read(const struct perfdata_sample *raw);

/* Returns the word behind "end=", a constant. NULL for STACKS_END_NONE. */
const char *marks_end(enum stacks_end end);

#endif
