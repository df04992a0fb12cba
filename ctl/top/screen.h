/* SPDX-License-Identifier: GPL-2.0 */
/* Draws on the whole terminal, by ncurses. It does not know what it shows. */
#ifndef LBRCTL_TOP_SCREEN_H
#define LBRCTL_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_HEADS	2

struct screen_picture {
	char head[SCREEN_HEADS][256];
	const char *title;		/* above the lines */
	const char **lines;
	size_t nr;
	bool marked;			/* line `at` is marked, */
	size_t at;			/* else it is the first visible one */
	char foot[256];
};

/* The meaning of a key; characters stand for themselves. */
enum screen_key {
	SCREEN_NONE = -1,		/* no key was pressed */
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME,
	SCREEN_END, SCREEN_ENTER, SCREEN_BACK, SCREEN_ERASE,
	SCREEN_OTHER,			/* another key, or a new size of the terminal */
};

/* Opens the screen. Returns whether stdin and stdout are a terminal of a known type; prints no
 * message. */
bool screen_open(void);
/* Restores the terminal. */
void screen_close(void);

void screen_draw(const struct screen_picture *picture);

/* Returns the number of lines that fit on the screen. */
size_t screen_room(void);

/* Returns the next key. Does not wait. */
int screen_key(void);

#endif
