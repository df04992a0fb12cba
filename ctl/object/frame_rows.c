// SPDX-License-Identifier: GPL-2.0
/* Makes rows of unwinding rules. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "object/encoded.h"
#include "object/frame_rows.h"
#include "object/frame_rules.h"

#define REGISTER_RBP	6
#define RETURN_ADDRESS	8
/* Compilers fill the room between functions up to a multiple of 16. */
#define GAP		16

/* The rows of a piece of code, in the order of the sections. */
struct block {
	struct object_range code;
	size_t first, nr;
};

struct making {
	struct frame_rows rows;
	struct block *blocks;
	size_t nr_blocks, max_blocks;
	const struct frames_common *common;
	bool failed;			/* memory was short */
};

/* Steps over an operation and reads the offset of its register; false if it is another operation. */
static bool take_register(const unsigned char **p, const unsigned char *end, unsigned int reg, int32_t *offset)
{
	int64_t value;

	if (*p >= end || **p != DW_OP_breg0 + reg)
		return false;
	++*p;
	value = encoded_signed(p, end);
	*offset = value;
	return *offset == value;
}

/* Reads "plus n" in one of the two forms that compilers write. */
static bool take_plus(const unsigned char **p, const unsigned char *end, int32_t *value)
{
	uint64_t number;

	if (*p == end)
		return true;
	if (**p == DW_OP_plus_uconst) {
		++*p;
		number = encoded_number(p, end);
		*value = number;
		return number <= INT32_MAX;
	}
	if (end - *p != 2 || **p < DW_OP_lit0 || **p > DW_OP_lit31 || (*p)[1] != DW_OP_plus)
		return false;
	*value = **p - DW_OP_lit0;
	*p += 2;
	return true;
}

