// SPDX-License-Identifier: GPL-2.0
/* Draws on the terminal. */
#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#include "browse/cells.h"
#include "browse/screen.h"

/* Lines of the terminal outside of the picture: heads, title, foot. */
#define SCREEN_OWN	(SCREEN_HEADS + 2)
/* Time after an escape in which another byte makes it a key. */
#define SCREEN_ESCAPE_MS	25

enum { SCREEN_HOT = 1, SCREEN_WARM };		/* pairs of colours */

static SCREEN *screen_terminal;
static bool screen_colours;
static size_t screen_first;		/* the line at the top */

/* no-color.org; -1 is the terminal's own background. */
static bool screen_has_colours(void)
{
	const char *none = getenv("NO_COLOR");

	return !(none && *none) && has_colors() && start_color() == OK &&
	       use_default_colors() == OK && init_pair(SCREEN_HOT, COLOR_RED, -1) == OK &&
	       init_pair(SCREEN_WARM, COLOR_GREEN, -1) == OK;
}

bool screen_possible(void)
{
	bool possible;
	int error;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || setupterm(NULL, STDOUT_FILENO, &error))
		return false;
	possible = tigetstr("cup");
	del_curterm(set_curterm(NULL));
	return possible;
}

bool screen_open(void)
{
	if (!screen_possible())
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
	screen_colours = screen_has_colours();
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

size_t screen_width(void)
{
	return COLS > 1 ? COLS - 1 : 1;
}

/* The last column stays free: a character there may wrap to the next line. */
static void screen_line(int y, const char *text, size_t left, int attributes)
{
	char *cells = NULL;
	size_t size;
	FILE *out = y < LINES ? open_memstream(&cells, &size) : NULL;

	if (!out)
		return;
	cells_put(out, text, left, screen_width());
	if (!fclose(out)) {
		attrset(attributes);
		mvaddstr(y, 0, cells);
		attrset(A_NORMAL);
	}
	free(cells);
}

/* perf's colours: of 5 % or more, and of 0.5 %. */
static int screen_tone(const char *text)
{
	double share;
	char percent;

	if (!screen_colours || sscanf(text, "%*[ ]%lf%c", &share, &percent) != 2 ||
	    percent != '%')
		return A_NORMAL;
	return share >= 5 ? COLOR_PAIR(SCREEN_HOT) :
	       share >= 0.5 ? COLOR_PAIR(SCREEN_WARM) : A_NORMAL;
}

static void screen_body(const struct screen_picture *p, size_t i)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	p->line(p->ctx, screen_first + i, out);
	if (!fclose(out))
		screen_line(SCREEN_HEADS + 1 + i, text, p->left, screen_tone(text) |
			    (screen_first + i == p->at ? A_REVERSE : A_NORMAL));
	free(text);
}

/* A line that is more than a page away comes into the middle, with those around it. */
static void screen_scroll(const struct screen_picture *p, size_t room)
{
	if (p->at + room < screen_first || p->at >= screen_first + 2 * room)
		screen_first = p->at > room / 2 ? p->at - room / 2 : 0;
	else if (p->at < screen_first)
		screen_first = p->at;
	else if (p->at >= screen_first + room)
		screen_first = p->at - room + 1;
	if (screen_first + room > p->nr)
		screen_first = p->nr > room ? p->nr - room : 0;
}

void screen_draw(const struct screen_picture *p)
{
	size_t room = screen_room();

	screen_scroll(p, room);
	erase();
	for (int i = 0; i < SCREEN_HEADS; i++)
		screen_line(i, p->head[i], 0, A_NORMAL);
	screen_line(SCREEN_HEADS, p->title, p->left, A_BOLD);
	for (size_t i = 0; i < room && screen_first + i < p->nr; i++)
		screen_body(p, i);
	screen_line(LINES - 1, p->foot, 0, A_BOLD);
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
	case KEY_LEFT:
		return SCREEN_LEFT;
	case KEY_RIGHT:
		return SCREEN_RIGHT;
	case KEY_F(1):
		return '?';
	case '\t':
		return key;
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
