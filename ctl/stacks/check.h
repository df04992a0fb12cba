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

/* Whether the called function is unknown, or cannot be where `inner` is. */
bool check_leads_elsewhere(const struct stacks_code *code,
			   const struct stacks_branch *call, struct place inner);

#endif
