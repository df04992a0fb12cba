// SPDX-License-Identifier: GPL-2.0
/* Prints annotated functions as JSON. */
#include "annotate/annotate.h"
#include "base/json.h"

static void put_weight(struct json *j, uint64_t samples, uint64_t weight, struct share_sum part,
		       struct share_sum all)
{
	struct share_interval i = share_interval(part, all);

	json_unsigned(j, "samples", samples);
	json_unsigned(j, "weight", weight);
	json_fixed(j, "share", share_of(part, all), 6);
	json_fixed(j, "low", i.low, 6);
	json_fixed(j, "high", i.high, 6);
}

static void put_target(struct json *j, const struct annotate *a,
		       const struct annotate_function *f, size_t i)
{
	const struct symbols_function *to;
	uint64_t offset;

	if (!f->code.list[i].target)
		return;
	json_hex(j, "target", f->code.list[i].target);
	to = annotate_target(a, f, i, &offset);
	if (!to)
		return;
	json_text(j, "target_function", to->name);
	json_unsigned(j, "target_offset", offset);
}

static void put_line(struct json *j, const struct annotate *a,
		     const struct annotate_function *f, size_t i)
{
	bool inlined;
	const struct symbols_frame *frame = annotate_frame(a, f, i, &inlined);

	if (inlined)
		json_text(j, "inlined",
			  symbols_function(a->blocks.symbols, frame->function)->name);
	if (!frame->file || !frame->line)
		return;
	json_text(j, "file", frame->file);
	json_unsigned(j, "line", frame->line);
	json_text(j, "source", sources_line(a->sources, frame->file, frame->line));
}

static void put_instruction(struct json *j, const struct annotate *a,
			    const struct annotate_function *f, size_t i)
{
	const struct blocks_instruction *code = &f->code.list[i];
	const struct hits_place p = annotate_samples(f, i);

	json_line(j);
	json_object(j, NULL);
	json_hex(j, "address", code->address);
	json_text(j, "text", code->text);
	put_weight(j, p.samples, p.weight, p.sum, f->hits->sum);
	json_unsigned(j, "loop_depth", f->loops[i].depth);
	json_bool(j, "loop_head", f->loops[i].head);
	put_target(j, a, f, i);
	put_line(j, a, f, i);
	json_close(j);
}

static int put_block(struct json *j, const struct annotate *a,
		     const struct annotate_function *f, size_t i, size_t nr)
{
	const struct blocks_instruction *last = &f->code.list[i + nr - 1];
	struct runs_summary s;

	if (runs_summarise(&a->blocks.runs, last->runs, last->nr_runs, &s))
		return -1;
	json_line(j);
	json_object(j, NULL);
	json_hex(j, "start", f->code.list[i].address);
	json_hex(j, "end", last->address);
	json_unsigned(j, "instructions", nr);
	json_unsigned(j, "executions", f->code.list[i].executions);
	json_unsigned(j, "mispredicted", s.mispredicted);
	json_unsigned(j, "predicted", s.predicted);
	json_unsigned(j, "with_cycles", s.timed);
	json_unsigned(j, "cycles", s.cycles);
	json_array(j, "cycles_10_50_90");
	json_unsigned(j, NULL, s.low);
	json_unsigned(j, NULL, s.median);
	json_unsigned(j, NULL, s.high);
	json_close(j);
	json_close(j);
	return 0;
}

static int put_blocks(struct json *j, const struct annotate *a,
		      const struct annotate_function *f)
{
	if (!a->branches) {
		json_null(j, "blocks");
		return 0;
	}
	json_line(j);
	json_array(j, "blocks");
	for (size_t i = 0, nr; i < f->code.nr; i += nr) {
		nr = annotate_block(f, i);
		if (put_block(j, a, f, i, nr))
			return -1;
	}
	json_close(j);
	return 0;
}

static int put_function(struct json *j, const struct annotate *a,
			const struct annotate_function *f)
{
	const struct hits_function *hits = f->hits;

	json_line(j);
	json_object(j, NULL);
	json_text(j, "function", f->function->name);
	json_text(j, "object", f->function->object);
	json_hex(j, "start", f->range.start);
	json_hex(j, "end", f->range.end);
	put_weight(j, hits->samples, hits->weight, hits->sum, a->hits.all);
	json_line(j);
	json_array(j, "instructions");
	for (size_t i = 0; i < f->code.nr; i++)
		put_instruction(j, a, f, i);
	json_close(j);
	if (put_blocks(j, a, f))
		return -1;
	json_close(j);
	return 0;
}

int annotate_json(const struct annotate *a, const struct annotate_list *list)
{
	struct json j = json_to(stdout);

	json_head(&j, "annotate");
	json_text(&j, "command", samples_info(a->blocks.samples)->cmdline);
	json_text(&j, "event", a->event);
	json_unsigned(&j, "samples", a->hits.samples);
	json_unsigned(&j, "samples_read", a->nr_read);
	json_unsigned(&j, "weight", a->hits.weight);
	unnamed_put_json(&a->unnamed, samples_maps(a->blocks.samples), a->hits.weight, &j);
	json_array(&j, "functions");
	for (size_t i = 0; i < list->nr; i++)
		if (put_function(&j, a, &list->functions[i]))
			return -1;
	json_close(&j);
	json_close(&j);
	json_end(&j);
	return 0;
}
