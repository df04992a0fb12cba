// SPDX-License-Identifier: GPL-2.0
/* For scripts; lbrctl-json(7) describes it. */
#include <inttypes.h>

#include "base/text.h"
#include "report/report.h"

struct json {
	const struct report *report;
	const struct analysis *a;
	struct share_sum all;
	FILE *out;
};

static void json_weight(const struct json *j, const char *name, uint64_t samples,
			struct share_sum part, uint64_t period)
{
	struct share_interval i = share_interval(part, j->all);

	fprintf(j->out, ",\"%s\":{\"samples\":%" PRIu64 ",\"weight\":%" PRIu64
		",\"share\":%.6f,\"low\":%.6f,\"high\":%.6f}", name, samples, period,
		share_of(part, j->all), i.low, i.high);
}

static void json_profile_weight(const struct json *j, const char *name,
				const struct profile_weight *w)
{
	json_weight(j, name, w->samples, report_sum(w->period, w->squares), w->period);
}

static void json_key(const struct json *j, const struct rows_row *row,
		     enum rows_key key)
{
	const struct rows *rows = j->a->rows;
	const char *path;

	fprintf(j->out, "\"%s\":", rows_key_name(key));
	if (!rows_is_number(key)) {
		text_put_json(j->out, rows_text(rows, row, key));
		return;
	}
	fprintf(j->out, "%" PRIu64, rows_number(rows, row, key));
	if (key != ROWS_CGROUP)
		return;
	path = samples_cgroup(j->a->samples, rows_number(rows, row, key));
	fputs(",\"cgroup_path\":", j->out);
	if (path)
		text_put_json(j->out, path);
	else
		fputs("null", j->out);
}

static void json_counts(const struct json *j, const uint64_t *counts)
{
	bool first = true;

	fputs(",\"counts\":{", j->out);
	for (size_t i = 0; i < j->a->group.nr; i++) {
		if (!j->a->counts[i])
			continue;
		if (!first)
			fputc(',', j->out);
		first = false;
		text_put_json(j->out, j->a->group.events[i].name);
		fprintf(j->out, ":%" PRIu64, counts[i]);
	}
	fputc('}', j->out);
}

static void json_row(const struct json *j, const struct rows_row *row, bool first)
{
	const struct rows *rows = j->a->rows;
	const struct rows_sort *sort = rows->sort;

	fputs(first ? "\n{" : ",\n{", j->out);
	for (size_t i = 0; i < sort->nr; i++) {
		if (i)
			fputc(',', j->out);
		json_key(j, row, sort->keys[i]);
	}
	if (rows_has(sort, ROWS_SYMBOL))
		fprintf(j->out, ",\"kind\":\"%s\"",
			profile_kind_name(rows_kind(rows, row)));
	json_profile_weight(j, "self", &row->self);
	json_profile_weight(j, "total", &row->total);
	if (j->a->group.nr)
		json_counts(j, rows->counts + (row - rows->list) * rows->nr_counts);
	fputc('}', j->out);
}

static void json_rows(const struct json *j)
{
	const struct rows *rows = j->a->rows;
	bool first = true;

	fputs(",\n\"sort\":[", j->out);
	for (size_t i = 0; i < rows->sort->nr; i++)
		fprintf(j->out, "%s\"%s\"", i ? "," : "",
			rows_key_name(rows->sort->keys[i]));
	fputs("],\n\"rows\":[", j->out);
	for (size_t i = 0; i < rows->nr; i++) {
		if (!report_shows(j->report, rows->list[i].total.period))
			continue;
		json_row(j, &rows->list[i], first);
		first = false;
	}
	fputc(']', j->out);
}

static void json_node(const struct json *j, uint32_t n)
{
	const struct profile_node *node = &j->a->profile->nodes[n];
	const struct profile_entry *e = &j->a->profile->entries[node->entry];

	fprintf(j->out, "{\"node\":%" PRIu32 ",\"parent\":%" PRIu32 ",\"name\":", n,
		node->parent);
	text_put_json(j->out, e->name);
	fputs(",\"object\":", j->out);
	text_put_json(j->out, e->object);
	fprintf(j->out, ",\"kind\":\"%s\"", profile_kind_name(e->kind));
	json_weight(j, "self", node->self_samples,
		    report_sum(node->self, node->self_squares), node->self);
	json_weight(j, "total", node->total_samples,
		    report_sum(node->total, node->total_squares), node->total);
	fprintf(j->out, ",\"unwound\":%" PRIu64 ",\"stitched\":%" PRIu64
		",\"recursive\":%" PRIu64 "}", node->unwound, node->stitched,
		node->recursive);
}

/* A flat list: readers of JSON do not go as deep as stacks. */
static void json_tree(const struct json *j)
{
	const struct profile *p = j->a->profile;
	size_t depth = 0;
	bool first = true;

	fprintf(j->out, ",\n\"order\":\"%s\",\n\"tree\":[",
		j->a->query.inverted ? "callee" : "caller");
	for (uint32_t n = profile_next(p, 0, 0, &depth); n;
	     n = profile_next(p, n, 0, &depth)) {
		if (!report_shows(j->report, p->nodes[n].total))
			continue;
		fputs(first ? "\n" : ",\n", j->out);
		json_node(j, n);
		first = false;
	}
	fputc(']', j->out);
}

void report_print_json(const struct report *report, FILE *out)
{
	struct json j = { report, report->analysis, report_all(report), out };

	fputs("{\"version\":1,\"verb\":\"report\",\n\"capture\":", out);
	analysis_put_json(j.a, out);
	json_rows(&j);
	if (report->tree)
		json_tree(&j);
	fputs("}\n", out);
}
