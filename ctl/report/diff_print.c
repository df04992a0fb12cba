// SPDX-License-Identifier: GPL-2.0
/* The differences of two captures for programs, event by event: JSON and CSV. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "report/diff.h"
#include "report/report.h"

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
	for (size_t i = 0; i < sort->nr; i++) {
		if (line->of_file && sort->keys[i] == ROWS_SYMBOL)
			json_text(j, rows_key_name(ROWS_SYMBOL), diff_text(line, ROWS_SYMBOL));
		else
			rows_put_key(line->rows, line->row, sort->keys[i], j);
	}
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
			text_put_csv(out, diff_text(line, key));
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
