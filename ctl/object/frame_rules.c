// SPDX-License-Identifier: GPL-2.0
/* Executes the programs of call frame information. */
#include <dwarf.h>
#include <string.h>

#include "object/encoded.h"
#include "object/frame_rules.h"

/* Rules that DW_CFA_remember_state may keep at a time. Compilers nest them once. */
#define KEPT		16

#define SAME		{ .kind = OBJECT_CFI_SAME }
#define UNDEFINED	{ .kind = OBJECT_CFI_UNDEFINED }

/* What holds if a program says nothing else: the psABI's callee-saved registers (figure 3.4) are unchanged. libdw has it
 * the same, but for rbx (3), which it takes for number 0. */
static const struct frame_rules defaults = {
	.registers = {
		[0 ... 2] = UNDEFINED, [3] = SAME, [4 ... 5] = UNDEFINED, [6] = SAME,
		[OBJECT_CFI_STACK_POINTER] = { .kind = OBJECT_CFI_OFFSET },
		[8 ... 11] = UNDEFINED, [12 ... 15] = SAME, [OBJECT_CFI_RETURN_ADDRESS] = SAME,
	},
};

struct machine {
	const struct frames_common *common;
	uint64_t moved;				/* of the piece */
	frame_rules_row *row;			/* NULL: the program of what pieces have in common */
	void *ctx;
	const unsigned char *at, *end;		/* of the program */
	uint64_t vaddr;
	struct frame_rules now, first;
	struct frame_rule nobodys;		/* of registers that are not followed */
	struct frame_rules *kept;		/* room for KEPT */
	unsigned int nr_kept;
};

static uint64_t next_number(struct machine *m)
{
	return encoded_number(&m->at, m->end);
}

/* Reads `size` bytes; a program that ends before has zeros. */
static uint64_t next_bytes(struct machine *m, size_t size)
{
	const size_t left = m->end - m->at;
	uint64_t value = 0;

	memcpy(&value, m->at, size < left ? size : left);
	m->at += size < left ? size : left;
	return value;
}

static bool next_expression(struct machine *m, struct frame_rule *rule, enum object_cfi_kind kind)
{
	const uint64_t size = next_number(m);

	if (size > (size_t)(m->end - m->at) || size > UINT32_MAX)
		return false;
	*rule = (struct frame_rule){ .kind = kind, .size = size, .expression = m->at };
	m->at += size;
	return true;
}

static struct frame_rule *rule_of(struct machine *m, uint64_t reg)
{
	return reg < OBJECT_CFI_NR_REGISTERS ? &m->now.registers[reg] : &m->nobodys;
}

static void restore_rule(struct machine *m, uint64_t reg)
{
	if (reg < OBJECT_CFI_NR_REGISTERS)
		m->now.registers[reg] = m->first.registers[reg];
}

/* Code goes on at another address: the rules so far hold up to there. */
static bool advance_to(struct machine *m, uint64_t vaddr)
{
	if (!m->row || vaddr < m->vaddr)
		return false;
	if (vaddr > m->vaddr && !m->row(m->ctx, (struct object_range){ m->vaddr, vaddr }, &m->now))
		return false;
	m->vaddr = vaddr;
	return true;
}

static bool advance(struct machine *m, uint64_t units)
{
	uint64_t bytes, vaddr;

	return !__builtin_mul_overflow(units, m->common->unit, &bytes) &&
	       !__builtin_add_overflow(m->vaddr, bytes, &vaddr) && advance_to(m, vaddr);
}

static bool set_location(struct machine *m)
{
	uint64_t vaddr;

	return encoded_address(&m->at, m->end, m->common->encoding, m->moved + (uintptr_t)m->at, &vaddr) &&
	       advance_to(m, vaddr);
}

static bool keep_rules(struct machine *m)
{
	if (m->nr_kept == KEPT)
		return false;
	m->kept[m->nr_kept++] = m->now;
	return true;
}

static bool take_kept(struct machine *m)
{
	if (!m->nr_kept)
		return false;
	m->now = m->kept[--m->nr_kept];
	return true;
}

static int64_t times(const struct machine *m, uint64_t number)
{
	return (int64_t)(number * (uint64_t)m->common->factor);
}

static bool set_expression(struct machine *m, enum object_cfi_kind kind)
{
	struct frame_rule *rule = rule_of(m, next_number(m));

	return next_expression(m, rule, kind);
}

static void set_at(struct machine *m, uint64_t reg, enum object_cfi_kind kind, int64_t value)
{
	*rule_of(m, reg) = (struct frame_rule){ .kind = kind, .value = value };
}

/* Sets the rule "value of another register". */
static void set_copy(struct machine *m, uint64_t reg, uint64_t of)
{
	*rule_of(m, reg) = of < OBJECT_CFI_NR_REGISTERS ?
			   (struct frame_rule){ .kind = OBJECT_CFI_REGISTER, .reg = of } :
			   (struct frame_rule){ .kind = OBJECT_CFI_UNKNOWN };
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t value)
{
	m->now.cfa = (struct frame_rule){ .kind = OBJECT_CFI_REGISTER, .value = value,
					  .reg = reg < OBJECT_CFI_NR_REGISTERS ? reg : FRAME_RULES_NO_REGISTER };
}

