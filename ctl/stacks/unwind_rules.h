/* SPDX-License-Identifier: GPL-2.0 */
/* Unwinding rules of each place of code, looked up once in the call frame information. */
#ifndef LBRCTL_STACKS_UNWIND_RULES_H
#define LBRCTL_STACKS_UNWIND_RULES_H

#include "base/hash.h"
#include "object/cfi.h"
#include "stacks/maps.h"
#include "stacks/unwind_code.h"

#define UNWIND_SAVED_MAX	8
/* Maximum number of cached places; when full, the cache is emptied. */
#define UNWIND_RULES_MAX	(1U << 18)

/* The rules that compilers write: the CFA is a register + n, and each register is
 * unchanged, lost, or in memory relative to the CFA. */
struct unwind_usual {
	uint32_t same;			/* bit by register */
	int32_t cfa;
	uint8_t cfa_register;
	uint8_t nr_saved;
	uint8_t saved[UNWIND_SAVED_MAX];	/* the last one is the return address */
	int32_t at[UNWIND_SAVED_MAX];
};

struct unwind_rules {
	struct place place;
	bool known, outermost, signal;
	bool leaving;			/* in the epilogue */
	bool bare;			/* code that has no unwinding information */
	bool begin;			/* a call that returns here was the first on its stack */
	bool judged;			/* bare, and of a file, whose bytes stay: the frame of the function, */
	enum unwind_code_frame frame[2];	/* [1]: if a call at the place led out of it */
	struct unwind_usual usual;
	struct object_cfi *others;	/* all other rules; NULL: see usual */
};

/* A cache by address, since code is called from the same places again and again. */
#define UNWIND_SEEN	4096

struct unwind_seen {
	uint64_t address;
	uint32_t state;			/* version of the mappings; 0: empty */
	uint32_t rules;			/* index in `rules` of the table */
};

/* Initialize with 0, except maps, which must outlive it. */
struct unwind_table {
	struct maps *maps;
	struct unwind_seen seen[UNWIND_SEEN];	/* slot: a hash of the address */
	struct unwind_rules *rules;
	size_t max_rules;
	struct hash index;
	struct unwind_rules spare;	/* the result when memory is short */
};

/* Whether all code of a file without rules is code without unwinding information. A file that
 * cannot be read may have it; Go's frames end where its own table ends. */
bool unwind_rules_is_bare(const struct maps_file *file);

/* Returns the rules for an address of process pid. `state`: its maps_state(). Valid until the
 * next call. */
const struct unwind_rules *unwind_rules_at(struct unwind_table *table, uint32_t pid,
					   uint32_t state, uint64_t address);

void unwind_table_free(struct unwind_table *table);

#endif
