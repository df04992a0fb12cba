// SPDX-License-Identifier: GPL-2.0
/* Prints the differences of two captures, event by event. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/pager.h"
#include "base/shortname.h"
#include "base/text.h"
#include "report/diff.h"
#include "report/report.h"

static double diff_share(const struct diff *d, const struct diff_line *line, int side)
{
	const struct analysis *a = d->sides[side];

	return a->period_sum ? (double)line->weights[side].period / a->period_sum : 0;
}

static bool diff_shows(const struct diff *d, const struct diff_line *line)
{
	return 100 * fmax(diff_share(d, line, DIFF_BEFORE),
			  diff_share(d, line, DIFF_AFTER)) >= d->limit;
}

/* Columns before the keys, and of a key that is not the last. */
#define DIFF_FIGURES	49
#define DIFF_KEY	32

/* The room for a name on this terminal, beside one more key; 0: any. */
static size_t diff_room(const struct diff *d)
{
	const size_t columns = d->full_names ? 0 : pager_columns();

	if (!columns)
		return 0;
	return columns > DIFF_FIGURES + 2 * REPORT_NAME_LEAST ? columns - DIFF_FIGURES - REPORT_NAME_LEAST :
								REPORT_NAME_LEAST;
}

static char *diff_cell(const struct diff *d, const struct diff_line *line, enum rows_key key)
{
	const int side = line->rows == d->sides[DIFF_BEFORE]->rows ? DIFF_BEFORE : DIFF_AFTER;

	return report_cell(d->sides[side], line->row, key, d->full_names, diff_room(d));
}

static void diff_print_note(void *out, const char *text)
{
	fprintf(out, "# %s\n", text);
}

static void diff_print_side(const char *which, const struct analysis *a, FILE *out)
{
	fprintf(out, "# %s: ", which);
	text_put_line(out, a->query.input, '\n');
	fprintf(out, ": %" PRIu64 " samples in %.3f s, %" PRIu64 " %s (", a->nr_samples,
		(a->last_time - a->first_time) / 1e9, a->period_sum,
		a->offcpu ? "ns" : "events");
	text_put_line(out, a->event, '\n');
	fprintf(out, "), lost %" PRIu64 " samples\n",
		samples_losses(a->samples).samples);
}

static int diff_print_line(const struct diff *d, const struct diff_line *line, FILE *out)
{
	double before = diff_share(d, line, DIFF_BEFORE);
	double after = diff_share(d, line, DIFF_AFTER);
	const struct rows_sort *sort = line->rows->sort;

	fprintf(out, "%s%7.2f%% %7.2f%% %+8.2f  %+7.2f to %+7.2f ",
		line->beyond_chance ? "*" : " ", 100 * before, 100 * after,
		100 * line->delta, 100 * line->change.difference.low,
		100 * line->change.difference.high);
	for (size_t i = 0; i < sort->nr; i++) {
		char *cell = diff_cell(d, line, sort->keys[i]);
		const size_t cells = cell ? shortname_cells(cell) : 0;

		if (!cell)
			return -1;
		fprintf(out, " %s%*s", cell,
			i + 1 < sort->nr && cells < DIFF_KEY ? (int)(DIFF_KEY - cells) : 0, "");
		free(cell);
	}
	fputc('\n', out);
	return 0;
}

static int diff_print_event(const struct diff *d, bool first, FILE *out)
{
	const struct analysis *before = d->sides[DIFF_BEFORE];
	const struct analysis *after = d->sides[DIFF_AFTER];
	const struct rows_sort *sort = before->rows->sort;
	size_t left_out = 0;

	for (int side = 0; side < DIFF_SIDES; side++) {
		diff_print_side(side == DIFF_BEFORE ? "Before" : "After", d->sides[side], out);
		if (first)
			analysis_unnamed(d->sides[side], &(struct lines){ diff_print_note, out });
	}
	fprintf(out, "# After has %.3f times the %s of before; shares refer to each capture\n",
		before->period_sum ? (double)after->period_sum / before->period_sum : 0,
		before->offcpu ? "ns" : "events");
	if (*d->alone[DIFF_BEFORE])
		fprintf(out, "# Files with other names are compared by symbol: before %s; after %s\n",
			d->alone[DIFF_BEFORE], d->alone[DIFF_AFTER]);
	fprintf(out, "#\n# Before    After   Change      95%% of change   ");
	for (size_t i = 0; i < sort->nr; i++)
		fprintf(out, " %-*s", i + 1 < sort->nr ? DIFF_KEY : 0,
			rows_key_title(sort->keys[i]));
	fputc('\n', out);
	for (size_t i = 0; i < d->nr; i++) {
		if (!d->lines[i].beyond_chance && !diff_shows(d, &d->lines[i]))
			left_out++;
		else if (diff_print_line(d, &d->lines[i], out))
			return err_fail("not enough memory for the differences");
	}
	if (left_out)
		fprintf(out, "# %zu lines below %g%% in both omitted\n", left_out,
			d->limit);
	fprintf(out, "# * significant: %zu of %zu lines\n", d->changed, d->nr);
	return 0;
}

