/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a thread that entered one function can be in another without a further call. */
#ifndef LBRCTL_STACKS_CODE_LEAD_H
#define LBRCTL_STACKS_CODE_LEAD_H

#include "stacks/build.h"
#include "stacks/code_exits.h"

/* Whether a function that was called at `entered` can be at `at`: stacks_code.lead. */
enum stacks_lead code_lead(struct code_files *files, struct place entered, struct place at);

/* Whether the function at `entered`, or the one that its only jump leads to, switches to
 * another stack: stacks_code.switches. */
bool code_switches(struct code_files *files, struct place entered);

/* Whether two addresses are in parts of the same function: the compiler moves the unlikely
 * part of foo to foo.cold. */
bool code_same_name(const struct object *object, uint64_t a, uint64_t b);

#endif
