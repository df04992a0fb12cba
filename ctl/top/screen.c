// SPDX-License-Identifier: GPL-2.0
/* Draws on the terminal. */
#include <curses.h>
#include <locale.h>
#include <unistd.h>

#include "top/screen.h"

/* Lines of the terminal outside of the picture: heads, title, foot. */
#define SCREEN_OWN	(SCREEN_HEADS + 2)
/* Time after an escape in which another byte makes it a key. */
#define SCREEN_ESCAPE_MS	25

static SCREEN *screen_terminal;
static size_t screen_first;		/* the line at the top */

bool screen_open(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	setlocale(LC_CTYPE, "");
	screen_terminal = newterm(NULL, stdout, stdin);
	if (!screen_terminal)
		return false;
	set_escdelay(SCREEN_ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	screen_first = 0;
	return true;
}

void screen_close(void)
{
	endwin();
	delscreen(screen_terminal);
}

size_t screen_room(void)
{
	return LINES > SCREEN_OWN ? LINES - SCREEN_OWN : 1;
}

/* The last column stays free: a character there may wrap to the next line. */
static void screen_line(int y, const char *text, int attributes)
{
	attrset(attributes);
	mvaddnstr(y, 0, text, COLS - 1);
	attrset(A_NORMAL);
}

void screen_draw(const struct screen_picture *p)
{
	size_t room = screen_room();

	if (!p->marked || p->at < screen_first)
		screen_first = p->at;
	if (p->at >= screen_first + room)
		screen_first = p->at - room + 1;
	if (screen_first + room > p->nr)
		screen_first = p->nr > room ? p->nr - room : 0;
	erase();
	for (int i = 0; i < SCREEN_HEADS; i++)
		screen_line(i, p->head[i], A_NORMAL);
	screen_line(SCREEN_HEADS, p->title, A_BOLD);
	for (size_t i = 0; i < room && screen_first + i < p->nr; i++)
		screen_line(SCREEN_HEADS + 1 + i, p->lines[screen_first + i],
			    p->marked && screen_first + i == p->at ? A_REVERSE :
								     A_NORMAL);
	screen_line(LINES - 1, p->foot, A_BOLD);
	refresh();
}

int screen_key(void)
{
	int key = getch();

	switch (key) {
	case ERR:
		return SCREEN_NONE;
	case KEY_UP:
		return SCREEN_UP;
	case KEY_DOWN:
		return SCREEN_DOWN;
	case KEY_PPAGE:
		return SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_PAGE_DOWN;
	case KEY_HOME:
		return SCREEN_HOME;
	case KEY_END:
		return SCREEN_END;
	case KEY_ENTER:
	case '\r':
	case '\n':
		return SCREEN_ENTER;
	case 27:	/* escape */
		return SCREEN_BACK;
	case KEY_BACKSPACE:
	case '\b':
	case 127:
		return SCREEN_ERASE;
	case '\f':
		/* Another program has written to the terminal. */
		clearok(curscr, TRUE);
		return SCREEN_OTHER;
	default:
		return key >= ' ' && key < 127 ? key : SCREEN_OTHER;
	}
}
