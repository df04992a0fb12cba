// SPDX-License-Identifier: GPL-2.0
/*
 * The whole profile as JSON: {"version": 1, "verb": "export", "event", "unit" of the stacks'
 * "weight", "samples", "lost", "frames": [{"name", "object", "kind", "source"}], "stacks": [{"process",
 * "thread", "verdict", "reason", "samples", "weight", "frames": [index, outermost first]}], "other_events": [the same
 * of each further event]}.
 */
#include "base/json.h"
#include "export/format.h"

struct export_json {
	const struct profile *profile;
	struct json *out;
};

static int json_stack(void *ctx, const struct profile_stack *whole)
{
	const struct export_json *x = ctx;
	struct json *j = x->out;
	struct out_stack stack;

	out_split(x->profile, whole, &stack);
	json_line(j);
	json_object(j, NULL);
	json_text(j, "process", stack.process);
	json_text(j, "thread", stack.thread);
	json_text(j, "verdict", stack.verdict);
	json_text(j, "reason", stack.reason);
	json_unsigned(j, "samples", whole->samples);
	json_unsigned(j, "weight", whole->period);
	json_array(j, "frames");
	for (size_t i = 0; i < stack.nr; i++)
		json_unsigned(j, NULL, x->profile->nodes[stack.frames[i]].entry);
	json_close(j);
	json_close(j);
	return 0;
}

static void json_entries(struct json *j, const struct profile *p)
{
	json_line(j);
	json_array(j, "frames");
	for (size_t i = 0; i < p->nr_entries; i++) {
		json_line(j);
		json_object(j, NULL);
		json_text(j, "name", p->entries[i].name);
		json_text(j, "object", p->entries[i].object);
		json_text(j, "kind", profile_kind_name(p->entries[i].kind));
		json_text(j, "source", profile_source_name(p->entries[i].source));
		json_close(j);
	}
	json_close(j);
}

static int json_event(const struct analysis *a, struct json *j)
{
	struct export_json x = { a->profile, j };

	json_text(j, "event", a->event);
	json_text(j, "unit", a->offcpu ? "nanoseconds" : "events");
	json_unsigned(j, "samples", a->nr_samples);
	json_unsigned(j, "lost", samples_losses(a->samples).samples);
	json_entries(j, a->profile);
	json_line(j);
	json_array(j, "stacks");
	if (profile_walk(a->profile, 0, json_stack, &x))
		return -1;
	json_close(j);
	return 0;
}

static int json_write(const struct analysis *a, FILE *out)
{
	struct json json = json_to(out), *j = &json;

	json_head(j, "export");
	if (json_event(a, j))
		return -1;
	json_line(j);
	json_array(j, "other_events");
	while ((a = a->next)) {
		json_object(j, NULL);
		if (json_event(a, j))
			return -1;
		json_close(j);
	}
	json_close(j);
	json_close(j);
	json_end(j);
	return 0;
}

const struct out_format out_json = {
	.name = "json", .description = "frames and stacks, with verdicts", .sources = true,
	.write = json_write,
};
