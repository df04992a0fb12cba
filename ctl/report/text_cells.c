// SPDX-License-Identifier: GPL-2.0
/* The columns of a table that name its lines. */
#include <stdlib.h>
#include <string.h>

#include "base/shortname.h"
#include "report/report.h"
#include "report/text_cells.h"

/* The most room for a column: without a terminal, and for others than functions on one. */
#define MOST		40
#define MOST_NARROW	24

/* The lines of a table. */
struct lines_of {
	size_t nr;
	text_cells_of *cell;
	void *ctx;
};

static void widen(struct text_cells *c, enum rows_key key, size_t most, const struct lines_of *lines)
{
	c->widths[key] = strlen(rows_key_title(key));
	for (size_t i = 0; i < lines->nr; i++) {
		char *cell = lines->cell(lines->ctx, i, key, c->cells);
		size_t cells = cell ? shortname_cells(cell) : 0;

		if (cells > c->widths[key])
			c->widths[key] = cells < most ? cells : most;
		free(cell);
	}
}

void text_cells_measure(struct text_cells *c, size_t terminal, size_t taken, size_t nr, text_cells_of *cell, void *ctx)
{
	const struct lines_of lines = { nr, cell, ctx };

	for (size_t k = 0; k < c->sort->nr; k++)
		if (c->sort->keys[k] != ROWS_SYMBOL) {
			widen(c, c->sort->keys[k], terminal ? MOST_NARROW : MOST, &lines);
			taken += 1 + c->widths[c->sort->keys[k]];
		}
	if (terminal)
		c->cells = terminal > taken + REPORT_NAME_LEAST ? terminal - taken - 1 : REPORT_NAME_LEAST;
	if (rows_has(c->sort, ROWS_SYMBOL))
		widen(c, ROWS_SYMBOL, terminal ? c->cells : MOST, &lines);
}

void text_cells_put(const struct text_cells *c, size_t column, const char *cell, FILE *out)
{
	const size_t width = c->widths[c->sort->keys[column]], cells = shortname_cells(cell);

	fprintf(out, " %s", cell);
	if (column + 1 < c->sort->nr && cells < width)
		fprintf(out, "%*s", (int)(width - cells), "");
}

void text_cells_titles(const struct text_cells *c, FILE *out)
{
	for (size_t i = 0; i < c->sort->nr; i++)
		text_cells_put(c, i, rows_key_title(c->sort->keys[i]), out);
}