/* The stubs of the linker: rsp + 8 + ((rip & 15) >= n) * 8. */
static bool is_plt(const unsigned char *p, const unsigned char *end, int32_t *from)
{
	static const unsigned char before[] = { DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const unsigned char after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const size_t size = sizeof(before) + 1 + sizeof(after);

	if ((size_t)(end - p) != size || memcmp(p, before, sizeof(before)) ||
	    memcmp(p + sizeof(before) + 1, after, sizeof(after)))
		return false;
	*from = p[sizeof(before)] - DW_OP_lit0;
	return *from >= 0 && *from < 16;
}

/* A register + n, the word there, or the word there + m. */
static enum lbrscope_unwind_kind by_register(const unsigned char *p, const unsigned char *end, unsigned int reg,
				   enum lbrscope_unwind_kind plain, enum lbrscope_unwind_kind at, struct frame_row *row)
{
	if (!take_register(&p, end, reg, &row->offset))
		return LBRSCOPE_UNWIND_OTHER;
	if (p == end)
		return plain;
	if (*p++ != DW_OP_deref || !take_plus(&p, end, &row->behind) || p != end)
		return LBRSCOPE_UNWIND_OTHER;
	return at;
}

static enum lbrscope_unwind_kind by_expression(const struct frame_rule *cfa, struct frame_row *row)
{
	const unsigned char *p = cfa->expression, *end = p + cfa->size;
	enum lbrscope_unwind_kind kind;

	if (is_plt(p, end, &row->offset))
		return LBRSCOPE_UNWIND_PLT;
	kind = by_register(p, end, OBJECT_CFI_STACK_POINTER, LBRSCOPE_UNWIND_SP, LBRSCOPE_UNWIND_SP_AT, row);
	return kind != LBRSCOPE_UNWIND_OTHER ? kind :
	       by_register(p, end, REGISTER_RBP, LBRSCOPE_UNWIND_BP, LBRSCOPE_UNWIND_BP_AT, row);
}

static enum lbrscope_unwind_kind kind_of(const struct frame_rule *cfa, struct frame_row *row)
{
	if (cfa->kind == OBJECT_CFI_VALUE)
		return by_expression(cfa, row);
	row->offset = cfa->value;
	if (row->offset != cfa->value || cfa->kind != OBJECT_CFI_REGISTER)
		return LBRSCOPE_UNWIND_OTHER;
	row->reg = cfa->reg;
	return cfa->reg == OBJECT_CFI_STACK_POINTER ? LBRSCOPE_UNWIND_SP : cfa->reg == REGISTER_RBP ? LBRSCOPE_UNWIND_BP :
	       cfa->reg < 16 ? LBRSCOPE_UNWIND_REGISTER : LBRSCOPE_UNWIND_OTHER;
}

static enum lbrscope_unwind_rbp rbp_of(const struct frame_rule *rule, struct frame_row *row)
{
	const unsigned char *p, *end;

	switch (rule->kind) {
	case OBJECT_CFI_SAME:
		return LBRSCOPE_UNWIND_RBP_SAME;
	case OBJECT_CFI_SAVED:
		row->rbp_at = rule->value;
		return row->rbp_at == rule->value ? LBRSCOPE_UNWIND_RBP_AT_CFA : LBRSCOPE_UNWIND_RBP_LOST;
	case OBJECT_CFI_EXPRESSION:
		p = rule->expression;
		end = p + rule->size;
		return take_register(&p, end, REGISTER_RBP, &row->rbp_at) && p == end ?
		       LBRSCOPE_UNWIND_RBP_AT_RBP : LBRSCOPE_UNWIND_RBP_LOST;
	default:
		return LBRSCOPE_UNWIND_RBP_LOST;
	}
}

/* Compilers do not state that rbp was popped. Its place is below the stack pointer then; or there
 * is no room for it, since only the return address is on the stack. */
static bool is_popped(const struct frame_row *row)
{
	return row->kind == LBRSCOPE_UNWIND_SP &&
	       (row->rbp == LBRSCOPE_UNWIND_RBP_AT_CFA ? -row->rbp_at > row->offset :
		row->rbp == LBRSCOPE_UNWIND_RBP_AT_RBP && row->offset == RETURN_ADDRESS);
}

static struct frame_row row_of(const struct frame_rules *rules, const struct frames_common *common)
{
	struct frame_row row = { .kind = LBRSCOPE_UNWIND_OTHER };
	const struct frame_rule *back = &rules->registers[OBJECT_CFI_RETURN_ADDRESS];

	if (common->back != OBJECT_CFI_RETURN_ADDRESS)
		return row;
	if (common->signal || back->kind == OBJECT_CFI_UNDEFINED)
		return (struct frame_row){ .kind = common->signal ? LBRSCOPE_UNWIND_SIGNAL : LBRSCOPE_UNWIND_END };
	row.kind = kind_of(&rules->cfa, &row);
	row.rbp = rbp_of(&rules->registers[REGISTER_RBP], &row);
	if (is_popped(&row))
		row.rbp = LBRSCOPE_UNWIND_RBP_SAME;
	if (row.kind == LBRSCOPE_UNWIND_SP && back->kind == OBJECT_CFI_REGISTER && back->reg < 16) {
		row.kind = LBRSCOPE_UNWIND_BACK_IN;
		row.reg = back->reg;
	} else if (back->kind != OBJECT_CFI_SAVED || back->value != -8) {
		row.kind = LBRSCOPE_UNWIND_OTHER;
	}
	if (row.kind == LBRSCOPE_UNWIND_OTHER)
		return (struct frame_row){ .kind = LBRSCOPE_UNWIND_OTHER };
	if (row.rbp == LBRSCOPE_UNWIND_RBP_SAME || row.rbp == LBRSCOPE_UNWIND_RBP_LOST)
		row.rbp_at = 0;
	if (row.kind != LBRSCOPE_UNWIND_REGISTER && row.kind != LBRSCOPE_UNWIND_BACK_IN)
		row.reg = 0;
	return row;
}

static bool same_rules(const struct frame_row *a, const struct frame_row *b)
{
	return a->kind == b->kind && a->rbp == b->rbp && a->reg == b->reg && a->offset == b->offset &&
	       a->behind == b->behind && a->rbp_at == b->rbp_at;
}

static bool add_row(struct frame_rows *rows, const struct frame_row *row)
{
	if (room_for(&rows->list, rows->nr + 1, &rows->max, sizeof(*rows->list)))
		return false;
	rows->list[rows->nr++] = *row;
	return true;
}

static bool take_row(void *ctx, struct object_range code, const struct frame_rules *rules)
{
	struct making *m = ctx;
	struct frame_row row = row_of(rules, m->common);

	row.vaddr = code.start;
	m->failed |= !add_row(&m->rows, &row);
	return !m->failed;
}

static bool add_block(struct making *m, struct object_range code, size_t first)
{
	if (room_for(&m->blocks, m->nr_blocks + 1, &m->max_blocks, sizeof(*m->blocks)))
		return false;
	m->blocks[m->nr_blocks++] = (struct block){ code, first, m->rows.nr - first };
	return true;
}

/* A piece whose program is wrong has rules that are not known here. */
static void take_piece(struct making *m, const struct frames_piece *piece)
{
	const struct frame_row other = { .vaddr = piece->code.start, .kind = LBRSCOPE_UNWIND_OTHER };
	const size_t first = m->rows.nr;

	m->common = piece->common;
	if (!frame_rules_of(piece, take_row, m)) {
		m->rows.nr = first;
		m->failed |= !add_row(&m->rows, &other);
	}
	m->failed |= !add_block(m, piece->code, first);
}

static bool take_section(struct making *m, Elf *elf, const char *name)
{
	struct frames_piece piece;
	struct frames frames;
	const size_t before = m->nr_blocks;

	if (frames_open(&frames, elf, name))
		while (!m->failed && frames_next(&frames, &piece))
			take_piece(m, &piece);
	frames_close(&frames);
	return m->nr_blocks > before;
}

/* Go keeps rbp below the return address in each frame that has room for it. */
static bool take_go_row(void *ctx, uint64_t vaddr, enum gotable_rule rule, uint64_t bytes)
{
	static const uint8_t kinds[] = {
		[GOTABLE_FRAME] = LBRSCOPE_UNWIND_SP, [GOTABLE_TOP] = LBRSCOPE_UNWIND_END, [GOTABLE_SIGNAL] = LBRSCOPE_UNWIND_SIGNAL,
		[GOTABLE_UNKNOWN] = LBRSCOPE_UNWIND_NONE,
	};
	struct making *m = ctx;
	struct frame_row row = { .vaddr = vaddr, .kind = kinds[rule] };

	if (rule == GOTABLE_FRAME) {
		row.offset = bytes + RETURN_ADDRESS;
		row.rbp = bytes >= 8 ? LBRSCOPE_UNWIND_RBP_AT_CFA : LBRSCOPE_UNWIND_RBP_SAME;
		row.rbp_at = bytes >= 8 ? -16 : 0;
	}
	m->failed |= !add_row(&m->rows, &row);
	return !m->failed;
}

/* All of Go's code is one piece. */
static void take_go(struct making *m, const struct gotable *go)
{
	const size_t first = m->rows.nr;
	struct object_range code;

	if (gotable_rows(go, &code, take_go_row, m) && m->rows.nr > first)
		m->failed |= !add_block(m, code, first);
}

/* Stubs of the procedure linkage table that have no call frame information, as of lld. */
static void take_stubs(struct making *m, Elf *elf)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		const struct object_range code = { .start = header.sh_addr, .end = header.sh_addr + header.sh_size };

		if (!name || strncmp(name, ".plt", 4) || !(header.sh_flags & SHF_EXECINSTR) || code.end <= code.start)
			continue;
		m->failed |= !add_row(&m->rows, &(struct frame_row){ .vaddr = code.start, .kind = LBRSCOPE_UNWIND_NONE }) ||
			     !add_block(m, code, m->rows.nr - 1);
	}
}