/* Changes one half of the rule "register + value", which another rule does not have. */
static void change_cfa(struct machine *m, uint64_t reg, int64_t value)
{
	if (m->now.cfa.kind == OBJECT_CFI_REGISTER)
		set_cfa(m, reg, value);
	else
		m->now.cfa.kind = OBJECT_CFI_UNKNOWN;
}

/* What defines the CFA. */
static bool execute_cfa(struct machine *m, unsigned int op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = next_number(m);
		set_cfa(m, reg, next_number(m));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = next_number(m);
		set_cfa(m, reg, times(m, encoded_signed(&m->at, m->end)));
		return true;
	case DW_CFA_def_cfa_register:
		change_cfa(m, next_number(m), m->now.cfa.value);
		return true;
	case DW_CFA_def_cfa_offset:
		change_cfa(m, m->now.cfa.reg, next_number(m));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(m, m->now.cfa.reg, times(m, encoded_signed(&m->at, m->end)));
		return true;
	case DW_CFA_def_cfa_expression:
		return next_expression(m, &m->now.cfa, OBJECT_CFI_VALUE);
	default:
		return false;
	}
}

/* What defines another register. */
static bool execute_register(struct machine *m, unsigned int op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_expression:
		return set_expression(m, OBJECT_CFI_EXPRESSION);
	case DW_CFA_val_expression:
		return set_expression(m, OBJECT_CFI_VALUE);
	case DW_CFA_offset_extended:
		reg = next_number(m);
		set_at(m, reg, OBJECT_CFI_SAVED, times(m, next_number(m)));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = next_number(m);
		set_at(m, reg, OBJECT_CFI_SAVED, times(m, encoded_signed(&m->at, m->end)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = next_number(m);
		set_at(m, reg, OBJECT_CFI_SAVED, -times(m, next_number(m)));
		return true;
	case DW_CFA_val_offset:
		reg = next_number(m);
		set_at(m, reg, OBJECT_CFI_OFFSET, times(m, next_number(m)));
		return true;
	case DW_CFA_val_offset_sf:
		reg = next_number(m);
		set_at(m, reg, OBJECT_CFI_OFFSET, times(m, encoded_signed(&m->at, m->end)));
		return true;
	case DW_CFA_register:
		reg = next_number(m);
		set_copy(m, reg, next_number(m));
		return true;
	case DW_CFA_undefined:
		set_at(m, next_number(m), OBJECT_CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_at(m, next_number(m), OBJECT_CFI_SAME, 0);
		return true;
	case DW_CFA_restore_extended:
		restore_rule(m, next_number(m));
		return m->row;
	default:
		return execute_cfa(m, op);
	}
}

static bool execute(struct machine *m)
{
	const unsigned int op = *m->at++, low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(m, low);
	case DW_CFA_offset:
		set_at(m, low, OBJECT_CFI_SAVED, times(m, next_number(m)));
		return true;
	case DW_CFA_restore:
		restore_rule(m, low);
		return m->row;
	}
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_location(m);
	case DW_CFA_advance_loc1:
		return advance(m, next_bytes(m, 1));
	case DW_CFA_advance_loc2:
		return advance(m, next_bytes(m, 2));
	case DW_CFA_advance_loc4:
		return advance(m, next_bytes(m, 4));
	case DW_CFA_MIPS_advance_loc8:
		return advance(m, next_bytes(m, 8));
	case DW_CFA_remember_state:
		return keep_rules(m);
	case DW_CFA_restore_state:
		return take_kept(m);
	case DW_CFA_GNU_args_size:
		next_number(m);
		return true;
	default:
		return execute_register(m, op);
	}
}

static bool execute_all(struct machine *m, const unsigned char *program, const unsigned char *end)
{
	m->at = program;
	m->end = end;
	while (m->at < m->end)
		if (!execute(m))
			return false;
	return true;
}

bool frame_rules_of(const struct frames_piece *piece, frame_rules_row *row, void *ctx)
{
	struct frame_rules kept[KEPT];
	struct machine m = {
		.common = piece->common, .moved = piece->moved, .vaddr = piece->code.start, .ctx = ctx,
		.now = defaults, .kept = kept,
	};

	if (!execute_all(&m, m.common->program, m.common->end))
		return false;
	m.first = m.now;
	m.row = row;
	m.nr_kept = 0;
	return execute_all(&m, piece->program, piece->end) &&
	       (m.vaddr >= piece->code.end ||
		row(ctx, (struct object_range){ m.vaddr, piece->code.end }, &m.now));
}

struct wanted {
	uint64_t vaddr;
	struct frame_rules *rules;
	bool found;
};

static bool take_wanted(void *ctx, struct object_range code, const struct frame_rules *rules)
{
	struct wanted *w = ctx;

	w->found = w->vaddr < code.end;
	if (w->found)
		*w->rules = *rules;
	return !w->found;
}

bool frame_rules_at(const struct frames_piece *piece, uint64_t vaddr, struct frame_rules *rules)
{
	struct wanted wanted = { .vaddr = vaddr, .rules = rules };

	frame_rules_of(piece, take_wanted, &wanted);
	return wanted.found;
}
