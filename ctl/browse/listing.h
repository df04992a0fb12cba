/* SPDX-License-Identifier: GPL-2.0 */
/* A text as lines. */
#ifndef LBRCTL_BROWSE_LISTING_H
#define LBRCTL_BROWSE_LISTING_H

#include <stddef.h>

struct listing {
	char *text, **lines;
	size_t nr;
	size_t hottest;			/* the line that begins with the largest share */
};

/* Replaces the lines by those of a text, which the listing frees. width: lines with more bytes are
 * broken at blanks; 0: none is. Returns 0, or -1 when memory is short; then lines are missing. */
int listing_make(struct listing *listing, char *text, size_t width);
void listing_free(struct listing *listing);

#endif
