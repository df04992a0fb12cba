// SPDX-License-Identifier: GPL-2.0
/* Puts a view on the screen: three lines that say what is shown, the lines, and the keys. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "browse/help.h"
#include "browse/layout.h"
#include "browse/screen.h"

static void put_mark(FILE *out, uint64_t part, uint64_t whole, bool exact)
{
	if (part && part == whole)
		fputs(" [concluded]", out);
	else if (part && exact)
		fprintf(out, " [concluded %.2f%%]", 100.0 * part / whole);
	else if (part)
		fputs(" [partly concluded]", out);
}

static void put_name(const struct picture_event *e, const struct calls_line *l, bool all, FILE *out)
{
	const struct picture_function *f;
	char *name;

	if (l->function >= e->index.used) {
		fputs(l->function == CALLS_CALLERS ? "[callers]" : all ? "[all]" : "[callees]", out);
		return;
	}
	f = &e->functions[l->function];
	name = report_name(f->name, false, 0);
	fprintf(out, "%s%s", name ? name : "", profile_kind_suffix(f->kind));
	free(name);
}

/* Samples of a caller are those that came from it to the function. */
static void put_call(const struct view *v, size_t i, FILE *out)
{
	const struct picture_event *e = view_event(v);
	const struct calls_line *l = &v->calls.list[v->calls.shown[i]];
	const struct share_sum all = picture_sum(&e->nodes[0].total), part = picture_sum(&l->total);

	fprintf(out, " %7.2f%% %6.2f ", 100 * share_of(part, all), 100 * share_margin(part, all));
	if (l->callers)
		fprintf(out, "%8s", "");
	else
		fprintf(out, "%7.2f%%", 100 * share_of(picture_sum(&l->self), all));
	fprintf(out, "  %*s%s ", (int)(2 * l->depth), "", l->leaf ? " " : l->open ? "-" : "+");
	put_name(e, l, !v->subject.name, out);
	put_mark(out, l->concluded, l->whole, !l->callers);
}

static void put_line(void *ctx, size_t i, FILE *out)
{
	const struct view *v = ctx;

	switch (view_mode(v)) {
	case VIEW_TABLE:
		table_line(&v->table, i, screen_width(), out);
		break;
	case VIEW_CALLS:
		put_call(v, i, out);
		break;
	case VIEW_TEXT:
		fputs(v->text.lines[i], out);
		break;
	case VIEW_MENU:
		menu_line(&v->menu, i, out);
		break;
	default:
		fputs(help_line(i), out);
	}
}

static void put_title(const struct view *v, FILE *out)
{
	if (view_mode(v) == VIEW_HELP)
		fputs(" Keys", out);
	else if (view_mode(v) == VIEW_TABLE && v->picture)
		table_title(&v->table, screen_width(), out);
	else if (view_mode(v) == VIEW_CALLS)
		fprintf(out, "#%8s %6s %8s  %s%s", "Total", "+-", "Self",
			v->subject.name ? "Callers and callees of " : "Call tree",
			v->subject.name ? v->subject.name : "");
	else if (view_mode(v) == VIEW_TEXT)
		fprintf(out, " %s", v->title);
	else if (view_mode(v) == VIEW_MENU && v->menu.items)
		fputs(menu_title(&v->menu), out);
}

static void put_verdicts(const struct picture_event *e, FILE *out)
{
	fprintf(out, "%s: %" PRIu64 " samples", e->name, e->samples);
	for (int i = 0; i < STACKS_NR_VERDICTS; i++)
		if (e->verdicts[i])
			fprintf(out, ", %.2f%% %s", 100.0 * e->verdicts[i] / e->samples,
				stacks_verdict_name(i));
}

/* The second line: the samples. */
static void put_samples(const struct view *v, FILE *out)
{
	const struct picture_choice *c = &v->choice;

	if (!v->picture)
		return;
	if (c->thread == PICTURE_ALL && c->verdict == PICTURE_ALL) {
		put_verdicts(view_event(v), out);
		return;
	}
	fprintf(out, "%s: %" PRIu64 " of %" PRIu64 " samples", view_event(v)->name,
		view_event(v)->nodes[0].total.samples, view_event(v)->samples);
	if (c->thread != PICTURE_ALL)
		fprintf(out, ", thread %" PRIu32 "/%" PRIu32 " %s", v->thread.pid, v->thread.tid,
			v->thread.comm ? v->thread.comm : "");
	if (c->verdict != PICTURE_ALL)
		fprintf(out, ", %s", stacks_verdict_name(c->verdict));
}

/* The third line: a note, or the whole name of the function of the marked line. */
static void put_marked(const struct view *v, FILE *out)
{
	const struct picture_function *f = view_function(v);

	if (*v->note)
		fputs(v->note, out);
	else if (f)
		fprintf(out, "%s%s  %s", f->name, profile_kind_suffix(f->kind), f->object);
	else if (view_mode(v) == VIEW_TEXT && v->choice.verdict != PICTURE_ALL)
		fputs("Samples of all verdicts: annotate does not build stacks", out);
}

static void put_foot(const struct view *v, FILE *out)
{
	static const char *const keys[VIEW_NR_MODES] = {
		[VIEW_TABLE] = "Enter: callers and callees  a: annotate  /: find  ?: help  q: quit",
		[VIEW_CALLS] = "Enter: open, close  E: open all  a: annotate  ?: help  q: back",
		[VIEW_TEXT] = "Left, Right: move the screen  ?: help  q: back",
		[VIEW_MENU] = "Enter: choose  q: back",
		[VIEW_HELP] = "q: back",
	};

	if (v->searching) {
		fprintf(out, "Function: %s_  (Enter: done, Esc: all)", v->search);
		return;
	}
	fputs(keys[view_mode(v)], out);
	if (view_mode(v) == VIEW_TABLE && *v->search)
		fprintf(out, "    /%s", v->search);
	if (view_mode(v) == VIEW_TABLE && v->object)
		fprintf(out, "    only %s", report_object(v->object));
}

/* Texts that are too long are cut: the screen is narrower. */
static void print(char *text, size_t size, void (*put)(const struct view *v, FILE *out),
		  const struct view *v)
{
	FILE *out = fmemopen(text, size, "w");

	text[0] = '\0';
	if (!out)
		return;
	put(v, out);
	fclose(out);
	text[size - 1] = '\0';
}

void layout_draw(const struct view *v, const char *head)
{
	struct screen_picture p = { .nr = view_lines(v), .at = v->at[view_mode(v)],
				    .left = v->left[view_mode(v)], .line = put_line,
				    .ctx = (void *)v };

	snprintf(p.head[0], sizeof(p.head[0]), "%s", head);
	print(p.head[1], sizeof(p.head[1]), put_samples, v);
	print(p.head[2], sizeof(p.head[2]), put_marked, v);
	print(p.title, sizeof(p.title), put_title, v);
	print(p.foot, sizeof(p.foot), put_foot, v);
	screen_draw(&p);
}
