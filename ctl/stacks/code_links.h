/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a call and the frame inside of it are as the code says, checked once for each pair. */
#ifndef LBRCTL_STACKS_CODE_LINKS_H
#define LBRCTL_STACKS_CODE_LINKS_H

#include "base/hash.h"
#include "stacks/build.h"

/* All 0 at first. */
struct code_links {
	struct code_link {
		struct stacks_branch call;
		struct place inner;
		bool plain;
	} *list;
	size_t max;
	struct hash index;
};

void code_links_free(struct code_links *links);

/* Answers stacks_code.link by the other questions of `code`, once for each pair. When memory is short
 * the answer is STACKS_NO_LINK. */
uint32_t code_links_number(struct code_links *links, const struct stacks_code *code,
			   const struct stacks_branch *call, struct place inner);

#endif