int diff_print_text(const struct diff *first, FILE *out)
{
	int err = 0;

	for (const struct diff *d = first; d; d = d->next) {
		if (d != first)
			fputc('\n', out);
		err |= diff_print_event(d, d == first, out);
	}
	return err;
}

static void diff_json_side(const struct diff *d, const struct diff_line *line, int side,
			   struct json *j)
{
	json_object(j, side == DIFF_BEFORE ? "before" : "after");
	json_unsigned(j, "samples", line->weights[side].samples);
	json_unsigned(j, "weight", line->weights[side].period);
	json_fixed(j, "share", diff_share(d, line, side), 6);
	json_close(j);
}

static void diff_json_line(const struct diff *d, const struct diff_line *line, struct json *j)
{
	const struct rows_sort *sort = line->rows->sort;

	json_line(j);
	json_object(j, NULL);
	for (size_t i = 0; i < sort->nr; i++)
		rows_put_key(line->rows, line->row, sort->keys[i], j);
	rows_put_kind(line->rows, line->row, j);
	diff_json_side(d, line, DIFF_BEFORE, j);
	diff_json_side(d, line, DIFF_AFTER, j);
	json_fixed(j, "low", line->change.difference.low, 6);
	json_fixed(j, "high", line->change.difference.high, 6);
	json_real(j, "p", line->change.p, 6);
	json_real(j, "p_corrected", line->change.corrected, 6);
	json_bool(j, "beyond_chance", line->beyond_chance);
	json_close(j);
}

static void diff_json_event(const struct diff *d, struct json *j)
{
	json_line(j);
	analysis_put_json(d->sides[DIFF_BEFORE], j, "before");
	json_line(j);
	analysis_put_json(d->sides[DIFF_AFTER], j, "after");
	json_line(j);
	json_text(j, "of", d->by_total ? "total" : "self");
	json_unsigned(j, "compared", d->nr);
	json_unsigned(j, "changed", d->changed);
	rows_put_sort(d->sides[DIFF_BEFORE]->rows->sort, j);
	json_line(j);
	json_array(j, "rows");
	for (size_t i = 0; i < d->nr; i++)
		if (diff_shows(d, &d->lines[i]))
			diff_json_line(d, &d->lines[i], j);
	json_close(j);
}

int diff_print_json(const struct diff *first, FILE *out)
{
	struct json json = json_to(out), *j = &json;

	json_head(j, "diff");
	diff_json_event(first, j);
	json_line(j);
	json_array(j, "other_events");
	for (const struct diff *d = first->next; d; d = d->next) {
		json_object(j, NULL);
		diff_json_event(d, j);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	json_end(j);
	return 0;
}

static void diff_csv_line(const struct diff *d, const struct diff_line *line, FILE *out)
{
	const struct rows_sort *sort = line->rows->sort;

	text_put_csv(out, d->sides[DIFF_BEFORE]->event);
	fputc(',', out);
	for (size_t i = 0; i < sort->nr; i++) {
		enum rows_key key = sort->keys[i];

		if (rows_is_number(key))
			fprintf(out, "%" PRIu64, rows_number(line->rows, line->row, key));
		else
			text_put_csv(out, rows_text(line->rows, line->row, key));
		fputc(',', out);
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,", line->weights[side].samples,
			line->weights[side].period, diff_share(d, line, side));
	fprintf(out, "%.6f,%.6f,%.6g,%.6g,%s\r\n", line->change.difference.low,
		line->change.difference.high, line->change.p, line->change.corrected,
		line->beyond_chance ? "true" : "false");
}

int diff_print_csv(const struct diff *first, FILE *out)
{
	const struct rows_sort *sort = first->sides[DIFF_BEFORE]->rows->sort;

	fputs("event,", out);
	for (size_t i = 0; i < sort->nr; i++)
		fprintf(out, "%s,", rows_key_name(sort->keys[i]));
	fputs("before_samples,before_weight,before_share,after_samples,after_weight,"
	      "after_share,low,high,p,p_corrected,beyond_chance\r\n", out);
	for (const struct diff *d = first; d; d = d->next)
		for (size_t i = 0; i < d->nr; i++)
			if (diff_shows(d, &d->lines[i]))
				diff_csv_line(d, &d->lines[i], out);
	return 0;
}
