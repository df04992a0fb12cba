// SPDX-License-Identifier: GPL-2.0
/* What is shown: a table, and what covers it. */
#include <stdlib.h>
#include <string.h>

#include "browse/help.h"
#include "browse/screen.h"
#include "browse/view.h"

void view_init(struct view *v, bool live)
{
	*v = (struct view){ .live = live, .choice = { PICTURE_ALL, PICTURE_ALL } };
}

static void forget(struct picture_function *f)
{
	free(f->name);
	free(f->object);
	f->name = f->object = NULL;
}

/* Copies the function. Its names are NULL if memory is short. */
static void remember(struct picture_function *to, const struct picture_function *f)
{
	struct picture_function copy = { .kind = f->kind, .name = strdup(f->name),
					 .object = strdup(f->object) };

	forget(to);
	if (copy.name && copy.object)
		*to = copy;
	else
		forget(&copy);
}

void view_free(struct view *v)
{
	listing_free(&v->text);
	calls_free(&v->calls);
	table_free(&v->table);
	menu_free(&v->menu);
	forget(&v->marked);
	forget(&v->subject);
	free(v->thread.comm);
	free(v->event_name);
	free(v->object);
	free(v->wanted);
	picture_free(v->picture);
}

size_t view_lines(const struct view *v)
{
	switch (view_mode(v)) {
	case VIEW_TABLE:
		return v->table.nr;
	case VIEW_CALLS:
		return v->calls.nr_shown;
	case VIEW_TEXT:
		return v->text.nr;
	case VIEW_MENU:
		return v->menu.nr;
	default:
		return help_lines(v->live);
	}
}

void view_stay_inside(struct view *v)
{
	if (v->at[view_mode(v)] >= view_lines(v))
		v->at[view_mode(v)] = view_lines(v) ? view_lines(v) - 1 : 0;
}

void view_show(struct view *v, enum view_mode next)
{
	size_t at = 0;

	while (at <= v->depth && v->modes[at] != next)
		at++;
	v->depth = at;
	v->modes[at] = next;
	v->at[next] = v->left[next] = 0;
	v->waiting = false;
}

void view_back(struct view *v)
{
	if (v->waiting) {
		v->waiting = false;
		return;
	}
	v->depth -= v->depth > 0;
	view_stay_inside(v);
}

void view_short_of_memory(struct view *v)
{
	snprintf(v->note, sizeof(v->note), "not enough memory");
}

/* Returns the number of the function in the picture; one behind the last if it is not in it. */
static uint32_t find(const struct view *v, const struct picture_function *f)
{
	uint32_t i = 0;

	while (i < view_event(v)->index.used && !picture_same(&view_event(v)->functions[i], f))
		i++;
	return i;
}

void view_mark(struct view *v, const struct picture_function *f)
{
	remember(&v->marked, f);
}

void view_make_table(struct view *v)
{
	size_t *at = &v->at[VIEW_TABLE];

	if (table_make(&v->table, view_event(v), v->search, v->object))
		view_short_of_memory(v);
	for (size_t i = 0; v->marked.name && i < v->table.nr; i++)
		if (picture_same(&view_event(v)->functions[v->table.rows[i]], &v->marked))
			*at = i;
	if (!v->marked.name)
		*at = 0;
}

/* The calls of the same function as before keep what is open. */
static void make_calls(struct view *v, bool keep)
{
	struct calls before = v->calls;

	if (calls_make(&v->calls, view_event(v),
		       v->subject.name ? find(v, &v->subject) : PICTURE_ALL) ||
	    (keep && calls_open_like(&v->calls, &before)))
		view_short_of_memory(v);
	calls_free(&before);
}

static bool has_mode(const struct view *v, enum view_mode mode)
{
	size_t at = 0;

	while (at < v->depth && v->modes[at] != mode)
		at++;
	return v->modes[at] == mode;
}

void view_choose(struct view *v)
{
	picture_choose(view_event(v), &v->choice);
	view_make_table(v);
	if (has_mode(v, VIEW_CALLS))
		make_calls(v, v->calls.event);
	else
		calls_free(&v->calls);
}

/* Returns the number of the chosen thread, or one that no sample has. */
static uint32_t find_thread(const struct view *v)
{
	const struct picture *p = v->picture;

	if (v->choice.thread == PICTURE_ALL)
		return PICTURE_ALL;
	for (size_t i = 0; i < p->index.used; i++)
		if (p->threads[i].pid == v->thread.pid && p->threads[i].tid == v->thread.tid)
			return i;
	return p->index.used;
}

