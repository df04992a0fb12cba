/* SPDX-License-Identifier: GPL-2.0 */
/* The browser: a capture, or captures that follow one another, on a terminal. */
#ifndef LBRCTL_BROWSE_BROWSE_H
#define LBRCTL_BROWSE_BROWSE_H

#include "browse/worker.h"

/* Where captures come from while they are browsed. */
struct browse_live {
	int ready;			/* polls readable when there is a capture; -1: none */
	int ended;			/* polls readable when no more will come; -1: known */
	/* Called when one of these is readable. Returns the file of the next capture, which must
	 * stay until the next call; NULL: none, as always while an earlier capture is being read
	 * (busy). paused: captures are not wanted. */
	const char *(*next)(void *ctx, bool busy, bool paused, bool *quit);
	/* Writes the first line of the screen. */
	void (*head)(void *ctx, bool paused, char *text, size_t size);
	void *ctx;
};

struct browse_options {
	const char *input;		/* the capture; NULL: those of live */
	const char *event;
	struct filter *filter;
	const struct symbols_options *names;
	struct browse_live *live;
};

/* Shows captures until the user quits or a signal ends it. Returns 0, or -1 with a message. *busy:
 * a thread still reads a capture and needs the options, so the process must end by _exit(). */
int browse_show(const struct browse_options *options, bool *busy);

#endif
