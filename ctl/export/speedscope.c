// SPDX-License-Identifier: GPL-2.0
/*
 * speedscope's own format (file-format-spec.ts of speedscope): a sampled profile for
 * each thread name. Its units know no events, and nothing of order in time is left
 * in a profile: stacks come in the order of the tree.
 */
#include <inttypes.h>

#include "base/text.h"
#include "export/format.h"

struct speedscope {
	const struct analysis *analysis;
	FILE *out;
	bool first;
};

/* Of a stack below its thread's node, which is no frame. */
static int speedscope_stack(void *ctx, const struct profile_stack *stack)
{
	struct speedscope *s = ctx;
	const struct profile *p = s->analysis->profile;

	fputs(s->first ? "[" : ",\n[", s->out);
	s->first = false;
	for (size_t i = 1; i < stack->nr; i++)
		fprintf(s->out, "%s%u", i > 1 ? "," : "",
			p->nodes[stack->nodes[i]].entry);
	fputc(']', s->out);
	return 0;
}

static int speedscope_weight(void *ctx, const struct profile_stack *stack)
{
	struct speedscope *s = ctx;

	fprintf(s->out, "%s%" PRIu64, s->first ? "" : ",",
		out_weight(s->analysis, stack->samples, stack->period));
	s->first = false;
	return 0;
}

static int speedscope_thread(struct speedscope *s, uint32_t thread)
{
	const struct profile *p = s->analysis->profile;
	const struct profile_node *node = &p->nodes[thread];

	fputs("{\"type\":\"sampled\",\"name\":", s->out);
	text_put_json(s->out, p->entries[node->entry].name);
	fprintf(s->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64
		",\n\"samples\":[", s->analysis->offcpu ? "nanoseconds" : "none",
		out_weight(s->analysis, node->total_samples, node->total));
	s->first = true;
	if (profile_walk(p, thread, speedscope_stack, s))
		return -1;
	fputs("],\n\"weights\":[", s->out);
	s->first = true;
	if (profile_walk(p, thread, speedscope_weight, s))
		return -1;
	fputs("]}", s->out);
	return 0;
}

static int speedscope_write(const struct analysis *a, FILE *out)
{
	const struct profile *p = a->profile;
	struct speedscope s = { a, out, true };
	uint32_t thread = p->nodes[0].first_child;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	      "\"exporter\":\"lbrctl\",\"name\":", out);
	text_put_json(out, a->event);
	fputs(",\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < p->nr_entries; i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		text_put_json(out, p->entries[i].name);
		fputs(",\"file\":", out);
		text_put_json(out, p->entries[i].object);
		fputc('}', out);
	}
	fputs("]},\n\"profiles\":[", out);
	for (; thread; thread = p->nodes[thread].next) {
		if (thread != p->nodes[0].first_child)
			fputs(",\n", out);
		if (speedscope_thread(&s, thread))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}

const struct out_format out_speedscope = {
	"speedscope", "for speedscope.app, a profile for each thread name", false,
	speedscope_write,
};
