// SPDX-License-Identifier: GPL-2.0
/* Prints the instructions of a function in basic blocks, with their cycles. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/search.h"
#include "blocks/disassemble.h"
#include "stacks/code_lines.h"

/* Maximum bytes of a function; real ones are far shorter. */
#define LONGEST_FUNCTION	(1U << 20)

struct blocks {
	enum insn_syntax syntax;
	struct code_lines lines;
};

struct blocks *blocks_new(enum insn_syntax syntax)
{
	struct blocks *b = calloc(1, sizeof(*b));

	if (b)
		b->syntax = syntax;
	else
		err_errno("disassembling");
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	code_lines_free(&b->lines);
	free(b);
}

unsigned int blocks_count(struct blocks *b, const struct object *object, uint64_t start,
			  uint64_t end)
{
	struct code_line line = code_lines_follow(&b->lines, object, start, end);

	if (line.reaches == STACKS_UNKNOWN)
		return UINT_MAX;
	return line.reaches == STACKS_YES && line.branches ? line.nr : 0;
}

static int instruction_compare(const void *key, const void *element)
{
	const uint64_t *address = key;
	const struct blocks_instruction *i = element;

	return *address < i->address ? -1 : *address > i->address;
}

struct blocks_instruction *blocks_instruction_at(const struct blocks_function *f,
						 uint64_t address)
{
	return f->nr ? bsearch(&address, f->list, f->nr, sizeof(*f->list),
			       instruction_compare) : NULL;
}

enum blocks_leads blocks_leads(const struct object *object, uint64_t from, uint64_t to)
{
	struct insn insn;
	uint64_t target;

	switch (insn_read(&insn, object, from)) {
	case INSN_UNREADABLE:
		return BLOCKS_LEADS;
	case INSN_NONE:
		return BLOCKS_NO_INSTRUCTION;
	case INSN_FOUND:
		break;
	}
	if (!insn_branches(&insn))
		return BLOCKS_NO_BRANCH;
	return !insn_target(&insn, &target) || target == to ? BLOCKS_LEADS : BLOCKS_ELSEWHERE;
}

static int instruction_add(const struct blocks *b, struct insn *insn,
			   struct blocks_function *f, size_t *max)
{
	struct blocks_instruction *i;

	if (room_for(&f->list, f->nr + 1, max, sizeof(*i)))
		return err_errno("disassembling");
	i = &f->list[f->nr++];
	*i = (struct blocks_instruction){
		.address = insn->addr, .size = insn->zydis.length,
		.branches = insn_branches(insn), .jumps = insn_is_jump(insn),
		.goes_on = insn->zydis.mnemonic == ZYDIS_MNEMONIC_CALL || !insn_ends_line(insn),
	};
	insn_target(insn, &i->target);
	insn_text(insn, b->syntax, i->text, sizeof(i->text));
	return 0;
}

static void lead(struct blocks_function *f, uint64_t address)
{
	struct blocks_instruction *i = blocks_instruction_at(f, address);

	if (i)
		i->leads = true;
}

static int disassemble(const struct blocks *b, struct object_range range,
		       const unsigned char *bytes, size_t size,
		       struct blocks_function *f)
{
	size_t max = 0, at = 0;
	struct insn insn;

	/* Bytes that are no instruction are data in the code. */
	while (at < size) {
		if (!insn_decode(&insn, bytes + at, size - at, range.start + at)) {
			at++;
			continue;
		}
		if (instruction_add(b, &insn, f, &max))
			return -1;
		at += insn.zydis.length;
	}
	lead(f, range.start);
	for (size_t i = 0; i < f->nr; i++)
		if (f->list[i].branches) {
			lead(f, f->list[i].address + f->list[i].size);
			lead(f, f->list[i].target);
		}
	return 0;
}

/* Returns the number of instructions before an address. */
static size_t before(const struct blocks_function *f, uint64_t address)
{
	return search_front(f->nr, i, f->list[i].address < address);
}

/* A run covers all blocks that begin in it. changes: of the executions, from one instruction to
 * the next, modulo 2^64. */
static int take_executions(struct blocks_function *f, size_t taken)
{
	uint64_t *changes = calloc(f->nr + 1, sizeof(*changes)), executions = 0;

	if (!changes)
		return err_errno("disassembling");
	for (size_t n = 0; n < taken; n++) {
		changes[before(f, f->runs[n]->start)] += f->runs[n]->executions;
		changes[before(f, f->runs[n]->end + 1)] -= f->runs[n]->executions;
	}
	for (size_t i = 0; i < f->nr; i++) {
		executions += changes[i];
		if (f->list[i].leads)
			f->list[i].executions = executions;
	}
	free(changes);
	return 0;
}

static int run_end_compare(const void *x, const void *y)
{
	const struct runs_run *const *a = x, *const *b = y;

	if ((*a)->end != (*b)->end)
		return (*a)->end < (*b)->end ? -1 : 1;
	return (*a)->start < (*b)->start ? -1 : (*a)->start > (*b)->start;
}

static int take_runs(struct blocks_function *f, uint32_t file, struct object_range range,
		     const struct runs *runs)
{
	struct blocks_instruction *i;
	size_t n, taken = 0;

	f->runs = calloc(runs->nr + 1, sizeof(*f->runs));
	if (!f->runs)
		return err_errno("disassembling");
	/* Runs may have begun in the function before. */
	for (n = 0; n < runs->nr; n++)
		if (runs->list[n].file == file && runs->list[n].instructions &&
		    runs->list[n].start < range.end && runs->list[n].end >= range.start)
			f->runs[taken++] = &runs->list[n];
	qsort(f->runs, taken, sizeof(*f->runs), run_end_compare);
	for (n = 0; n < taken; n++)
		lead(f, f->runs[n]->start);
	for (n = 0; n < taken; n++) {
		i = blocks_instruction_at(f, f->runs[n]->end);
		if (i && !i->nr_runs++)
			i->runs = &f->runs[n];
	}
	return take_executions(f, taken);
}

int blocks_function(struct blocks *b, const struct object *object, uint32_t file,
		    struct object_range range, const struct runs *runs,
		    struct blocks_function *f)
{
	unsigned char *bytes;
	size_t size = range.end - range.start;
	int err;

	*f = (struct blocks_function){ 0 };
	if (size > LONGEST_FUNCTION)
		return err_fail("a function of %zu bytes is too long to disassemble", size);
	bytes = malloc(size);
	if (!bytes)
		return err_errno("disassembling");
	size = object_read(object, range.start, bytes, size);
	err = disassemble(b, range, bytes, size, f);
	free(bytes);
	return err ? err : take_runs(f, file, range, runs);
}

void blocks_function_free(struct blocks_function *f)
{
	free(f->list);
	free(f->runs);
}
