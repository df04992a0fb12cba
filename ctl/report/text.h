/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of a report as text. */
#ifndef LBRCTL_REPORT_TEXT_H
#define LBRCTL_REPORT_TEXT_H

#include <stdlib.h>

#include "base/lines.h"
#include "report/report.h"

/* The section of one event. */
struct text {
	const struct report *report;
	const struct analysis *a;
	struct share_sum all;
	FILE *out;
	struct lines lines;	/* to out, with a # in front */
	size_t columns;		/* of the terminal; 0: lines have any length */
	bool *failed;		/* memory was short, and a name is missing */
};

/* A heading, a line for each row above the limit, and what was omitted. */
void text_table(const struct text *text);
/* A heading, and a line for each node above the limit. */
void text_tree(const struct text *text);

/* Prints a name and frees it, and its suffix. */
static inline void text_put(const struct text *text, char *name, const char *suffix)
{
	*text->failed |= !name;
	fprintf(text->out, "%s%s", name ? name : "", suffix);
	free(name);
}

/* Prints the share, and its largest error to one side, in percent. */
static inline void text_share(const struct text *text, struct share_sum part)
{
	fprintf(text->out, "%6.1f%% %4.1f", 100 * share_of(part, text->all),
		100 * share_margin(part, text->all));
}

/* The columns of a weight in milliseconds, which only times off the CPU have. */
#define TEXT_TIME	11

static inline void text_time_head(const struct text *text)
{
	if (text->a->offcpu)
		fprintf(text->out, " %*s", TEXT_TIME - 1, "ms");
}

static inline void text_time(const struct text *text, uint64_t ns)
{
	if (text->a->offcpu)
		fprintf(text->out, " %*.3f", TEXT_TIME - 1, ns / 1e6);
}

#endif
