/* SPDX-License-Identifier: GPL-2.0 */
/* Executes the programs of call frame information (DWARF 5, section 6.4.2). */
#ifndef LBRCTL_OBJECT_FRAME_RULES_H
#define LBRCTL_OBJECT_FRAME_RULES_H

#include "object/cfi.h"
#include "object/frames.h"

#define FRAME_RULES_NO_REGISTER	UINT8_MAX	/* a register that is not followed */

/* Small, since programs keep and copy all rules. */
struct frame_rule {
	uint8_t kind;			/* enum object_cfi_kind */
	uint8_t reg;
	uint32_t size;			/* of the expression */
	union {
		int64_t value;
		const unsigned char *expression;
	};
};

struct frame_rules {
	struct frame_rule cfa;		/* OBJECT_CFI_REGISTER, OBJECT_CFI_VALUE, or unknown */
	struct frame_rule registers[OBJECT_CFI_NR_REGISTERS];
};

/* Takes the rules that hold in a row of the piece. Returns false to end. */
typedef bool frame_rules_row(void *ctx, struct object_range code, const struct frame_rules *rules);

/* Calls row() for each row of the piece, by rising addresses. Returns false if row() did, or if the program is wrong or
 * unknown: then rows of it are missing. */
bool frame_rules_of(const struct frames_piece *piece, frame_rules_row *row, void *ctx);

/* Sets the rules that hold at vaddr, an address of the piece; false: the program is wrong or unknown up to there. */
bool frame_rules_at(const struct frames_piece *piece, uint64_t vaddr, struct frame_rules *rules);

#endif