static int compare(const void *x, const void *y)
{
	const struct block *a = x, *b = y;

	if (a->code.start != b->code.start)
		return a->code.start < b->code.start ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* The end of a function that has aligned its stack (gcc's DRAP): the caller's stack pointer is in a
 * register again, and an instruction of one byte restores rbp, "pop %rbp" or "leave". */
static bool restores_rbp(const struct frame_row *before, const struct frame_row *row)
{
	return before->kind == LBRSCOPE_UNWIND_BP_AT && row->kind == LBRSCOPE_UNWIND_REGISTER &&
	       row->rbp == LBRSCOPE_UNWIND_RBP_AT_RBP;
}

static bool put_row(struct frame_rows *rows, const struct frame_row *row)
{
	return (rows->nr && same_rules(&rows->list[rows->nr - 1], row)) || add_row(rows, row);
}

/* No piece of code covers what follows. */
static bool put_outside(struct frame_rows *rows, uint64_t vaddr)
{
	return put_row(rows, &(struct frame_row){ .vaddr = vaddr, .kind = rows->outside });
}

/* Puts a row, which is not the first one of its piece if `follows`. */
static bool put_rows(struct frame_rows *rows, const struct frame_row *row, bool follows)
{
	struct frame_row restored = *row;

	if (!put_row(rows, row))
		return false;
	if (!follows || !restores_rbp(row - 1, row))
		return true;
	restored.vaddr++;
	restored.rbp = LBRSCOPE_UNWIND_RBP_SAME;
	restored.rbp_at = 0;
	return put_row(rows, &restored);
}

/* Of pieces that overlap the first one holds. */
static bool join(const struct making *m, struct frame_rows *rows)
{
	uint64_t end = m->nr_blocks ? m->blocks[0].code.start : 0;

	for (size_t i = 0; i < m->nr_blocks; i++) {
		const struct block *b = &m->blocks[i];

		if (b->code.start < end)
			continue;
		if (b->code.start - end >= GAP && !put_outside(rows, end))
			return false;
		for (size_t k = 0; k < b->nr && m->rows.list[b->first + k].vaddr < b->code.end; k++)
			if (!put_rows(rows, &m->rows.list[b->first + k], k))
				return false;
		end = b->code.end;
	}
	return !m->nr_blocks || put_outside(rows, end);
}

int frame_rows_make(struct frame_rows *rows, Elf *elf, const struct gotable *go)
{
	struct making m = { .failed = false };

	*rows = (struct frame_rows){ .outside = go->format ? LBRSCOPE_UNWIND_NONE : LBRSCOPE_UNWIND_POINTER };
	if (!take_section(&m, elf, ".eh_frame") && !go->format)
		take_section(&m, elf, ".debug_frame");
	if (go->format)
		take_go(&m, go);
	else
		take_stubs(&m, elf);
	if (m.nr_blocks)
		qsort(m.blocks, m.nr_blocks, sizeof(*m.blocks), compare);
	m.failed = m.failed || !join(&m, rows);
	free(m.blocks);
	frame_rows_free(&m.rows);
	return m.failed ? -1 : 0;
}

void frame_rows_free(struct frame_rows *rows)
{
	free(rows->list);
	*rows = (struct frame_rows){ .nr = 0 };
}
