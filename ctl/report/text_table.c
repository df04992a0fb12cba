// SPDX-License-Identifier: GPL-2.0
/* The rows of a report as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortname.h"
#include "report/text.h"

/* Maximum width of a column, so that a few long names do not widen it; of others than functions on a
 * terminal. */
#define COLUMN		40
#define COLUMN_NARROW	24
#define RATIO		7	/* least width of a ratio */

struct table {
	const struct text *t;
	const struct rows *rows;
	bool totals;			/* rows are of frames */
	bool samples;			/* the number of samples is shown */
	size_t widths[ROWS_NR_KEYS];
	size_t cells;			/* room for a function's name; 0: any */
	struct report_ratio ratios[REPORT_RATIOS];
	size_t nr_ratios;
};

/* What a cell shows; free() it. */
static char *table_cell(const struct table *table, const struct rows_row *row, enum rows_key key)
{
	return report_cell(table->t->a, row, key, table->t->report->full_names, table->cells);
}

/* A function that only calls others has no line, unless lines are sorted by what they call. */
static bool table_shows(const struct table *table, const struct rows_row *row)
{
	return report_shows(table->t->report, row->total.period) &&
	       (table->t->report->by_total || !table->totals ||
		share_of(report_sum(row->self.period, row->self.squares), table->t->all) >= .0005);
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

static void table_widen(struct table *table, enum rows_key key, size_t most)
{
	table->widths[key] = strlen(rows_key_title(key));
	for (size_t i = 0; i < table->rows->nr; i++) {
		char *cell = table_shows(table, &table->rows->list[i]) ?
			     table_cell(table, &table->rows->list[i], key) : NULL;
		size_t cells = cell ? shortname_cells(cell) : 0;

		*table->t->failed |= !cell && table_shows(table, &table->rows->list[i]);
		if (cells > table->widths[key])
			table->widths[key] = cells < most ? cells : most;
		free(cell);
	}
}

/* Functions have the room of the terminal that the other columns leave. */
static void table_measure(struct table *table)
{
	const struct rows_sort *sort = table->rows->sort;
	const size_t columns = table->t->columns, most = columns ? COLUMN_NARROW : COLUMN;
	size_t taken = table_figures(table);

	for (size_t k = 0; k < sort->nr; k++)
		if (sort->keys[k] != ROWS_SYMBOL) {
			table_widen(table, sort->keys[k], most);
			taken += 1 + table->widths[sort->keys[k]];
		}
	if (columns)
		table->cells = columns > taken + REPORT_NAME_LEAST ? columns - taken - 1 : REPORT_NAME_LEAST;
	if (rows_has(sort, ROWS_SYMBOL))
		table_widen(table, ROWS_SYMBOL, columns ? table->cells : COLUMN);
}

/* The last column is not padded. */
static void table_put(const struct table *table, size_t column, const char *cell)
{
	const struct rows_sort *sort = table->rows->sort;
	const size_t width = table->widths[sort->keys[column]], cells = cell ? shortname_cells(cell) : 0;

	*table->t->failed |= !cell;
	fprintf(table->t->out, " %s", cell ? cell : "");
	if (column + 1 < sort->nr && cells < width)
		fprintf(table->t->out, "%*s", (int)(width - cells), "");
}

static void table_head(const struct table *table)
{
	const struct rows_sort *sort = table->rows->sort;
	FILE *out = table->t->out;

	fprintf(out, "#\n#%6s %4s", table->totals ? "self" : "share", "+-");
	if (table->totals)
		fprintf(out, " %8s", "total");
	text_time_head(table->t);
	if (table->samples)
		fprintf(out, " %9s", "samples");
	for (size_t i = 0; i < table->nr_ratios; i++)
		fprintf(out, " %*s", RATIO, table->ratios[i].name);
	fputc(' ', out);
	for (size_t i = 0; i < sort->nr; i++)
		table_put(table, i, rows_key_title(sort->keys[i]));
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

static void table_row(const struct table *table, const struct rows_row *row)
{
	const struct rows_sort *sort = table->rows->sort;
	const struct text *t = table->t;

	text_share(t, report_sum(row->self.period, row->self.squares));
	if (table->totals)
		fprintf(t->out, " %7.1f%%", analysis_percent(t->a, row->total.period));
	text_time(t, t->report->by_total ? row->total.period : row->self.period);
	if (table->samples)
		fprintf(t->out, " %9" PRIu64, row->self.samples);
	table_ratios(table, row);
	fputc(' ', t->out);
	for (size_t i = 0; i < sort->nr; i++) {
		char *cell = table_cell(table, row, sort->keys[i]);

		table_put(table, i, cell);
		free(cell);
	}
	fputc('\n', t->out);
}

void text_table(const struct text *t)
{
	struct table table = { .t = t, .rows = t->a->rows, .totals = rows_of_frames(t->a->rows->sort),
			       .samples = t->report->numbers };
	size_t small = 0, callers = 0;

	table.nr_ratios = report_ratios(t->a, table.ratios);
	table_measure(&table);
	table_head(&table);
	for (size_t i = 0; i < table.rows->nr; i++) {
		const struct rows_row *row = &table.rows->list[i];

		if (!report_shows(t->report, row->total.period))
			small++;
		else if (!table_shows(&table, row))
			callers++;
		else
			table_row(&table, row);
	}
	if (small)
		lines_say(&t->lines, "%zu line%s below %g%% of the total omitted", small,
			  small > 1 ? "s" : "", t->report->limit);
	if (callers)
		lines_say(&t->lines, "%zu function%s others omitted (--children)", callers,
			  callers > 1 ? "s that only call" : " that only calls");
}
