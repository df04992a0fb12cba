// SPDX-License-Identifier: GPL-2.0
/* The call tree as text. */
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

/* Columns before a name. */
static size_t tree_figures(const struct text *t)
{
	return 24 + (t->a->offcpu ? TEXT_TIME : 0);
}

static void tree_mark(const struct text *t, const char *mark, uint64_t part, uint64_t total)
{
	const double share = total ? (double)part / total : 0;

	if (part && part == total)
		fprintf(t->out, " [%s]", mark);
	else if (share >= .0005)
		fprintf(t->out, " [%s %.1f%%]", mark, 100 * share);
}

/* The room for a name, in cells; 0: any. Levels that would leave less than the least room are not
 * indented further. */
static size_t tree_room(const struct text *t, size_t *indent)
{
	const size_t figures = tree_figures(t);

	if (!t->columns)
		return 0;
	if (figures + *indent + REPORT_NAME_LEAST > t->columns)
		*indent = t->columns > figures + REPORT_NAME_LEAST ?
			  t->columns - figures - REPORT_NAME_LEAST : 0;
	return t->columns > figures + *indent + REPORT_NAME_LEAST ?
	       t->columns - figures - *indent : REPORT_NAME_LEAST;
}

static void tree_node(const struct text *t, uint32_t n, size_t depth)
{
	const struct profile *p = t->a->profile;
	const struct profile_entry *e = &p->entries[p->nodes[n].entry];
	const struct profile_weight *total = &p->total[n];
	const struct profile_marked marked = profile_marked(p, n);
	const char *suffix = profile_kind_suffix(e->kind);
	size_t indent = 2 * depth, room = tree_room(t, &indent);
	char *name = report_name(e->name, t->report->full_names,
				 room > strlen(suffix) + 5 ? room - strlen(suffix) : room);

	text_share(t, report_sum(total->period, total->squares));
	if (t->a->query.inverted)
		fputc(' ', t->out);
	else
		fprintf(t->out, " %6.1f%% ", analysis_percent(t->a, p->self[n].period));
	text_time(t, total->period);
	fprintf(t->out, " %*s", (int)indent, "");
	text_put(t, name, suffix);
	tree_mark(t, "unwound", marked.unwound, total->period);
	tree_mark(t, "by frame pointer", marked.pointed, total->period);
	tree_mark(t, "stitched", marked.stitched, total->period);
	tree_mark(t, "unproved", marked.unproved, total->period);
	tree_mark(t, "recursive", marked.recursive, total->period);
	fputc('\n', t->out);
}

/* Depth first without recursion: a stack may have any number of frames. */
void text_tree(const struct text *t)
{
	const struct profile *p = t->a->profile;
	uint32_t n = p->nodes[0].first_child;
	size_t depth = 0;

	if (t->a->query.inverted)
		fprintf(t->out, "#\n#%6s %4s ", "self", "+-");
	else
		fprintf(t->out, "#\n#%6s %4s %7s ", "total", "+-", "self");
	text_time_head(t);
	fprintf(t->out, " %s\n", t->a->query.inverted ? "callers, innermost first" : "call tree");
	while (n) {
		bool shown = report_shows(t->report, p->total[n].period);

		if (shown)
			tree_node(t, n, depth);
		if (shown && p->nodes[n].first_child) {
			n = p->nodes[n].first_child;
			depth++;
			continue;
		}
		/* Siblings are sorted by falling total: all further ones are smaller. */
		while (n && (!shown || !p->nodes[n].next)) {
			n = p->nodes[n].parent;
			shown = true;
			depth--;
		}
		if (n)
			n = p->nodes[n].next;
	}
}
