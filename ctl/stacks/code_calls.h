/* SPDX-License-Identifier: GPL-2.0 */
/* Which call instruction is where in an x86-64 object. */
#ifndef LBRCTL_STACKS_CODE_CALLS_H
#define LBRCTL_STACKS_CODE_CALLS_H

#include <capstone/capstone.h>

#include "object/object.h"
#include "stacks/build.h"

/* Of cs_malloc(). NULL when memory is short, and then the result will not be whole. */
cs_insn *code_calls_insn(csh disassembler);

/* The instruction at vaddr. *target of a direct call, else as it was. */
enum stacks_call code_calls_at(csh disassembler, const struct object *object,
			       uint64_t vaddr, uint64_t *target);

/* For code of which nobody knows where its instructions begin: a call, of one of the
 * lengths there are, that ends where `back` begins. *from is its address; else as it was. */
enum stacks_call code_calls_before(csh disassembler, const struct object *object,
				   uint64_t back, uint64_t *from,
				   uint64_t *target);

/* The address of main(): what the code at a program's ELF entry point hands over, as the
 * first argument of its first call, for the C library to call. False if it does not. */
bool code_calls_main(csh disassembler, const struct object *object, uint64_t *vaddr);

#endif
