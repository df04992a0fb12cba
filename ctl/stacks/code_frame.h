/* SPDX-License-Identifier: GPL-2.0 */
/* The size of a function's frame at one of its instructions. */
#ifndef LBRCTL_STACKS_CODE_FRAME_H
#define LBRCTL_STACKS_CODE_FRAME_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

#include "object/object.h"

/*
 * *bytes: from the stack pointer at the instruction at vaddr up to its value before the call
 * of the function, which is the CFA (DWARF 5, section 6.4). For code that was not called, up
 * to its value when the thread began, which is a multiple of 16 (x86-64 psABI, section 3.4.1).
 * Returns false if it depends on more than the code (alloca(), a realigned stack), or nothing
 * shows it.
 */
bool code_frame_bytes(csh disassembler, const struct object *object, uint64_t vaddr,
		      int64_t *bytes);

#endif
