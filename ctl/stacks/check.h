/* SPDX-License-Identifier: GPL-2.0 */
/* Checks calls that were recorded against the code. */
#ifndef LBRCTL_STACKS_CHECK_H
#define LBRCTL_STACKS_CHECK_H

#include "stacks/build.h"

/* Whether entry->from is a call instruction that goes to entry->to. Returns NULL, or what
 * is wrong. Adds 1 to *unverified for each part that the code does not tell. */
const char *check_call(const struct stacks_code *code, const struct stacks_branch *entry,
		       size_t *unverified);

/* Whether the code contradicts the call. */
bool check_is_no_call(const struct stacks_code *code, const struct stacks_branch *call);

/*
 * Whether the entry is the module's, for a signal that was delivered to a handler: `from` is
 * where the task was interrupted, `to` the handler (linux/lbrscope_ring.h). The modules that
 * add it record the depth of the stack as well.
 */
bool check_is_signal(const struct stacks_code *code, const struct stacks_sample *sample,
		     const struct stacks_branch *call);

/* Whether only a guess leads from the called function to `inner`. */
bool check_is_guess(const struct stacks_code *code, const struct stacks_branch *call,
		    struct place inner);

/* Whether the called function is unknown, or cannot be where `inner` is. */
bool check_leads_elsewhere(const struct stacks_code *code,
			   const struct stacks_branch *call, struct place inner);

#endif
