/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of one thread of a Firefox profile: strings, functions, frames, stacks. */
#ifndef LBRCTL_EXPORT_FIREFOX_TABLES_H
#define LBRCTL_EXPORT_FIREFOX_TABLES_H

#include "base/json.h"
#include "export/locations.h"
#include "export/strings.h"

/* The numbers of meta.categories. */
enum firefox_category { FIREFOX_OTHER, FIREFOX_USER, FIREFOX_KERNEL };

#define FIREFOX_NONE	(-1LL)		/* null in a column */

struct firefox_func {
	uint64_t key;			/* number of the function; of a mark: above all of them */
	size_t name;			/* strings */
	int64_t file, resource;
};

struct firefox_frame {
	uint64_t key;			/* location, or the func of a mark */
	uint32_t depth;			/* of inlined functions */
	size_t func;
	int64_t address, line;
	enum firefox_category category;
};

struct firefox_stack {
	int64_t prefix;			/* the caller's stack */
	size_t frame;
};

struct firefox_tables {
	const struct analysis *analysis;
	struct locations *locations;
	const int64_t *libs;		/* by file: its number in libs */
	struct strings strings;
	struct firefox_func *funcs;
	struct firefox_frame *frames;
	struct firefox_stack *stacks;
	uint32_t *resources;		/* files that the funcs are in */
	size_t max_funcs, max_frames, max_stacks, nr_resources, max_resources;
	struct hash func_index, frame_index, stack_index;
};

/* Empties the tables, for the next thread. */
void firefox_tables_begin(struct firefox_tables *tables);
void firefox_tables_free(struct firefox_tables *tables);

/* Returns the stack of a trace, FIREFOX_NONE for one without frames; -2 when memory is short. */
int64_t firefox_tables_stack(struct firefox_tables *tables, const struct analysis *analysis,
			     const struct trace *trace);

/* Writes the tables as elements of the thread's object. */
void firefox_tables_put(struct firefox_tables *tables, struct json *json);

#endif
