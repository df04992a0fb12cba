// SPDX-License-Identifier: GPL-2.0
/* The report as text: the summary, the table, the tree. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/own_events.h"
#include "report/report.h"

/* Maximum width of a column, so that a few long names do not widen it. */
#define TEXT_WIDTH	40

struct text {
	const struct report *report;
	const struct analysis *a;
	struct share_sum all;
	FILE *out;
	int widths[ROWS_NR_KEYS];
	struct report_ratio ratios[REPORT_RATIOS];
	size_t nr_ratios;
};

static void text_summary_line(void *ctx, const char *line)
{
	const struct text *t = ctx;

	fprintf(t->out, "# %s\n", line);
}

/* Prints the share, and its largest error to one side, in percent. */
static void text_share(const struct text *t, struct share_sum part)
{
	fprintf(t->out, "%7.2f%% %6.2f", 100 * share_of(part, t->all),
		100 * share_margin(part, t->all));
}

/* Returns the text of a row's key; a number needs the buffer. */
static const char *text_key(const struct text *t, const struct rows_row *row,
			    enum rows_key key, char buffer[32])
{
	const struct rows *rows = t->a->rows;
	const char *text;

	if (!rows_is_number(key))
		return rows_text(rows, row, key);
	if (key == ROWS_CGROUP) {
		text = samples_cgroup(t->a->samples, rows_number(rows, row, key));
		if (text)
			return text;
	}
	snprintf(buffer, 32, "%" PRIu64, rows_number(rows, row, key));
	return buffer;
}

static void text_measure(struct text *t)
{
	const struct rows *rows = t->a->rows;
	char buffer[32];

	for (size_t k = 0; k < rows->sort->nr; k++) {
		enum rows_key key = rows->sort->keys[k];

		t->widths[key] = strlen(rows_key_title(key));
		for (size_t i = 0; i < rows->nr; i++) {
			const struct rows_row *row = &rows->list[i];
			int width;

			if (!report_shows(t->report, row->total.period))
				continue;
			width = strlen(text_key(t, row, key, buffer));
			if (key == ROWS_SYMBOL)
				width += strlen(profile_kind_suffix(rows_kind(rows, row)));
			if (width > t->widths[key])
				t->widths[key] = width < TEXT_WIDTH ? width : TEXT_WIDTH;
		}
	}
}

/* The last column is not padded. */
static void text_cell(const struct text *t, size_t column, const char *name,
		      const char *suffix)
{
	const struct rows_sort *sort = t->a->rows->sort;
	int width = t->widths[sort->keys[column]] - (int)strlen(suffix);

	fputc(' ', t->out);
	if (column + 1 == sort->nr)
		width = 0;
	fprintf(t->out, "%s%s%*s", name, suffix,
		width > (int)strlen(name) ? width - (int)strlen(name) : 0, "");
}

static void text_table_head(const struct text *t, bool totals)
{
	const struct rows_sort *sort = t->a->rows->sort;

	fprintf(t->out, "#\n#%8s %6s", totals ? "Self" : "Share", "+-");
	if (totals)
		fprintf(t->out, " %8s %6s", "Total", "+-");
	fprintf(t->out, " %9s ", "Samples");
	for (size_t i = 0; i < t->nr_ratios; i++)
		fprintf(t->out, " %7s", t->ratios[i].name);
	for (size_t i = 0; i < sort->nr; i++)
		text_cell(t, i, rows_key_title(sort->keys[i]), "");
	fputc('\n', t->out);
}

static void text_ratios(const struct text *t, const struct rows_row *row)
{
	const struct rows *rows = t->a->rows;
	const uint64_t *counts = rows->counts + (row - rows->list) * rows->nr_counts;

	for (size_t i = 0; i < t->nr_ratios; i++) {
		double ratio = report_ratio(&t->ratios[i], counts);
		int width = strlen(t->ratios[i].name);

		if (width < 7)
			width = 7;
		if (isnan(ratio))
			fprintf(t->out, " %*s", width, "-");
		else
			fprintf(t->out, " %*.2f", width, ratio);
	}
}

/* Marks a line that is not significantly different from the line above. */
static void text_row(const struct text *t, const struct rows_row *row, bool totals,
		     bool alike)
{
	const struct rows_sort *sort = t->a->rows->sort;
	char buffer[32];

	fputs(alike ? "~" : " ", t->out);
	text_share(t, report_sum(row->self.period, row->self.squares));
	if (totals) {
		fputc(' ', t->out);
		text_share(t, report_sum(row->total.period, row->total.squares));
	}
	fprintf(t->out, " %9" PRIu64 " ", row->self.samples);
	text_ratios(t, row);
	for (size_t i = 0; i < sort->nr; i++) {
		enum rows_key key = sort->keys[i];

		text_cell(t, i, text_key(t, row, key, buffer), key == ROWS_SYMBOL ?
			  profile_kind_suffix(rows_kind(t->a->rows, row)) : "");
	}
	fputc('\n', t->out);
}

