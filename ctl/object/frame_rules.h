/* SPDX-License-Identifier: GPL-2.0 */
/* Executes the programs of call frame information (DWARF 5, section 6.4.2) for the three registers that nearly all
 * stacks can be unwound by: the stack pointer, rbp, and the return address. */
#ifndef LBRCTL_OBJECT_FRAME_RULES_H
#define LBRCTL_OBJECT_FRAME_RULES_H

#include "object/frames.h"

enum frame_rule_kind {
	FRAME_RULE_SAME,		/* the register's value in this frame */
	FRAME_RULE_UNDEFINED,
	FRAME_RULE_AT_CFA,		/* in memory at the CFA + value */
	FRAME_RULE_CFA,			/* the CFA + value */
	FRAME_RULE_REGISTER,		/* the value of register `reg` + value */
	FRAME_RULE_EXPRESSION,		/* in memory at the address that the expression computes */
	FRAME_RULE_VALUE,		/* what the expression computes */
};

struct frame_rule {
	enum frame_rule_kind kind;
	uint64_t reg;
	int64_t value;
	const unsigned char *expression, *end;
};

struct frame_rules {
	struct frame_rule cfa;		/* FRAME_RULE_REGISTER or FRAME_RULE_VALUE */
	struct frame_rule rbp, back;	/* back: the return address */
};

/* Takes the rules that hold from vaddr on, up to the next call or the end of the piece. Returns false to end. */
typedef bool frame_rules_row(void *ctx, uint64_t vaddr, const struct frame_rules *rules);

/* Calls row() for each row of the piece, by rising addresses. Returns false if row() did, or if the program is wrong or
 * unknown: then rows of it are missing. */
bool frame_rules_of(const struct frames *frames, const struct frames_piece *piece, frame_rules_row *row, void *ctx);

#endif
