// SPDX-License-Identifier: GPL-2.0
/* Prints runs of code as JSON. */
#include "base/err.h"
#include "base/json.h"
#include "blocks/text.h"

static void put_head(struct json *j, const struct blocks_capture *c)
{
	json_head(j, "blocks");
	json_unsigned(j, "samples", c->runs.samples);
	json_unsigned(j, "branches", c->runs.branches);
	json_unsigned(j, "executions", c->executions);
	json_object(j, "left_out");
	json_unsigned(j, "kernel", c->runs.kernel);
	json_unsigned(j, "contradicted", c->runs.backward + c->contradicted);
	json_unsigned(j, "newest", c->runs.left_out);
	json_close(j);
	json_unsigned(j, "without_code", c->unread);
	json_unsigned(j, "with_cycles", c->timed);
	json_unsigned(j, "cycles", c->cycles);
}

static void put_times(struct json *j, const struct blocks_capture *c,
		      const struct runs_run *run)
{
	json_array(j, "cycles");
	for (size_t i = 0; i < run->nr_times; i++) {
		const struct runs_time *t = &c->runs.times[run->first_time + i];

		json_array(j, NULL);
		json_unsigned(j, NULL, t->cycles);
		json_unsigned(j, NULL, t->executions);
		json_close(j);
	}
	json_close(j);
}

/* Addresses are virtual addresses of the file. */
static void put_runs(struct json *j, const struct blocks_capture *c,
		     const struct runs_run *run, size_t nr)
{
	for (const struct runs_run *end = run + nr; run < end; run++) {
		const struct place start = { run->file, run->start };
		const struct symbols_function *f =
			symbols_function(c->symbols, symbols_find(c->symbols, start));

		json_line(j);
		json_object(j, NULL);
		json_text(j, "object", f->object);
		json_text(j, "function", f->name);
		json_hex(j, "start", run->start);
		json_hex(j, "end", run->end);
		json_unsigned(j, "executions", run->executions);
		if (run->instructions)
			json_unsigned(j, "instructions", run->instructions);
		else
			json_null(j, "instructions");
		json_unsigned(j, "mispredicted", run->mispredicted);
		json_unsigned(j, "predicted", run->predicted);
		put_times(j, c, run);
		json_close(j);
	}
}

int blocks_json(struct blocks_capture *c)
{
	struct json j = json_to(stdout);

	put_head(&j, c);
	json_array(&j, "runs");
	put_runs(&j, c, c->runs.list, c->runs.nr);
	json_close(&j);
	json_close(&j);
	json_end(&j);
	return 0;
}

static int put_blocks(struct json *j, const struct blocks_capture *c,
		      const struct blocks_span *span)
{
	struct blocks_function f;
	size_t i, next;
	int err = blocks_disassemble(c, span, &f);

	for (i = 0; !err && i < f.nr; i = next) {
		for (next = i + 1; next < f.nr && !f.list[next].leads; next++)
			;
		json_line(j);
		json_object(j, NULL);
		json_hex(j, "start", f.list[i].address);
		json_hex(j, "end", f.list[next - 1].address);
		json_unsigned(j, "instructions", next - i);
		json_unsigned(j, "executions", f.list[i].executions);
		json_close(j);
	}
	blocks_function_free(&f);
	return err;
}

int blocks_json_function(struct blocks_capture *c, const char *name)
{
	struct json j = json_to(stdout);
	struct blocks_span span;
	size_t i;

	if (blocks_check_function(c, name))
		return -1;
	put_head(&j, c);
	json_array(&j, "runs");
	for (i = 0; blocks_find(c, name, i, &span); i = span.first - c->runs.list + span.nr)
		put_runs(&j, c, span.first, span.nr);
	json_close(&j);
	json_array(&j, "blocks");
	for (i = 0; blocks_find(c, name, i, &span); i = span.first - c->runs.list + span.nr)
		if (put_blocks(&j, c, &span))
			return -1;
	json_close(&j);
	json_close(&j);
	json_end(&j);
	return 0;
}
