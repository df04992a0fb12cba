/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of an event as lines of a table. */
#ifndef LBRCTL_BROWSE_TABLE_H
#define LBRCTL_BROWSE_TABLE_H

#include "browse/picture.h"

enum table_sort {
	TABLE_SELF, TABLE_TOTAL, TABLE_SAMPLES, TABLE_FUNCTION, TABLE_OBJECT,
	TABLE_NR_SORTS
};

struct table {
	enum table_sort sort;
	const struct picture_event *event;
	uint32_t *rows;			/* by line: number of the function */
	size_t nr;
	size_t name_cells;		/* of the widest name */
};

/* Collects the functions with samples whose name contains the text, in any case of its letters, and
 * which are of this object; NULL: of all. The event must outlive the table, with its choice of
 * samples. Returns 0, or -1 when memory is short; then there are no lines. */
int table_make(struct table *table, const struct picture_event *event, const char *search,
	       const char *object);
void table_free(struct table *table);

/* Print the title, which shows the sort key in brackets, and a line. width: cells of the screen. */
void table_title(const struct table *table, size_t width, FILE *out);
void table_line(const struct table *table, size_t i, size_t width, FILE *out);

#endif