/* Returns the chosen event; without it, the first one on the CPU. */
static size_t find_event(const struct view *v, const struct picture *next)
{
	size_t at = 0;

	for (size_t i = 0; v->event_name && i < next->nr_events; i++)
		if (!strcmp(next->events[i].name, v->event_name))
			return i;
	while (at + 1 < next->nr_events && next->events[at].offcpu)
		at++;
	return next->events[at].offcpu ? 0 : at;
}

void view_take(struct view *v, struct picture *picture)
{
	struct picture *before = v->picture;

	if (!picture) {
		table_free(&v->table);
		menu_free(&v->menu);
		calls_free(&v->calls);
		v->picture = NULL;
	} else {
		v->event = find_event(v, picture);
		v->picture = picture;
		v->choice.thread = find_thread(v);
		view_choose(v);
		if (v->menu.items && menu_make(&v->menu, v->menu.kind, picture, v->event))
			view_short_of_memory(v);
	}
	picture_free(before);
	view_stay_inside(v);
}

static void show_text(struct view *v, char *text, size_t width)
{
	if (!text || listing_make(&v->text, text, width))
		view_short_of_memory(v);
	view_show(v, VIEW_TEXT);
	v->at[VIEW_TEXT] = v->text.hottest;
}

void view_take_code(struct view *v, char *text, size_t width)
{
	if (v->waiting)
		show_text(v, text, width);
	else
		free(text);
}

const struct picture_function *view_function(const struct view *v)
{
	uint32_t function;

	if (!v->picture || !view_lines(v))
		return NULL;
	if (view_mode(v) == VIEW_TABLE)
		return &view_event(v)->functions[v->table.rows[v->at[VIEW_TABLE]]];
	if (view_mode(v) != VIEW_CALLS)
		return NULL;
	function = v->calls.list[v->calls.shown[v->at[VIEW_CALLS]]].function;
	if (function < view_event(v)->index.used)
		return &view_event(v)->functions[function];
	return v->subject.name ? &v->subject : NULL;
}

void view_choose_event(struct view *v, size_t event)
{
	v->event = event;
	free(v->event_name);
	v->event_name = strdup(view_event(v)->name);
	view_choose(v);
}

void view_choose_object(struct view *v, const char *object)
{
	free(v->object);
	v->object = object ? strdup(object) : NULL;
	view_make_table(v);
}

void view_show_calls(struct view *v, const struct picture_function *f)
{
	if (f)
		remember(&v->subject, f);
	else
		forget(&v->subject);
	make_calls(v, false);
	view_show(v, VIEW_CALLS);
}

void view_annotate(struct view *v)
{
	const struct picture_function *f = view_function(v);

	if (!f || f->kind > PROFILE_INLINED)
		return;
	free(v->wanted);
	v->wanted = strdup(f->name);
	v->waiting = v->wanted;
	snprintf(v->title, sizeof(v->title), "Instructions of %s", f->name);
	snprintf(v->note, sizeof(v->note), "Annotating %s ...", f->name);
}

void view_show_summary(struct view *v)
{
	snprintf(v->title, sizeof(v->title), "Summary");
	show_text(v, strdup(view_event(v)->summary), screen_width());
}

void view_show_menu(struct view *v, enum menu_kind kind)
{
	if (menu_make(&v->menu, kind, v->picture, v->event))
		view_short_of_memory(v);
	else
		view_show(v, VIEW_MENU);
}

void view_take_item(struct view *v)
{
	const uint32_t value = v->menu.items[v->at[VIEW_MENU]].value;

	if (v->menu.kind == MENU_VERDICTS) {
		v->choice.verdict = value;
	} else if (v->menu.kind == MENU_THREADS) {
		v->choice.thread = value;
		free(v->thread.comm);
		v->thread.comm = NULL;
		if (value != PICTURE_ALL) {
			v->thread = v->picture->threads[value];
			v->thread.comm = strdup(v->thread.comm);
		}
	}
	if (v->menu.kind == MENU_EVENTS)
		view_choose_event(v, value);
	else
		view_choose(v);
	menu_free(&v->menu);
	view_back(v);
}
