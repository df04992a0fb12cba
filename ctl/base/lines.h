/* SPDX-License-Identifier: GPL-2.0 */
/* A receiver of lines of text. */
#ifndef LBRCTL_BASE_LINES_H
#define LBRCTL_BASE_LINES_H

struct lines {
	/* text: without control characters and line end; valid during the call. */
	void (*line)(void *ctx, const char *text);
	void *ctx;
};

/* Passes a line on, of 1023 bytes at most. Control characters become '?'. */
__attribute__((format(printf, 2, 3)))
void lines_say(const struct lines *lines, const char *fmt, ...);

#endif
