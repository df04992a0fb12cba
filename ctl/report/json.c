// SPDX-License-Identifier: GPL-2.0
/* The report as JSON; lbrctl-json(7) describes it. */
#include "base/json.h"
#include "report/report.h"

struct report_json {
	const struct report *report;
	const struct analysis *a;
	struct share_sum all;
	struct json *out;
};

static void json_weight(const struct report_json *j, const char *name, uint64_t samples,
			struct share_sum part, uint64_t period)
{
	struct share_interval i = share_interval(part, j->all);

	json_object(j->out, name);
	json_unsigned(j->out, "samples", samples);
	json_unsigned(j->out, "weight", period);
	json_fixed(j->out, "share", share_of(part, j->all), 6);
	json_fixed(j->out, "low", i.low, 6);
	json_fixed(j->out, "high", i.high, 6);
	json_close(j->out);
}

static void json_profile_weight(const struct report_json *j, const char *name,
				const struct profile_weight *w)
{
	json_weight(j, name, w->samples, report_sum(w->period, w->squares), w->period);
}

static void json_key(const struct report_json *j, const struct rows_row *row,
		     enum rows_key key)
{
	const struct rows *rows = j->a->rows;

	rows_put_key(rows, row, key, j->out);
	if (key == ROWS_CGROUP)
		json_text(j->out, "cgroup_path",
			  samples_cgroup(j->a->samples, rows_number(rows, row, key)));
}

static void json_counts(const struct report_json *j, const uint64_t *counts)
{
	json_object(j->out, "counts");
	for (size_t i = 0; i < j->a->group->nr; i++)
		if (j->a->counts[i])
			json_unsigned(j->out, j->a->group->events[i].name, counts[i]);
	json_close(j->out);
}

static void json_row(const struct report_json *j, const struct rows_row *row)
{
	const struct rows *rows = j->a->rows;
	const struct rows_sort *sort = rows->sort;

	json_line(j->out);
	json_object(j->out, NULL);
	for (size_t i = 0; i < sort->nr; i++)
		json_key(j, row, sort->keys[i]);
	rows_put_kind(rows, row, j->out);
	json_profile_weight(j, "self", &row->self);
	json_profile_weight(j, "total", &row->total);
	if (j->a->group->nr)
		json_counts(j, rows->counts + (row - rows->list) * rows->nr_counts);
	json_close(j->out);
}

static void json_rows(const struct report_json *j)
{
	const struct rows *rows = j->a->rows;

	json_line(j->out);
	rows_put_sort(rows->sort, j->out);
	json_line(j->out);
	json_array(j->out, "rows");
	for (size_t i = 0; i < rows->nr; i++)
		if (report_shows(j->report, rows->list[i].total.period))
			json_row(j, &rows->list[i]);
	json_close(j->out);
}

static void json_node(const struct report_json *j, uint32_t n)
{
	const struct profile_node *node = &j->a->profile->nodes[n];
	const struct profile_entry *e = &j->a->profile->entries[node->entry];
	const struct profile_marked marked = profile_marked(j->a->profile, n);

	json_line(j->out);
	json_object(j->out, NULL);
	json_unsigned(j->out, "node", n);
	json_unsigned(j->out, "parent", node->parent);
	json_text(j->out, "name", e->name);
	json_text(j->out, "object", e->object);
	json_text(j->out, "kind", profile_kind_name(e->kind));
	json_profile_weight(j, "self", &j->a->profile->self[n]);
	json_profile_weight(j, "total", &j->a->profile->total[n]);
	json_unsigned(j->out, "unwound", marked.unwound);
	json_unsigned(j->out, "frame_pointer", marked.pointed);
	json_unsigned(j->out, "stitched", marked.stitched);
	json_unsigned(j->out, "unproved", marked.unproved);
	json_unsigned(j->out, "recursive", marked.recursive);
	json_close(j->out);
}

/* A flat list, since readers of JSON limit the depth of nesting. */
static void json_tree(const struct report_json *j)
{
	const struct profile *p = j->a->profile;
	size_t depth = 0;

	json_line(j->out);
	json_text(j->out, "order", j->a->query.inverted ? "callee" : "caller");
	json_line(j->out);
	json_array(j->out, "tree");
	for (uint32_t n = profile_next(p, 0, 0, &depth); n;
	     n = profile_next(p, n, 0, &depth))
		if (report_shows(j->report, p->total[n].period))
			json_node(j, n);
	json_close(j->out);
}

static void json_event(const struct report *report, struct json *json)
{
	struct report_json j = { report, report->analysis, report_all(report), json };

	json_line(json);
	analysis_put_json(j.a, json, "capture");
	json_rows(&j);
	if (report->tree)
		json_tree(&j);
}

int report_print_json(const struct report *whole, FILE *out)
{
	struct json json = json_to(out);
	struct report report = *whole;

	json_head(&json, "report");
	json_event(whole, &json);
	json_line(&json);
	json_array(&json, "other_events");
	while ((report.analysis = report.analysis->next)) {
		json_object(&json, NULL);
		json_event(&report, &json);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
	json_end(&json);
	return 0;
}
