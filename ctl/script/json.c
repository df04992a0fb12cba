// SPDX-License-Identifier: GPL-2.0
/* Samples as JSON, one object a line; lbrctl-json(7) describes it. */
#include <string.h>

#include "base/json.h"
#include "script/print.h"

static void json_of_sample(struct json *j, const struct recorded_sample *s)
{
	const struct perfdata_sample *raw = &s->raw;

	json_text(j, "comm", s->comm);
	json_unsigned(j, "pid", raw->pid);
	json_unsigned(j, "tid", raw->tid);
	if (raw->has_cpu)
		json_unsigned(j, "cpu", raw->cpu);
	else
		json_null(j, "cpu");
	if (raw->has_time)
		json_unsigned(j, "time_ns", raw->time);
	else
		json_null(j, "time_ns");
	json_unsigned(j, "period", raw->period);
	json_text(j, "event", s->event->name);
	json_hex(j, "ip", raw->ip);
	if (s->event->attr.sample_type & PERF_SAMPLE_CGROUP)
		json_unsigned(j, "cgroup", raw->cgroup);
	if (s->stack.stack_known && s->stack.stack > STACKS_NO_DEPTH)
		json_signed(j, "stack_depth", s->stack.stack);
}

/* An inlined function has no start. */
static void json_frame(struct json *j, const struct script *script,
		       const struct script_frame *f, const struct symbols_frame *frame)
{
	const struct symbols_function *function =
		symbols_function(script->symbols, frame->function);
	bool named = function->known || function->inlined;

	json_object(j, NULL);
	json_hex(j, "offset", f->offset);
	json_text(j, "sym", named ? function->name : NULL);
	if (function->known && !function->inlined)
		json_unsigned(j, "sym_offset", f->place.addr - function->start);
	else
		json_null(j, "sym_offset");
	json_text(j, "dso", function->object);
	json_bool(j, "inlined", function->inlined);
	json_bool(j, "frame_pointer", f->pointed);
	json_text(j, "file", frame->file);
	if (frame->line)
		json_unsigned(j, "line", frame->line);
	else
		json_null(j, "line");
	json_close(j);
}

static void json_frames(struct json *j, const struct script *script)
{
	json_array(j, "frames");
	for (size_t i = 0; i < script->nr_frames; i++) {
		const struct script_frame *f = &script->frames[i];
		size_t nr;
		const struct symbols_frame *list =
			symbols_frames(script->symbols, f->within, &nr);

		while (nr-- > 0)
			json_frame(j, script, f, &list[nr]);
	}
	json_close(j);
}

static void json_branch(struct json *j, const struct perf_branch_entry *entry)
{
	json_object(j, NULL);
	json_hex(j, "from", entry->from);
	json_hex(j, "to", entry->to);
	if (entry->mispred || entry->predicted)
		json_bool(j, "mispredicted", entry->mispred);
	else
		json_null(j, "mispredicted");
	json_unsigned(j, "cycles", entry->cycles);
	json_close(j);
}

/* Branch histories, which are no call stacks. */
static void json_branches(struct json *j, const struct recorded_sample *s)
{
	if (!s->raw.branches || recorded_has_lbr_stack(s->event))
		return;
	json_array(j, "branches");
	for (uint64_t i = 0; i < s->raw.branches_nr; i++) {
		struct perf_branch_entry entry;

		memcpy(&entry, s->raw.branches + i * sizeof(entry), sizeof(entry));
		json_branch(j, &entry);
	}
	json_close(j);
}

int script_json(const struct script *script, const struct recorded_sample *s)
{
	struct json j = json_to(stdout);
	char text[256];

	json_head(&j, "script");
	json_of_sample(&j, s);
	json_frames(&j, script);
	json_branches(&j, s);
	if (script_has_raw(s)) {
		snprintf(text, sizeof(text), "%.*s", (int)s->raw.text_size,
			 (const char *)s->raw.text);
		json_text(&j, "text", text);
	}
	json_close(&j);
	json_end(&j);
	return 0;
}
