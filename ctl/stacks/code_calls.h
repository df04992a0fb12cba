/* SPDX-License-Identifier: GPL-2.0 */
/* Finds call instructions in x86-64 code. */
#ifndef LBRCTL_STACKS_CODE_CALLS_H
#define LBRCTL_STACKS_CODE_CALLS_H

#include "object/object.h"
#include "stacks/build.h"

/* Decodes the instruction at vaddr. Sets *target for a direct call only. */
enum stacks_call code_calls_at(const struct object *object, uint64_t vaddr, uint64_t *target);

/* For code with unknown instruction boundaries: finds a call of any possible length that ends
 * where `back` begins. Sets *from to its address if there is one. */
enum stacks_call code_calls_before(const struct object *object, uint64_t back, uint64_t *from,
				   uint64_t *target);

/* Finds the address of main(): the code at a program's ELF entry point passes it to the C
 * library as the first argument of its first call. Returns false if it does not. */
bool code_calls_main(const struct object *object, uint64_t *vaddr);

#endif
