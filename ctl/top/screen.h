/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal, all of it, as long as it is open: ncurses, and nothing of what is shown. */
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
	bool marked;			/* one line is, */
	size_t at;			/* this one; else it is the first to be seen */
	char foot[256];
};

/* The meaning of a key; a character stands for itself. */
enum screen_key {
	SCREEN_NONE = -1,		/* none was pressed */
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME,
	SCREEN_END, SCREEN_ENTER, SCREEN_BACK, SCREEN_ERASE,
	SCREEN_OTHER,			/* something else; or there is another size */
};

/* Whether stdin and stdout are a terminal that we know; no message. */
bool screen_open(void);
/* It is as it was before. */
void screen_close(void);

void screen_draw(const struct screen_picture *picture);

/* The number of lines that fit on the screen. */
size_t screen_room(void);

/* Does not wait. */
int screen_key(void);

#endif
