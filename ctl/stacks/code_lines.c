// SPDX-License-Identifier: GPL-2.0
/*
 * Each instruction has the next one of its line as its parent, so that lines are the paths of a
 * forest: lines that begin between the same two branches, at different instructions, end alike.
 * Whether a line reaches an instruction is whether that is an ancestor. Besides its parent, each
 * has one ancestor further away, which makes a search take the logarithm of the distance (Myers,
 * "An Applicative Random-Access Stack", 1983).
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "object/insn.h"
#include "stacks/code_lines.h"

/* Maximum bytes between two places of a line, bytes that are decoded at once, and instructions of
 * all lines. Real ones are far fewer. */
#define LONGEST_LINE		(1U << 16)
#define LONGEST_DECODED		(1U << 20)
#define MOST			(8U << 20)
#define NONE			UINT32_MAX

struct code_lines_insn {
	const struct object *object;
	uint64_t addr;
	uint32_t parent, jump;		/* indexes; its own at the end of a line */
	uint32_t height;		/* number of instructions to the end of the line, with it */
	bool branches;
	bool ends;			/* the last of its line, and the next byte is known */
};

/* The code at an address, and what of it was decoded. */
struct reader {
	const struct object *object;
	uint64_t addr;
	unsigned char bytes[4096];
	const unsigned char *code;
	size_t size;
	bool last;			/* nothing can be read behind these bytes */
};

static uint64_t line_hash(const struct object *o, uint64_t addr)
{
	return hash_add(hash_u64((uintptr_t)o), addr);
}

static uint32_t find(const struct code_lines *l, const struct object *o, uint64_t addr)
{
	hash_for_each(i, &l->index, line_hash(o, addr))
		if (l->list[i].addr == addr && l->list[i].object == o)
			return i;
	return NONE;
}

/* Reads on if the next instruction may be cut off. Returns false if there is no code. */
static bool reader_fill(struct reader *r)
{
	if (r->size >= INSN_LONGEST || r->last)
		return r->size;
	r->size = object_read(r->object, r->addr, r->bytes, sizeof(r->bytes));
	r->code = r->bytes;
	r->last = r->size < sizeof(r->bytes);
	return r->size;
}

static int add(struct code_lines *l, const struct code_lines_insn *insn)
{
	if (l->index.used == MOST)
		return -1;
	if (hash_reserve(&l->index) ||
	    room_for(&l->list, l->index.used + 1, &l->max, sizeof(*l->list))) {
		err_short_of_memory();
		return -1;
	}
	l->list[l->index.used] = *insn;
	hash_put(&l->index, line_hash(insn->object, insn->addr));
	return 0;
}

/* Gives the instructions from `first` on, which follow each other, their ancestors. next: what
 * the last of them continues with, or NONE. */
static void link_up(struct code_lines *l, uint32_t first, uint32_t next)
{
	for (uint32_t i = l->index.used; i-- > first; next = i) {
		struct code_lines_insn *insn = &l->list[i], *parent;

		if (next == NONE) {
			insn->parent = insn->jump = i;
			insn->height = 1;
			continue;
		}
		parent = &l->list[next];
		insn->parent = next;
		insn->height = parent->height + 1;
		insn->jump = parent->height - l->list[parent->jump].height ==
			     l->list[parent->jump].height -
				     l->list[l->list[parent->jump].jump].height ?
			     l->list[parent->jump].jump : next;
	}
}

/* Decodes the line of an address, up to its end or to an instruction that is known. Returns -1
 * when memory is short, or too much was decoded: its part up to there remains. */
static int decode(struct code_lines *l, const struct object *o, uint64_t addr)
{
	struct reader r = { .object = o, .addr = addr };
	uint32_t first = l->index.used, next = NONE;
	bool ends = false;
	struct insn insn;
	int err = 0;

	while (!err && !ends && r.addr - addr <= LONGEST_DECODED &&
	       (next = find(l, o, r.addr)) == NONE && reader_fill(&r)) {
		struct code_lines_insn new = { .object = o, .addr = r.addr };

		if (!insn_decode(&insn, r.code, r.size, r.addr)) {
			if (l->index.used > first)
				l->list[l->index.used - 1].ends = true;
			break;
		}
		r.code += insn.zydis.length;
		r.size -= insn.zydis.length;
		r.addr += insn.zydis.length;
		new.ends = ends = insn_ends_line(&insn);
		new.branches = insn_branches(&insn);
		err = add(l, &new);
	}
	link_up(l, first, next);
	return err;
}

/* Returns the ancestor of that height. */
static uint32_t climb(const struct code_lines *l, uint32_t i, uint32_t height)
{
	while (l->list[i].height > height)
		i = l->list[l->list[i].jump].height >= height ? l->list[i].jump :
								l->list[i].parent;
	return i;
}

static bool readable(const struct object *o, uint64_t addr)
{
	unsigned char byte;

	return object_read(o, addr, &byte, 1);
}

struct code_line code_lines_follow(struct code_lines *l, const struct object *o, uint64_t from,
				   uint64_t to)
{
	struct code_line line = { .reaches = STACKS_NO };
	uint32_t begin, end;

	if (to < from || to - from > LONGEST_LINE)
		return line;
	begin = find(l, o, from);
	if (begin == NONE && decode(l, o, from)) {
		line.reaches = STACKS_UNKNOWN;
		return line;
	}
	if (begin == NONE)
		begin = find(l, o, from);
	end = find(l, o, to);
	if (begin != NONE && end != NONE && l->list[end].height <= l->list[begin].height &&
	    climb(l, begin, l->list[end].height) == end)
		return (struct code_line){ STACKS_YES,
					   l->list[begin].height - l->list[end].height + 1,
					   l->list[end].branches };
	if (begin == NONE ? !readable(o, from) : !l->list[climb(l, begin, 1)].ends)
		line.reaches = STACKS_UNKNOWN;
	return line;
}

void code_lines_free(struct code_lines *l)
{
	free(l->list);
	hash_free(&l->index);
}