/* Totals of two rows have samples in common: these are not compared. */
static bool text_alike(const struct text *t, const struct rows_row *a,
		       const struct rows_row *b)
{
	return a && !t->report->by_total && b->self.period &&
	       share_alike(report_sum(a->self.period, a->self.squares),
			   report_sum(b->self.period, b->self.squares), t->all);
}

static void text_table(struct text *t)
{
	const struct rows *rows = t->a->rows;
	const struct rows_row *before = NULL;
	bool totals = rows_of_frames(rows->sort), any = false;
	size_t left_out = 0;

	text_measure(t);
	text_table_head(t, totals);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct rows_row *row = &rows->list[i];
		bool alike;

		if (!report_shows(t->report, row->total.period)) {
			left_out++;
			continue;
		}
		alike = text_alike(t, before, row);
		text_row(t, row, totals, alike);
		any |= alike;
		before = row;
	}
	if (left_out)
		fprintf(t->out, "# %zu lines below %g%% of the total omitted\n",
			left_out, t->report->limit);
	if (any)
		fputs("# ~ not significantly different from the line above\n",
		      t->out);
}

static void text_mark(const struct text *t, const char *mark, uint64_t part,
		      uint64_t total)
{
	if (part && part == total)
		fprintf(t->out, " [%s]", mark);
	else if (part)
		fprintf(t->out, " [%s %.2f%%]", mark, 100.0 * part / total);
}

static void text_node(const struct text *t, const struct profile_node *node,
		      size_t depth)
{
	const struct profile *p = t->a->profile;
	const struct profile_entry *e = &p->entries[node->entry];
	struct profile_marked marked = profile_marked(p, node - p->nodes);

	fputc(' ', t->out);
	text_share(t, report_sum(node->total, node->total_squares));
	if (!t->a->query.inverted)
		fprintf(t->out, " %7.2f%%", analysis_percent(t->a, node->self));
	fprintf(t->out, "  %*s%s%s", (int)(2 * depth), "", e->name,
		profile_kind_suffix(e->kind));
	text_mark(t, "unwound", marked.unwound, node->total);
	text_mark(t, "by frame pointer", marked.pointed, node->total);
	text_mark(t, "stitched", marked.stitched, node->total);
	text_mark(t, "unproved", marked.unproved, node->total);
	text_mark(t, "recursive", marked.recursive, node->total);
	fputc('\n', t->out);
}

/* Depth first without recursion: a stack may have any number of frames. */
static void text_tree(const struct text *t)
{
	const struct profile *p = t->a->profile;
	uint32_t n = p->nodes[0].first_child;
	size_t depth = 0;

	if (t->a->query.inverted)
		fprintf(t->out, "#\n#%8s %6s  Callers, innermost first\n", "Self", "+-");
	else
		fprintf(t->out, "#\n#%8s %6s %8s  Call tree\n", "Total", "+-", "Self");
	while (n) {
		bool shown = report_shows(t->report, p->nodes[n].total);
		bool meant = shown && (!t->report->nodes || t->report->nodes[n]);

		if (meant)
			text_node(t, &p->nodes[n], depth);
		if (meant && p->nodes[n].first_child) {
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

static struct text text_begin(const struct report *report, FILE *out)
{
	struct text t = { .report = report, .a = report->analysis, .out = out,
			  .all = report_all(report) };

	t.nr_ratios = report_ratios(t.a, t.ratios);
	return t;
}

void report_print_table(const struct report *report, FILE *out)
{
	struct text t = text_begin(report, out);

	text_table(&t);
}

void report_print_tree(const struct report *report, FILE *out)
{
	struct text t = text_begin(report, out);

	text_tree(&t);
}

/* Times off the CPU are not added to samples: they are shown only on request. */
static void text_others(struct text *t)
{
	size_t nr;
	const struct perfdata_event *events = samples_events(t->a->samples, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!samples_selected(t->a->samples, i) &&
		    !strcmp(events[i].name, PERFDATA_OFFCPU_NAME))
			text_summary_line(t, "This capture also has times off the CPU: report -e "
					  PERFDATA_OFFCPU_NAME);
}

/* The section of one event. */
static void text_event(struct text *t)
{
	if (t->a->follows)
		fputc('\n', t->out);
	if (!t->report->quiet)
		analysis_summary(t->a, text_summary_line, t);
	else if (t->a->follows || t->a->next)
		fprintf(t->out, "# Event: %s\n", t->a->event);
	if (!t->report->quiet && !t->a->follows)
		text_others(t);
	text_table(t);
	if (t->report->tree)
		text_tree(t);
}

void report_print_text(const struct report *whole, FILE *out)
{
	for (const struct analysis *a = whole->analysis; a; a = a->next) {
		struct report report = *whole;
		struct text t;

		report.analysis = a;
		t = text_begin(&report, out);
		text_event(&t);
	}
}
