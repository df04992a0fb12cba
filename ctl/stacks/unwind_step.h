/* SPDX-License-Identifier: GPL-2.0 */
/* The step from one frame of a user stack to the next one out. */
#ifndef LBRCTL_STACKS_UNWIND_STEP_H
#define LBRCTL_STACKS_UNWIND_STEP_H

#include "stacks/unwind.h"
#include "stacks/unwind_rules.h"

struct unwind_registers {
	uint64_t value[OBJECT_CFI_NR_REGISTERS];
	uint32_t known;			/* bit by register */
};

/* The state of a step from one frame to the next. */
struct unwind_step {
	const struct unwind_start *start;
	struct unwind_registers now;
	uint64_t cfa;
	bool leaving;
	bool outside;			/* a rule needed memory that was not recorded */
};

/* Reads size (at most 8) bytes of the recorded stack. Returns false, and sets step->outside, if
 * they are not in it. */
bool unwind_step_memory(struct unwind_step *step, uint64_t address, unsigned int size,
			uint64_t *value);

/* Replaces step->now by the caller's registers. Returns STACKS_END_NONE, or the reason that
 * this is impossible. */
enum stacks_end unwind_step_out(struct unwind_step *step, const struct unwind_rules *rules);

#endif
