/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the page of a flame graph. */
#ifndef LBRCTL_FLAME_HTML_H
#define LBRCTL_FLAME_HTML_H

#include "flame/tree.h"

/* The relation of the two sides of a tree. */
enum out_flame_mode {
	OUT_FLAME_SINGLE,	/* one side only */
	OUT_FLAME_HOT_COLD,	/* on the CPU, and off it; both in ns */
	OUT_FLAME_DIFF,		/* before, and after */
};

/* The instructions of functions, as text. The texts belong to the caller. */
struct flame_code {
	const char *name, *object;	/* as the tree has them */
	char *text;
};
struct flame_codes {
	struct flame_code *list;
	size_t nr;
};

/* Write the tree, and on a page those that follow and the code, to path as one self-contained HTML page, or
 * as a static SVG picture. A file appears complete or not at all. Return 0, or -1 with the reason
 * printed. */
int out_flame_write(const struct flame *flame, enum out_flame_mode mode, const struct flame_codes *codes,
		    const char *path);
int out_flame_write_svg(const struct flame *flame, enum out_flame_mode mode,
			const char *path);

/* Writes text with escapes for HTML and XML. */
void out_flame_put_text(FILE *out, const char *text);
/* Prints the title: event and command. */
void out_flame_put_title(FILE *out, const struct flame *flame,
			 enum out_flame_mode mode);

#endif
