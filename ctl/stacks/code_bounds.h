/* SPDX-License-Identifier: GPL-2.0 */
/* Where the instructions of functions end. A function is decoded from its beginning, as far as it was asked about. */
#ifndef LBRCTL_STACKS_CODE_BOUNDS_H
#define LBRCTL_STACKS_CODE_BOUNDS_H

#include "base/hash.h"
#include "object/object.h"
#include "stacks/build.h"

struct code_bounds_function {
	uint32_t file;
	struct object_range range;
	uint64_t decoded;		/* the address up to which it was */
	unsigned char *ends;		/* a bit for each byte: an instruction ends there */
	bool unclear;			/* some bytes up to there are not instructions */
};

/* Initialize with 0. */
struct code_bounds {
	struct code_bounds_function *functions;
	size_t max;
	struct hash index;
};

void code_bounds_free(struct code_bounds *bounds);

/* Whether an instruction of the function with that range ends at addr, which must be in (start, end]; *last: the
 * address of that instruction. STACKS_UNKNOWN if none does and some bytes of the function are not instructions, if it is
 * too long, or memory is short. */
enum stacks_answer code_bounds_before(struct code_bounds *bounds, uint32_t file, const struct object *object,
				      struct object_range range, uint64_t addr, uint64_t *last);

#endif
