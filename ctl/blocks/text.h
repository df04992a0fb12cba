/* SPDX-License-Identifier: GPL-2.0 */
/* The runs and blocks of a capture, for people and for scripts. */
#ifndef LBRCTL_BLOCKS_TEXT_H
#define LBRCTL_BLOCKS_TEXT_H

#include "blocks/disassemble.h"
#include "blocks/runs.h"
#include "profile/samples.h"
#include "profile/symbols.h"

struct blocks_capture {
	struct samples *samples;
	struct symbols *symbols;
	struct blocks *blocks;
	struct runs runs;		/* but for those that the code contradicts */
	uint64_t contradicted;		/* executions of these */
	double limit;			/* percent of what is printed */
	uint64_t executions, instructions, cycles;	/* of the runs, */
	uint64_t timed;			/* executions with cycles, */
	uint64_t unread;		/* and without instructions: no code is here */
};

/* The runs of one function: nr of them from the first on, with runs_finish()'s order. */
struct blocks_span {
	const struct runs_run *first;
	size_t nr;
	const struct symbols_function *function;
};

/* Finds the next function of this name, from run i on. Returns false if there is none. */
bool blocks_find(const struct blocks_capture *capture, const char *name, size_t i,
		 struct blocks_span *span);

/* Disassembles a function. Returns 0, or -1 with a message; call blocks_function_free() in both
 * cases. */
int blocks_disassemble(const struct blocks_capture *capture,
		       const struct blocks_span *span, struct blocks_function *function);

/* Whether functions of this name ran, and can be disassembled: to be asked before anything
 * is printed. 0, or -1 with a message. */
int blocks_check_function(const struct blocks_capture *capture, const char *name);

/* 0, or -1 with a message. Function: its name, as symbols.h has it. */
int blocks_print(struct blocks_capture *capture);
int blocks_print_function(struct blocks_capture *capture, const char *function);
int blocks_json(struct blocks_capture *capture);
int blocks_json_function(struct blocks_capture *capture, const char *function);

#endif
