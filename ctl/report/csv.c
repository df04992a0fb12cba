// SPDX-License-Identifier: GPL-2.0
/* The rows as a table (RFC 4180), with a header; shares are parts of the event's 1. */
#include <inttypes.h>

#include "base/text.h"
#include "report/report.h"

/* Whether event i of the groups was counted with any of the samples. */
static bool csv_counted(const struct analysis *first, size_t i)
{
	for (const struct analysis *a = first; a; a = a->next)
		if (a->counts[i])
			return true;
	return false;
}

static void csv_head(const struct analysis *a, FILE *out)
{
	const struct rows_sort *sort = a->rows->sort;

	fputs("event,", out);
	for (size_t i = 0; i < sort->nr; i++)
		fprintf(out, "%s,", rows_key_name(sort->keys[i]));
	if (rows_has(sort, ROWS_SYMBOL))
		fputs("kind,", out);
	fputs("self_samples,self_weight,self_share,self_low,self_high,"
	      "total_samples,total_weight,total_share,total_low,total_high", out);
	for (size_t i = 0; i < a->group->nr; i++)
		if (csv_counted(a, i)) {
			fputc(',', out);
			text_put_csv(out, a->group->events[i].name);
		}
	fputs("\r\n", out);
}

static void csv_key(const struct analysis *a, const struct rows_row *row,
		    enum rows_key key, FILE *out)
{
	uint64_t number = rows_number(a->rows, row, key);
	const char *path = key == ROWS_CGROUP ? samples_cgroup(a->samples, number) : NULL;

	if (!rows_is_number(key))
		path = rows_text(a->rows, row, key);
	if (path)
		text_put_csv(out, path);
	else
		fprintf(out, "%" PRIu64, number);
}

static void csv_weight(const struct profile_weight *w, struct share_sum all, FILE *out)
{
	struct share_sum part = report_sum(w->period, w->squares);
	struct share_interval i = share_interval(part, all);

	fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.6f,%.6f,%.6f", w->samples, w->period,
		share_of(part, all), i.low, i.high);
}

static void csv_row(const struct report *r, const struct analysis *first,
		    const struct rows_row *row, FILE *out)
{
	const struct analysis *a = r->analysis;
	const struct rows *rows = a->rows;
	const uint64_t *counts = rows->counts + (row - rows->list) * rows->nr_counts;

	text_put_csv(out, a->event);
	fputc(',', out);
	for (size_t i = 0; i < rows->sort->nr; i++) {
		csv_key(a, row, rows->sort->keys[i], out);
		fputc(',', out);
	}
	if (rows_has(rows->sort, ROWS_SYMBOL))
		fprintf(out, "%s,", profile_kind_name(rows_kind(rows, row)));
	csv_weight(&row->self, report_all(r), out);
	fputc(',', out);
	csv_weight(&row->total, report_all(r), out);
	for (size_t i = 0; i < a->group->nr; i++)
		if (csv_counted(first, i))
			fprintf(out, ",%" PRIu64, counts[i]);
	fputs("\r\n", out);
}

int report_print_csv(const struct report *whole, FILE *out)
{
	const struct analysis *first = whole->analysis;

	csv_head(first, out);
	for (const struct analysis *a = first; a; a = a->next) {
		struct report r = *whole;

		r.analysis = a;
		for (size_t i = 0; i < a->rows->nr; i++)
			if (report_shows(&r, a->rows->list[i].total.period))
				csv_row(&r, first, &a->rows->list[i], out);
	}
	return 0;
}
