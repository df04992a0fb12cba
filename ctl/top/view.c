// SPDX-License-Identifier: GPL-2.0
/* The rows of the live view. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "top/view.h"

/* Percent of the total below which a line of a call tree is omitted. */
#define VIEW_TREE_LIMIT	0.5

static void view_empty(struct view *v)
{
	free(v->text);
	free(v->lines);
	free(v->rows);
	v->text = NULL;
	v->lines = NULL;
	v->rows = NULL;
	v->title = "";
	v->nr = v->chosen = 0;
}

void view_free(struct view *v)
{
	view_empty(v);
	free(v->name);
	free(v->object);
}

static bool view_is(const struct view *v, enum profile_kind kind, const char *name,
		    const char *object)
{
	return kind == v->kind && !strcmp(name, v->name) && !strcmp(object, v->object);
}

/* Finds the nodes on the way to the chosen function, or below it. NULL when memory is short. */
static bool *view_nodes(const struct view *v, const struct profile *p)
{
	bool *below = calloc(p->nr_nodes, 2 * sizeof(*below));
	bool *nodes = below ? below + p->nr_nodes : NULL;
	size_t depth = 0;

	if (!below)
		return NULL;
	/* Nodes are sorted callers first. */
	for (uint32_t n = 0; (n = profile_next(p, n, 0, &depth));) {
		const struct profile_entry *e = &p->entries[p->nodes[n].entry];

		below[n] = below[p->nodes[n].parent] ||
			   view_is(v, e->kind, e->name, e->object);
		for (uint32_t up = n; below[n] && up && !nodes[up];
		     up = p->nodes[up].parent)
			nodes[up] = true;
	}
	memmove(below, nodes, p->nr_nodes * sizeof(*nodes));
	return below;
}

/* Prints the report into v->text. */
static int view_print(struct view *v, const struct analysis *a)
{
	struct report report = { .analysis = a };
	bool *nodes = v->tree ? view_nodes(v, a->profile) : NULL;
	size_t size;
	FILE *out;

	if (v->tree && !nodes)
		return -1;
	out = open_memstream(&v->text, &size);
	if (!out) {
		free(nodes);
		return -1;
	}
	if (v->tree) {
		report.limit = VIEW_TREE_LIMIT;
		report.nodes = nodes;
		report_print_tree(&report, out);
	} else {
		report_print_table(&report, out);
	}
	free(nodes);
	return fclose(out) ? -1 : 0;
}

/* Divides the text into lines; the last line with a # before all others is the title. */
static int view_cut(struct view *v)
{
	size_t max = 1;
	char *line, *rest = v->text;

	for (const char *c = v->text; *c; c++)
		max += *c == '\n';
	v->lines = calloc(max, sizeof(*v->lines));
	v->rows = calloc(max, sizeof(*v->rows));
	if (!v->lines || !v->rows)
		return -1;
	while ((line = strsep(&rest, "\n")) && rest) {
		for (char *c = line; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				*c = '?';
		if (*line != '#')
			v->lines[v->nr++] = line;
		else if (!v->nr)
			v->title = line;
	}
	return 0;
}

/* Keeps only lines whose functions match the search. */
static void view_find(struct view *v, const struct rows *rows)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->nr && i < rows->nr; i++) {
		const char *name = rows_text(rows, &rows->list[i], ROWS_SYMBOL);

		if (v->search && !strcasestr(name, v->search))
			continue;
		if (v->name && view_is(v, rows_kind(rows, &rows->list[i]), name,
				       rows_text(rows, &rows->list[i], ROWS_OBJECT)))
			v->chosen = nr;
		v->lines[nr] = v->lines[i];
		v->rows[nr++] = i;
	}
	v->nr = nr;
}

int view_make(struct view *v, const struct analysis *a)
{
	view_empty(v);
	if (!a)
		return 0;
	if (view_print(v, a) || view_cut(v)) {
		view_empty(v);
		return -1;
	}
	if (!v->tree)
		view_find(v, a->rows);
	return 0;
}

int view_choose(struct view *v, const struct analysis *a, size_t line)
{
	const struct rows_row *row = &a->rows->list[v->rows[line]];
	char *name = strdup(rows_text(a->rows, row, ROWS_SYMBOL));
	char *object = strdup(rows_text(a->rows, row, ROWS_OBJECT));

	if (!name || !object) {
		free(name);
		free(object);
		return -1;
	}
	free(v->name);
	free(v->object);
	v->name = name;
	v->object = object;
	v->kind = rows_kind(a->rows, row);
	v->chosen = line;
	return 0;
}
