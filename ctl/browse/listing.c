// SPDX-License-Identifier: GPL-2.0
/* A text as lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "browse/listing.h"

static void wrap(char *text, size_t width)
{
	char *line = text, *blank = text;

	for (char *c = text; *c; c++) {
		if (*c == '\n')
			line = c + 1;
		if (*c == ' ')
			blank = c;
		if ((size_t)(c - line) >= width && blank > line) {
			*blank = '\n';
			line = blank + 1;
		}
	}
}

int listing_make(struct listing *l, char *text, size_t width)
{
	double share, most = 0;
	char *line, percent;
	size_t max = 0;

	listing_free(l);
	l->text = text;
	if (width)
		wrap(text, width);
	while ((line = strsep(&text, "\n")) && text) {
		if (room_for(&l->lines, l->nr + 1, &max, sizeof(*l->lines)))
			return -1;
		if (sscanf(line, " %lf%c", &share, &percent) == 2 && percent == '%' &&
		    share > most) {
			most = share;
			l->hottest = l->nr;
		}
		l->lines[l->nr++] = line;
	}
	return 0;
}

void listing_free(struct listing *l)
{
	free(l->text);
	free(l->lines);
	*l = (struct listing){ .text = NULL };
}
