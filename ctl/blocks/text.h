/* SPDX-License-Identifier: GPL-2.0 */
/* The runs and blocks of a capture, for people and for scripts. */
#ifndef LBRCTL_BLOCKS_TEXT_H
#define LBRCTL_BLOCKS_TEXT_H

#include <stdio.h>

#include "blocks/capture.h"

/* Prints that the newest entries are left out, if they are. */
void blocks_print_newest(const struct runs *runs, FILE *out);

/* The runs of one function: nr of them from the first one on, in the order of runs_finish(). */
struct blocks_span {
	const struct runs_run *first;
	size_t nr;
	const struct symbols_function *function;
};

/* Finds the next function of this name, from run i on. Returns false at the end. */
bool blocks_find(const struct blocks_capture *capture, const char *name, size_t i,
		 struct blocks_span *span);

/* Disassembles a function. Returns 0, or -1 with a message; call blocks_function_free() in both
 * cases. */
int blocks_disassemble(const struct blocks_capture *capture,
		       const struct blocks_span *span, struct blocks_function *function);

/* Checks, before output begins, that functions of this name ran and can be disassembled.
 * Returns 0, or -1 with a message. */
int blocks_check_function(const struct blocks_capture *capture, const char *name);

/* Return 0, or -1 with a message. function: its name, as in symbols.h. */
int blocks_print(struct blocks_capture *capture);
int blocks_print_function(struct blocks_capture *capture, const char *function);
int blocks_json(struct blocks_capture *capture);
int blocks_json_function(struct blocks_capture *capture, const char *function);

#endif
