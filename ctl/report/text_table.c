// SPDX-License-Identifier: GPL-2.0
/* The rows of a report as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text_cells.h"
#include "report/text.h"

#define RATIO		7	/* least width of a ratio */

struct table {
	const struct text *t;
	const struct rows *rows;
	bool totals;			/* rows are of frames, whose callers are known */
	bool samples;			/* the number of samples is shown */
	struct text_cells columns;
	struct report_ratio ratios[REPORT_RATIOS];
	size_t nr_ratios;
};

/* What a line has to have of the total to be printed. */
static uint64_t table_weight(const struct table *table, const struct rows_row *row)
{
	return table->t->a->leaves ? row->self.period : row->total.period;
}

/* A function that only calls others has no line, unless lines are sorted by what they call. */
static bool table_shows(const struct table *table, const struct rows_row *row)
{
	return report_shows(table->t->report, table_weight(table, row)) &&
	       (table->t->report->by_total || !table->totals ||
		share_of(report_sum(row->self.period, row->self.squares), table->t->all) >= .0005);
}

static char *table_cell(void *ctx, size_t i, enum rows_key key, size_t cells)
{
	const struct table *table = ctx;
	const struct rows_row *row = &table->rows->list[i];
	char *cell;

	if (!table_shows(table, row))
		return NULL;
	cell = report_cell(table->t->a, row, key, table->t->report->full_names, cells);
	*table->t->failed |= !cell;
	return cell;
}

/* Returns the columns before the keys. */
static size_t table_figures(const struct table *table)
{
	size_t width = 12 + (table->totals ? 9 : 0) + (table->t->a->offcpu ? TEXT_TIME : 0) +
		       (table->samples ? 10 : 0);

	for (size_t i = 0; i < table->nr_ratios; i++)
		width += 1 + (strlen(table->ratios[i].name) > RATIO ? strlen(table->ratios[i].name) : RATIO);
	return width + 1;
}

static void table_head(const struct table *table)
{
	FILE *out = table->t->out;

	fprintf(out, "#\n#%6s %4s", rows_of_frames(table->rows->sort) ? "self" : "share", "+-");
	if (table->totals)
		fprintf(out, " %8s", "total");
	text_time_head(table->t);
	if (table->samples)
		fprintf(out, " %9s", "samples");
	for (size_t i = 0; i < table->nr_ratios; i++)
		fprintf(out, " %*s", RATIO, table->ratios[i].name);
	fputc(' ', out);
	text_cells_titles(&table->columns, out);
	fputc('\n', out);
}

static void table_ratios(const struct table *table, const struct rows_row *row)
{
	const struct rows *rows = table->rows;
	const uint64_t *counts = rows->counts + (row - rows->list) * rows->nr_counts;

	for (size_t i = 0; i < table->nr_ratios; i++) {
		double ratio = report_ratio(&table->ratios[i], counts);
		int width = strlen(table->ratios[i].name);

		if (width < RATIO)
			width = RATIO;
		if (isnan(ratio))
			fprintf(table->t->out, " %*s", width, "-");
		else
			fprintf(table->t->out, " %*.2f", width, ratio);
	}
}

static void table_row(struct table *table, size_t nr)
{
	const struct rows_row *row = &table->rows->list[nr];
	const struct text_cells *columns = &table->columns;
	const struct text *t = table->t;

	text_share(t, report_sum(row->self.period, row->self.squares));
	if (table->totals)
		fprintf(t->out, " %7.1f%%", analysis_percent(t->a, row->total.period));
	text_time(t, t->report->by_total ? row->total.period : row->self.period);
	if (table->samples)
		fprintf(t->out, " %9" PRIu64, row->self.samples);
	table_ratios(table, row);
	fputc(' ', t->out);
	for (size_t i = 0; i < columns->sort->nr; i++) {
		char *cell = table_cell(table, nr, columns->sort->keys[i], columns->cells);

		text_cells_put(columns, i, cell ? cell : "", t->out);
		free(cell);
	}
	fputc('\n', t->out);
}

void text_table(const struct text *t)
{
	struct table table = { .t = t, .rows = t->a->rows, .totals = rows_of_frames(t->a->rows->sort) && !t->a->leaves,
			       .samples = t->report->numbers, .columns.sort = t->a->rows->sort };
	size_t small = 0, callers = 0;

	table.nr_ratios = report_ratios(t->a, table.ratios);
	text_cells_measure(&table.columns, t->columns, table_figures(&table), table.rows->nr, table_cell, &table);
	table_head(&table);
	for (size_t i = 0; i < table.rows->nr; i++) {
		const struct rows_row *row = &table.rows->list[i];

		if (t->a->leaves && !row->self.samples)
			continue;
		if (!report_shows(t->report, table_weight(&table, row)))
			small++;
		else if (!table_shows(&table, row))
			callers++;
		else
			table_row(&table, i);
	}
	if (small)
		lines_say(&t->lines, "%zu line%s below %g%% of the total omitted", small,
			  small > 1 ? "s" : "", t->report->limit);
	if (callers)
		lines_say(&t->lines, "%zu function%s others omitted (--children)", callers,
			  callers > 1 ? "s that only call" : " that only calls");
}
