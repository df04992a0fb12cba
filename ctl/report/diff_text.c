// SPDX-License-Identifier: GPL-2.0
/* The differences of two captures for a person: for each event the head, the lines, and notes. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/pager.h"
#include "base/text.h"
#include "report/diff.h"
#include "report/report.h"
#include "report/text_cells.h"

/* A terminal narrower than this has one decimal and not two. */
#define DIFF_WIDE	100

struct diff_text {
	const struct diff *d;
	FILE *out;
	size_t terminal;		/* the width of the terminal; 0: the output goes to a file or a pipe */
	struct text_cells columns;
	bool failed;			/* memory was short */
};

static const char *const sides[DIFF_SIDES] = { "before", "after" };

static bool is_narrow(const struct diff_text *t)
{
	return t->terminal && t->terminal < DIFF_WIDE;
}

static bool is_line(const struct diff *d, const struct diff_line *line)
{
	return line->beyond_chance || diff_shows(d, line);
}

static char *cell_of(void *ctx, size_t i, enum rows_key key, size_t cells)
{
	struct diff_text *t = ctx;
	const struct diff_line *line = &t->d->lines[i];
	const int side = line->rows == t->d->sides[DIFF_BEFORE]->rows ? DIFF_BEFORE : DIFF_AFTER;
	char *cell;

	if (!is_line(t->d, line))
		return NULL;
	cell = line->of_file && key != ROWS_OBJECT && !rows_is_number(key) ? strdup(diff_text(line, key)) :
	       report_cell(t->d->sides[side], line->row, key, t->d->full_names, cells);
	t->failed |= !cell;
	return cell;
}

struct side {
	const char *which, *input;	/* input: NULL, the file is not named */
	FILE *out;
};

static void side_line(void *ctx, const char *text)
{
	const struct side *side = ctx;

	fprintf(side->out, "# %s: ", side->which);
	if (side->input) {
		text_put_line(side->out, side->input, '\n');
		fputs(": ", side->out);
	}
	fprintf(side->out, "%s\n", text);
}

static void head(const struct diff_text *t)
{
	const struct diff *d = t->d;
	const struct analysis *before = d->sides[DIFF_BEFORE], *after = d->sides[DIFF_AFTER];
	const char *mark = d->changed ? " (*)" : "";
	char nr[32] = "none";

	for (int i = 0; i < DIFF_SIDES; i++)
		analysis_recorded(d->sides[i], &(struct lines){ side_line, &(struct side){
				  sides[i], d->sides[i]->query.input, t->out } });
	if (d->changed)
		snprintf(nr, sizeof(nr), "%zu", d->changed);
	fprintf(t->out, "# %s of %zu lines changed significantly%s; after has %.3f times the %s\n", nr, d->nr, mark,
		before->period_sum ? (double)after->period_sum / before->period_sum : 0,
		before->offcpu ? "time" : "events");
	if (*d->alone[DIFF_BEFORE])
		fprintf(t->out, "# Files with other names are compared by symbol: before %s; after %s\n",
			d->alone[DIFF_BEFORE], d->alone[DIFF_AFTER]);
	for (int i = 0; i < DIFF_SIDES; i++)
		if (*d->nameless[i])
			fprintf(t->out, "# Compared as a whole, since %s has no names of its functions: %s\n", sides[i],
				d->nameless[i]);
}

static void titles(struct diff_text *t)
{
	static const char wide[] = "# Before    After   Change      95% of change   ";
	static const char narrow[] = "#Before  After Change   95% of change";
	const char *figures = is_narrow(t) ? narrow : wide;

	text_cells_measure(&t->columns, t->terminal, strlen(figures), t->d->nr, cell_of, t);
	fprintf(t->out, "#\n%s", figures);
	text_cells_titles(&t->columns, t->out);
	fputc('\n', t->out);
}

static void put_line(struct diff_text *t, size_t nr)
{
	const struct diff_line *line = &t->d->lines[nr];
	const int less = is_narrow(t) ? 2 : 0, decimals = is_narrow(t) ? 1 : 2;
	const struct share_interval *change = &line->change.difference;

	fprintf(t->out, "%s%*.*f%% %*.*f%% %+*.*f %+*.*f to %+*.*f", line->beyond_chance ? "*" : " ",
		7 - less, decimals, 100 * diff_share(t->d, line, DIFF_BEFORE),
		7 - less, decimals, 100 * diff_share(t->d, line, DIFF_AFTER),
		8 - less, decimals, 100 * line->delta,
		8 - less, decimals, 100 * change->low, 7 - less, decimals, 100 * change->high);
	if (!is_narrow(t))
		fputc(' ', t->out);
	for (size_t i = 0; i < t->columns.sort->nr; i++) {
		char *cell = cell_of(t, nr, t->columns.sort->keys[i], t->columns.cells);

		text_cells_put(&t->columns, i, cell ? cell : "", t->out);
		free(cell);
	}
	fputc('\n', t->out);
}

static bool put_event(const struct diff *d, bool first, FILE *out)
{
	struct diff_text t = { .d = d, .out = out, .terminal = d->full_names ? 0 : pager_columns(),
			       .columns.sort = d->sides[DIFF_BEFORE]->rows->sort };
	size_t left_out = 0;

	head(&t);
	titles(&t);
	for (size_t i = 0; i < d->nr; i++) {
		if (is_line(d, &d->lines[i]))
			put_line(&t, i);
		else
			left_out++;
	}
	if (left_out)
		fprintf(out, "# %zu lines below %g%% in both omitted\n", left_out, d->limit);
	for (int i = 0; first && i < DIFF_SIDES; i++)
		analysis_unnamed(d->sides[i], &(struct lines){ side_line, &(struct side){
				 sides[i], NULL, out } });
	return !t.failed;
}

int diff_print_text(const struct diff *first, FILE *out)
{
	bool whole = true;

	for (const struct diff *d = first; d; d = d->next) {
		if (d != first)
			fputc('\n', out);
		whole &= put_event(d, d == first, out);
	}
	return whole ? 0 : err_fail("not enough memory for the differences");
}
