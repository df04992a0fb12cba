/* SPDX-License-Identifier: GPL-2.0 */
/* Draws on the whole terminal, by ncurses. It does not know what it shows. */
#ifndef LBRCTL_BROWSE_SCREEN_H
#define LBRCTL_BROWSE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SCREEN_HEADS	3

/* Texts may contain any bytes. */
struct screen_picture {
	char head[SCREEN_HEADS][512];
	char title[512];		/* above the lines */
	size_t nr, at;			/* number of lines; the marked one */
	size_t left;			/* cells of title and lines that are left of the screen */
	/* Prints line i, without a line end. A share at its beginning gives its colour. */
	void (*line)(void *ctx, size_t i, FILE *out);
	void *ctx;
	char foot[256];
};

/* The meaning of a key; characters stand for themselves. */
enum screen_key {
	SCREEN_NONE = -1,		/* no key was pressed */
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME,
	SCREEN_END, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_ENTER, SCREEN_BACK, SCREEN_ERASE,
	SCREEN_OTHER,			/* another key, or a new size of the terminal */
};

/* Whether stdin and stdout are a terminal whose cursor can be moved. A "dumb" one cannot. */
bool screen_possible(void);
/* Opens the screen. Returns false where that is not possible; prints no message. */
bool screen_open(void);
/* Restores the terminal. */
void screen_close(void);

void screen_draw(const struct screen_picture *picture);

/* Return the number of lines that fit on the screen, and of columns. */
size_t screen_room(void);
size_t screen_width(void);

/* Returns the next key. Does not wait. */
int screen_key(void);

#endif
