/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of functions with the samples of a capture. */
#ifndef LBRCTL_ANNOTATE_ANNOTATE_H
#define LBRCTL_ANNOTATE_ANNOTATE_H

#include "annotate/hits.h"
#include "annotate/loops.h"
#include "annotate/source.h"
#include "blocks/capture.h"

struct annotate {
	struct blocks_capture blocks;	/* its runs: of captures with branch records */
	bool branches;			/* these have been recorded */
	struct hits hits;
	struct sources *sources;
	char *event;			/* name of the event that had samples */
	uint64_t nr_read;		/* samples of the event, before the filter */
};

/* The request. Its pointers must outlive the annotate. */
struct annotate_query {
	const char *input, *event;
	struct filter *filter;
	const struct symbols_options *names;
	enum blocks_syntax syntax;
};

/* Reads the capture. 0, or -1 with a message; annotate_free() is for both. */
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
	const struct hits_function *skipped;	/* the heaviest one whose code is not here, if it
						 * is heavier than these; or NULL */
};

/* Disassembles all functions with this name; NULL: the heaviest one whose code is here. 0, or -1
 * with a message if there is none; annotate_list_free() is for both. */
int annotate_functions(const struct annotate *annotate, const char *name,
		       struct annotate_list *list);
void annotate_list_free(struct annotate_list *list);

/* The samples of instruction i. */
struct hits_place annotate_samples(const struct annotate_function *function, size_t i);

/* The source line of instruction i and the function that it is inlined from: the innermost frame;
 * its file is NULL if it is not known. *inlined: whether it is. */
const struct symbols_frame *annotate_frame(const struct annotate *annotate,
					   const struct annotate_function *function, size_t i,
					   bool *inlined);

/* The function to which instruction i jumps or calls, if that is another one or its start, and
 * the offset in it; NULL: it is no such jump. */
const struct symbols_function *annotate_target(const struct annotate *annotate,
					       const struct annotate_function *function,
					       size_t i, uint64_t *offset);

/* The number of instructions of the block that begins with i. */
size_t annotate_block(const struct annotate_function *function, size_t i);

/* Why a function cannot be shown. */
const char *annotate_no_code(const struct annotate *annotate,
			     const struct hits_function *function);

/* Print the functions. 0, or -1 with a message. width: columns of the text, where they can be
 * kept. */
int annotate_print(const struct annotate *annotate, const struct annotate_list *list,
		   size_t width);
int annotate_json(const struct annotate *annotate, const struct annotate_list *list);

#endif
