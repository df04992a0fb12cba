/* SPDX-License-Identifier: GPL-2.0 */
/* The places of a function with most samples: where a reader begins. */
#ifndef LBRCTL_ANNOTATE_HOTTEST_H
#define LBRCTL_ANNOTATE_HOTTEST_H

#include "annotate/annotate.h"

struct hottest {
	const char *file;		/* the source line, whose instructions are one place; */
	uint32_t line;
	size_t instruction;		/* without it (file NULL) the only one, else the one with most */
	uint64_t most;			/* samples of that instruction */
	struct share_sum sum;		/* the weights of all */
};

#define HOTTEST	3
/* Sets the list, the hottest first. Returns the number of places with samples, at most HOTTEST; -1 with
 * a message when memory is short. */
int hottest_find(const struct annotate *annotate, const struct annotate_function *function,
		 struct hottest list[HOTTEST]);

#endif
