/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of a table that name its lines: functions get the room that the terminal has left. */
#ifndef LBRCTL_REPORT_TEXT_CELLS_H
#define LBRCTL_REPORT_TEXT_CELLS_H

#include <stdio.h>

#include "profile/analysis.h"

struct text_cells {
	const struct rows_sort *sort;
	size_t widths[ROWS_NR_KEYS];
	size_t cells;		/* most of a function's name; 0: any number */
};

/* Returns what line `i` has in this column, a function's name in at most `cells` (0: any number); NULL:
 * the line is not shown, or memory is short. text_cells_measure() frees it. */
typedef char *text_cells_of(void *ctx, size_t i, enum rows_key key, size_t cells);

/* Sets widths and cells for `nr` lines. terminal: the width of the terminal; 0: the output goes to a file or a pipe.
 * taken: the width of what stands before these columns. A few long names do not widen a column. */
void text_cells_measure(struct text_cells *columns, size_t terminal, size_t taken, size_t nr, text_cells_of *cell,
			void *ctx);

/* Prints a cell behind a space. The last column is not padded. */
void text_cells_put(const struct text_cells *columns, size_t column, const char *cell, FILE *out);

/* Prints the titles of all columns. */
void text_cells_titles(const struct text_cells *columns, FILE *out);

#endif
