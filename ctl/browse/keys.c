// SPDX-License-Identifier: GPL-2.0
/* What keys do. */
#include <string.h>

#include "browse/keys.h"
#include "browse/screen.h"

/* Cells that an arrow key moves the screen by. */
#define KEYS_STEP	8
/* Percent of the total below which no branches are opened, as in the report's tree. */
#define KEYS_LEAST	0.5

static bool search_key(struct view *v, int key)
{
	size_t len = strlen(v->search);

	if (key == SCREEN_ENTER || key == SCREEN_BACK)
		v->searching = false;
	if (key == SCREEN_BACK)
		v->search[0] = '\0';
	else if (key == SCREEN_ERASE && len)
		v->search[len - 1] = '\0';
	else if (key >= ' ' && key < 127 && len + 1 < sizeof(v->search))
		v->search[len] = key;
	else if (key != SCREEN_ENTER)
		return false;
	if (v->picture)
		view_make_table(v);
	return true;
}

/* Returns the line that a key moves to, from line `at` of nr. */
static size_t moved(int key, size_t at, size_t nr)
{
	size_t room = screen_room();

	switch (key) {
	case SCREEN_UP:
		return at ? at - 1 : 0;
	case SCREEN_PAGE_UP:
		return at > room ? at - room : 0;
	case SCREEN_HOME:
		return 0;
	case SCREEN_DOWN:
		return at + 1 < nr ? at + 1 : at;
	case SCREEN_PAGE_DOWN:
		return at + room < nr ? at + room : nr - 1;
	case SCREEN_END:
		return nr - 1;
	default:
		return at;
	}
}

static void move(struct view *v, int key)
{
	size_t *at = &v->at[view_mode(v)], *left = &v->left[view_mode(v)], before = *at;

	if (key == SCREEN_RIGHT)
		*left += KEYS_STEP;
	else if (key == SCREEN_LEFT)
		*left -= *left < KEYS_STEP ? *left : KEYS_STEP;
	else if (view_lines(v))
		*at = moved(key, *at, view_lines(v));
	if (view_mode(v) == VIEW_TABLE && *at != before)
		view_mark(v, view_function(v));
}

static void table_key(struct view *v, int key)
{
	static const char sorts[] = "STNFO";
	const char *sort = key > 0 && key < 128 ? strchr(sorts, key) : NULL;

	if (sort) {
		v->table.sort = sort - sorts;
		view_make_table(v);
	} else if ((key == SCREEN_ENTER || key == '+') && view_function(v)) {
		view_mark(v, view_function(v));
		view_show_calls(v, view_function(v));
	} else if (key == 'd' && (v->object || view_function(v))) {
		view_choose_object(v, v->object ? NULL : view_function(v)->object);
	} else {
		move(v, key);
	}
}

/* To the left is the branch that this one belongs to. */
static void leave(struct view *v)
{
	struct calls *c = &v->calls;
	size_t *at = &v->at[VIEW_CALLS];
	const uint32_t line = c->shown[*at];

	if (c->list[line].open) {
		calls_turn(c, *at, false);
		return;
	}
	while (*at && c->shown[*at] != c->list[line].parent)
		--*at;
}

/* The mark stays at what it was below. */
static int close_all(struct view *v)
{
	struct calls *c = &v->calls;
	size_t *at = &v->at[VIEW_CALLS];
	uint32_t line = c->shown[*at];

	while (c->list[line].depth)
		line = c->list[line].parent;
	if (calls_close_all(c))
		return -1;
	for (*at = 0; c->shown[*at] != line;)
		++*at;
	return 0;
}

static void calls_key(struct view *v, int key)
{
	struct calls *c = &v->calls;
	const size_t at = v->at[VIEW_CALLS];
	int err = 0;

	if (key == SCREEN_LEFT)
		leave(v);
	else if (key == SCREEN_RIGHT)
		err = calls_turn(c, at, true);
	else if (key == SCREEN_ENTER || key == '+' || key == ' ')
		err = calls_turn(c, at, !c->list[c->shown[at]].open);
	else if (key == 'E')
		err = calls_open_all(c, at, view_event(v)->nodes[0].total.period * KEYS_LEAST / 100);
	else if (key == 'C')
		err = close_all(v);
	else if (key == 'f' && view_function(v))
		view_show_calls(v, view_function(v));
	else
		move(v, key);
	if (err)
		view_short_of_memory(v);
}

/* Keys that mean the same with any picture. Returns whether it is one. */
static bool picture_key(struct view *v, int key)
{
	switch (key) {
	case 'a':
		view_annotate(v);
		return true;
	case 'c':
		view_show_calls(v, NULL);
		return true;
	case 'e':
		view_show_menu(v, MENU_EVENTS);
		return true;
	case '\t':
		view_choose_event(v, (v->event + 1) % v->picture->nr_events);
		view_stay_inside(v);
		return true;
	case 'i':
		view_show_summary(v);
		return true;
	case 't':
		view_show_menu(v, MENU_THREADS);
		return true;
	case 'v':
		view_show_menu(v, MENU_VERDICTS);
		return true;
	default:
		return false;
	}
}

static void escape(struct view *v)
{
	if (!v->depth && !v->waiting && v->picture && (*v->search || v->object)) {
		v->search[0] = '\0';
		view_choose_object(v, NULL);
	}
	view_back(v);
}

static bool common_key(struct view *v, int key)
{
	switch (key) {
	case 'q':
		v->quit = !v->depth && !v->waiting;
		view_back(v);
		return true;
	case SCREEN_BACK:
		escape(v);
		return true;
	case '?':
	case 'h':
		view_show(v, VIEW_HELP);
		return true;
	case 'p':
		v->paused = v->live && !v->paused;
		return true;
	case '/':
		v->searching = view_mode(v) == VIEW_TABLE;
		return true;
	default:
		return false;
	}
}

void keys_press(struct view *v, int key)
{
	v->note[0] = '\0';
	if (v->searching) {
		if (!search_key(v, key))
			move(v, key);
		return;
	}
	if (common_key(v, key))
		return;
	view_stay_inside(v);
	if (v->picture && view_lines(v) && view_mode(v) == VIEW_MENU && key == SCREEN_ENTER)
		view_take_item(v);
	else if (!v->picture || view_mode(v) > VIEW_CALLS)
		move(v, key);
	else if (picture_key(v, key))
		return;
	else if (view_mode(v) == VIEW_CALLS && view_lines(v))
		calls_key(v, key);
	else
		table_key(v, key);
}
