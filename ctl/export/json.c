// SPDX-License-Identifier: GPL-2.0
/*
 * All of the profile as JSON: {"version": 1, "verb": "export", "event", "unit" of the
 * stacks' "weight", "samples", "lost", "frames": [{"name", "object", "kind"}], "stacks": [{"thread",
 * "verdict", "samples", "weight", "frames": [index, outermost first]}]}.
 */
#include <inttypes.h>

#include "base/text.h"
#include "export/format.h"

struct json {
	const struct profile *profile;
	FILE *out;
	bool first;
};

static int json_stack(void *ctx, const struct profile_stack *whole)
{
	struct json *json = ctx;
	struct out_stack stack;

	out_split(json->profile, whole, &stack);
	fputs(json->first ? "\n{\"thread\":" : ",\n{\"thread\":", json->out);
	json->first = false;
	text_put_json(json->out, stack.thread);
	fprintf(json->out, ",\"verdict\":\"%s\",\"samples\":%" PRIu64
		",\"weight\":%" PRIu64 ",\"frames\":[", stack.verdict,
		whole->samples, whole->period);
	for (size_t i = 0; i < stack.nr; i++)
		fprintf(json->out, "%s%u", i ? "," : "",
			json->profile->nodes[stack.frames[i]].entry);
	fputs("]}", json->out);
	return 0;
}

static int json_write(const struct analysis *a, FILE *out)
{
	const struct profile *p = a->profile;
	struct json json = { p, out, true };
	int ret;

	fputs("{\"version\":1,\"verb\":\"export\",\"event\":", out);
	text_put_json(out, a->event);
	fprintf(out, ",\"unit\":\"%s\",\"samples\":%" PRIu64 ",\"lost\":%" PRIu64
		",\n\"frames\":[", a->offcpu ? "nanoseconds" : "events",
		a->nr_samples, samples_losses(a->samples).samples);
	for (size_t i = 0; i < p->nr_entries; i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		text_put_json(out, p->entries[i].name);
		fputs(",\"object\":", out);
		text_put_json(out, p->entries[i].object);
		fprintf(out, ",\"kind\":\"%s\"}", profile_kind_name(p->entries[i].kind));
	}
	fputs("],\n\"stacks\":[", out);
	ret = profile_walk(p, 0, json_stack, &json);
	fputs("]}\n", out);
	return ret;
}

const struct out_format out_json = {
	"json", "frames and stacks, with verdicts", false, json_write,
};
