// SPDX-License-Identifier: GPL-2.0
/*
 * speedscope's own format (file-format-spec.ts of speedscope): a sampled profile for
 * each process, by its name, and event. Its units do not include events. The profile has no order in time:
 * stacks come in the order of the tree.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "export/format.h"

struct speedscope {
	const struct analysis *analysis;
	size_t first;			/* of the shared frames: the first of this analysis */
	bool several;			/* events */
	enum out_weight weight;
	struct json *out;
};

/* The stack below its process's node, which is no frame. */
static int speedscope_stack(void *ctx, const struct profile_stack *stack)
{
	const struct speedscope *s = ctx;
	const struct profile *p = s->analysis->profile;

	json_array(s->out, NULL);
	for (size_t i = 1; i < stack->nr; i++)
		json_unsigned(s->out, NULL, s->first + p->nodes[stack->nodes[i]].entry);
	json_close(s->out);
	json_line(s->out);
	return 0;
}

static int speedscope_weight(void *ctx, const struct profile_stack *stack)
{
	const struct speedscope *s = ctx;

	json_unsigned(s->out, NULL,
		      out_number(s->weight, stack->samples, stack->period));
	return 0;
}

static int speedscope_name(const struct speedscope *s, const char *process)
{
	char *name;

	if (!s->several) {
		json_text(s->out, "name", process);
		return 0;
	}
	if (asprintf(&name, "%s (%s)", process, s->analysis->event) < 0)
		return -1;
	json_text(s->out, "name", name);
	free(name);
	return 0;
}

static int speedscope_process(const struct speedscope *s, uint32_t process)
{
	const struct profile *p = s->analysis->profile;
	const struct profile_weight *total = &p->total[process];
	struct json *j = s->out;

	json_object(j, NULL);
	json_text(j, "type", "sampled");
	if (speedscope_name(s, p->entries[p->nodes[process].entry].name))
		return -1;
	json_text(j, "unit", s->weight == OUT_EVENTS && out_is_time(s->analysis) ? "nanoseconds" : "none");
	json_unsigned(j, "startValue", 0);
	json_unsigned(j, "endValue", out_number(s->weight, total->samples, total->period));
	json_line(j);
	json_array(j, "samples");
	if (profile_walk(p, process, speedscope_stack, (void *)s))
		return -1;
	json_close(j);
	json_line(j);
	json_array(j, "weights");
	if (profile_walk(p, process, speedscope_weight, (void *)s))
		return -1;
	json_close(j);
	json_close(j);
	json_line(j);
	return 0;
}

static void speedscope_frames(struct json *j, const struct analysis *first)
{
	json_object(j, "shared");
	json_array(j, "frames");
	for (const struct analysis *a = first; a; a = a->next) {
		const struct profile *p = a->profile;

		for (size_t i = 0; i < p->nr_entries; i++) {
			json_line(j);
			json_object(j, NULL);
			json_text(j, "name", p->entries[i].name);
			json_text(j, "file", p->entries[i].object);
			json_close(j);
		}
	}
	json_close(j);
	json_close(j);
}

static int speedscope_event(const struct speedscope *s)
{
	const struct profile *p = s->analysis->profile;

	for (uint32_t process = p->nodes[0].first_child; process; process = p->nodes[process].next)
		if (speedscope_process(s, process))
			return -1;
	return 0;
}

static int speedscope_write(const struct analysis *first, enum out_weight weight, FILE *out)
{
	struct json json = json_to(out), *j = &json;
	struct speedscope s = { .out = j, .several = first->next, .weight = weight };

	json_object(j, NULL);
	json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(j, "exporter", "lbrctl");
	json_text(j, "name", first->event);
	speedscope_frames(j, first);
	json_line(j);
	json_array(j, "profiles");
	for (s.analysis = first; s.analysis; s.analysis = s.analysis->next) {
		if (speedscope_event(&s))
			return -1;
		s.first += s.analysis->profile->nr_entries;
	}
	json_close(j);
	json_close(j);
	json_end(j);
	return 0;
}

const struct out_format out_speedscope = {
	.name = "speedscope",
	.description = "for speedscope.app, a profile for each process and event",
	.write_weights = speedscope_write,
};
