/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of functions with the samples of a capture. */
#ifndef LBRCTL_ANNOTATE_ANNOTATE_H
#define LBRCTL_ANNOTATE_ANNOTATE_H

#include <stdio.h>

#include "annotate/hits.h"
#include "annotate/loops.h"
#include "annotate/source.h"
#include "blocks/capture.h"
#include "profile/unnamed.h"

struct annotate {
	struct blocks_capture blocks;	/* its runs, if the capture has branch records */
	bool branches;			/* the capture has branch records */
	struct hits hits;
	struct unnamed unnamed;
	struct sources *sources;
	char *event;			/* name of the sampled event */
	uint64_t nr_read;		/* samples of the event, before the filter */
};

/* The request. Its pointers must outlive the annotate. */
struct annotate_query {
	const char *input, *event;
	struct filter *filter;
	const struct symbols_options *names;
	enum insn_syntax syntax;
};

/* Reads the capture. Returns 0, or -1 with a message; call annotate_free() in both cases. */
int annotate_read(struct annotate *annotate, const struct annotate_query *query);
void annotate_free(struct annotate *annotate);

/* One function, ready to print. */
struct annotate_function {
	const struct hits_function *hits;
	const struct symbols_function *function;
	uint32_t file;
	struct object_range range;
	struct blocks_function code;
	struct loops_mark *loops;	/* by instruction */
	bool loops_given_up;
};

/* The functions to print, the heaviest first. */
struct annotate_list {
	struct annotate_function *functions;
	size_t nr;
	const struct hits_function *skipped;	/* the heaviest function without available
						 * code, if it is heavier than these; or NULL */
};

/* Disassembles all functions with this name, or whose only one this is a part of: its last component
 * if there is one, else any part. NULL: the heaviest function with available code.
 * Returns 0, or -1 with a message if no function has it; annotate_list_free() in both cases. */
int annotate_functions(const struct annotate *annotate, const char *name,
		       struct annotate_list *list);
/* Disassembles the heaviest functions with available code, `most` of them; there may be none. Returns as
 * annotate_functions(). */
int annotate_heaviest(const struct annotate *annotate, size_t most, struct annotate_list *list);
void annotate_list_free(struct annotate_list *list);

/* Returns the samples of instruction i. */
struct hits_place annotate_samples(const struct annotate_function *function, size_t i);

/* Returns the source line of instruction i and the innermost function there; its file is NULL
 * if it is not known. *inlined: that function is inlined. */
const struct symbols_frame *annotate_frame(const struct annotate *annotate,
					   const struct annotate_function *function, size_t i,
					   bool *inlined);

/* Returns the target of instruction i if it jumps to or calls another function, or the start
 * of its own; *offset: the offset in that function. NULL for all other instructions. */
const struct symbols_function *annotate_target(const struct annotate *annotate,
					       const struct annotate_function *function,
					       size_t i, uint64_t *offset);

/* Returns the number of instructions of the block that begins with i. */
size_t annotate_block(const struct annotate_function *function, size_t i);

/* Returns the reason that a function cannot be shown. */
const char *annotate_no_code(const struct annotate *annotate,
			     const struct hits_function *function);

/* Print the functions. Return 0, or -1 with a message. width: columns of the text, as far as
 * it can be kept. */
int annotate_print(const struct annotate *annotate, const struct annotate_list *list,
		   size_t width, FILE *out);
int annotate_json(const struct annotate *annotate, const struct annotate_list *list);

#endif
