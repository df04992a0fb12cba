// SPDX-License-Identifier: GPL-2.0
/* An object a line; lbrctl-json(7) describes it. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "script/print.h"

static void json_text(const char *name, const char *value)
{
	printf("\"%s\":", name);
	if (value)
		text_put_json(stdout, value);
	else
		fputs("null", stdout);
}

static void json_head(const struct recorded_sample *s)
{
	const struct perfdata_sample *raw = &s->raw;

	fputs("{\"version\":1,\"verb\":\"script\",", stdout);
	json_text("comm", s->comm);
	printf(",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"cpu\":", raw->pid, raw->tid);
	printf(raw->has_cpu ? "%" PRIu32 : "null", raw->cpu);
	fputs(",\"time_ns\":", stdout);
	if (raw->has_time)
		printf("%" PRIu64, raw->time);
	else
		fputs("null", stdout);
	printf(",\"period\":%" PRIu64 ",", raw->period);
	json_text("event", s->event->name);
	printf(",\"ip\":\"0x%" PRIx64 "\"", raw->ip);
	if (s->event->attr.sample_type & PERF_SAMPLE_CGROUP)
		printf(",\"cgroup\":%" PRIu64, raw->cgroup);
	if (s->stack.stack_known)
		printf(",\"stack_depth\":%" PRId64, s->stack.stack);
}

/* A function that is inlined begins nowhere. */
static void json_frame(const struct script *script, const struct script_frame *f,
		       const struct symbols_frame *frame, bool first)
{
	const struct symbols_function *function =
		symbols_function(script->symbols, frame->function);
	bool named = function->known || function->inlined;

	printf("%s{\"offset\":\"0x%" PRIx64 "\",", first ? "" : ",", f->offset);
	json_text("sym", named ? function->name : NULL);
	fputs(",\"sym_offset\":", stdout);
	if (function->known && !function->inlined)
		printf("%" PRIu64, f->place.addr - function->start);
	else
		fputs("null", stdout);
	fputc(',', stdout);
	json_text("dso", function->object);
	printf(",\"inlined\":%s,", function->inlined ? "true" : "false");
	json_text("file", frame->file);
	fputs(",\"line\":", stdout);
	if (frame->line)
		printf("%" PRIu32, frame->line);
	else
		fputs("null", stdout);
	fputc('}', stdout);
}

static void json_frames(const struct script *script)
{
	fputs(",\"frames\":[", stdout);
	for (size_t i = 0; i < script->nr_frames; i++) {
		const struct script_frame *f = &script->frames[i];
		size_t nr;
		const struct symbols_frame *list =
			symbols_frames(script->symbols, f->within, &nr);

		for (size_t j = nr; j-- > 0;)
			json_frame(script, f, &list[j], !i && j + 1 == nr);
	}
	fputc(']', stdout);
}

/* Those that are no call stack. */
static void json_branches(const struct recorded_sample *s)
{
	if (!s->raw.branches || s->event->attr.branch_sample_type &
				PERF_SAMPLE_BRANCH_CALL_STACK)
		return;
	fputs(",\"branches\":[", stdout);
	for (uint64_t i = 0; i < s->raw.branches_nr; i++) {
		struct perf_branch_entry entry;

		memcpy(&entry, s->raw.branches + i * sizeof(entry), sizeof(entry));
		printf("%s{\"from\":\"0x%" PRIx64 "\",\"to\":\"0x%" PRIx64
			"\",\"mispredicted\":%s,\"cycles\":%u}", i ? "," : "",
			(uint64_t)entry.from, (uint64_t)entry.to, entry.mispred ? "true" :
			entry.predicted ? "false" : "null", (unsigned int)entry.cycles);
	}
	fputc(']', stdout);
}

int script_json(const struct script *script, const struct recorded_sample *s)
{
	char text[256];

	json_head(s);
	json_frames(script);
	json_branches(s);
	if (script_has_raw(s)) {
		snprintf(text, sizeof(text), "%.*s", (int)s->raw.raw_size,
			 (const char *)s->raw.raw);
		fputc(',', stdout);
		json_text("text", text);
	}
	fputs("}\n", stdout);
	return 0;
}
