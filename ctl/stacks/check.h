/* SPDX-License-Identifier: GPL-2.0 */
/* Checks recorded calls against the code. */
#ifndef LBRCTL_STACKS_CHECK_H
#define LBRCTL_STACKS_CHECK_H

#include "stacks/build.h"

/* Checks that entry->from is a call instruction that goes to entry->to. Returns 0, or the evidence
 * against it. Adds 1 to *unverified for each part that the code does not show. */
uint64_t check_call(const struct stacks_code *code, const struct stacks_branch *entry,
		    size_t *unverified);

/* Whether the code contradicts the call. */
bool check_is_no_call(const struct stacks_code *code, const struct stacks_branch *call);

/*
 * Whether the module made this entry, for a signal that was delivered to a handler: `from` is
 * the interrupted address, `to` the handler (linux/lbrscope_ring.h). Modules that add it also
 * record the depth of the stack.
 */
bool check_is_signal(const struct stacks_code *code, const struct stacks_sample *sample,
		     const struct stacks_branch *call);

/* The same in code that cannot be read, of which another source says that it was interrupted. */
bool check_is_delivery(const struct stacks_code *code, const struct stacks_sample *sample,
		       const struct stacks_branch *call, struct place interrupted);

/* Whether the code shows the way from the called function to `inner`. */
bool check_leads_to(const struct stacks_code *code, const struct stacks_branch *call,
		    struct place inner);

/* Whether the called function is unknown, or cannot contain `inner`. */
bool check_leads_elsewhere(const struct stacks_code *code,
			   const struct stacks_branch *call, struct place inner);

/* Whether `back` is the return address of the call. */
enum stacks_answer check_returns_to(const struct stacks_code *code, const struct stacks_branch *call,
				    struct place back);

/* Whether the function from which the entry further in called, inside of this call, has a frame
 * pointer. The called function may have jumped to it. */
bool check_has_pointer(const struct stacks_code *code, const struct stacks_branch *call);

#endif
