/* SPDX-License-Identifier: GPL-2.0 */
/* kmod/unwind/ in user space. Free of the kernel's types, for the test's side. */
#ifndef WALK_H
#define WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers of user mode, by DWARF's numbers; the last is the instruction pointer. */
struct walk_registers {
	uint64_t value[17];
};

struct walk_range {
	uint64_t start, end, bias;
	uint32_t table;			/* number, or LBRSCOPE_UNWIND_NO_TABLE */
};

#define WALK_PART	(32 << 10)	/* bytes of a part of a table */

/* Reads a word of the walked task; false: it is not there. The test has it. */
bool walk_memory(uint64_t at, uint64_t *value);

/* Gives a table in parts of `part` bytes. Returns 0, or the negative errno of the refusal. */
int walk_table(uint32_t number, const void *table, size_t size, size_t part);
/* Forgets all tables. */
void walk_forget(void);

/* What the module says of these ranges: 0, or a negative errno. They hold from then on. */
int walk_ranges(const struct walk_range *ranges, size_t nr);

/* The time that passes between two looks at the clock. */
extern uint64_t walk_look_ns;

/* Walks. Returns what the module would put into the ring: struct lbrscope_user_chain, and the words
 * behind it. */
const void *walk(const struct walk_registers *registers, uint64_t base);

#endif
