// SPDX-License-Identifier: GPL-2.0
/* Prints runs of code as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "blocks/text.h"

static void put_head(const struct blocks_capture *c)
{
	printf("{\"version\":1,\"verb\":\"blocks\",\"samples\":%" PRIu64 ",\"branches\":%" PRIu64
	       ",\"executions\":%" PRIu64 ",\"left_out\":{\"kernel\":%" PRIu64
	       ",\"contradicted\":%" PRIu64 "},\"without_code\":%" PRIu64
	       ",\"with_cycles\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"runs\":[",
	       c->runs.samples, c->runs.branches, c->executions, c->runs.kernel,
	       c->runs.backward + c->contradicted, c->unread, c->timed, c->cycles);
}

static void put_times(const struct blocks_capture *c, const struct runs_run *run)
{
	size_t i;

	printf(",\"cycles\":[");
	for (i = 0; i < run->nr_times; i++) {
		const struct runs_time *t = &c->runs.times[run->first_time + i];

		printf("%s[%" PRIu32 ",%" PRIu64 "]", i ? "," : "", t->cycles,
		       t->executions);
	}
	putchar(']');
}

/* Addresses are those of the file. */
static void put_runs(const struct blocks_capture *c, const struct runs_run *run, size_t nr)
{
	const struct runs_run *const end = run + nr, *const first = run;

	for (; run < end; run++) {
		const struct place start = { run->file, run->start };
		const struct symbols_function *f =
			symbols_function(c->symbols, symbols_find(c->symbols, start));

		printf("%s\n{\"object\":", run > first ? "," : "");
		text_put_json(stdout, f->object);
		printf(",\"function\":");
		text_put_json(stdout, f->name);
		printf(",\"start\":\"%#" PRIx64 "\",\"end\":\"%#" PRIx64
		       "\",\"executions\":%" PRIu64 ",\"instructions\":", run->start,
		       run->end, run->executions);
		printf(run->instructions ? "%u" : "null", run->instructions);
		printf(",\"mispredicted\":%" PRIu64 ",\"predicted\":%" PRIu64,
		       run->mispredicted, run->predicted);
		put_times(c, run);
		putchar('}');
	}
}

int blocks_json(struct blocks_capture *c)
{
	put_head(c);
	put_runs(c, c->runs.list, c->runs.nr);
	printf("]}\n");
	return 0;
}

static int put_blocks(const struct blocks_capture *c, const struct blocks_span *span,
		      const char *separator)
{
	struct blocks_function f;
	size_t i, next;
	int err = blocks_disassemble(c, span, &f);

	for (i = 0; !err && i < f.nr; i = next) {
		for (next = i + 1; next < f.nr && !f.list[next].leads; next++)
			;
		printf("%s\n{\"start\":\"%#" PRIx64 "\",\"end\":\"%#" PRIx64
		       "\",\"instructions\":%zu,\"executions\":%" PRIu64 "}",
		       i ? "," : separator, f.list[i].address, f.list[next - 1].address,
		       next - i, f.list[i].executions);
	}
	blocks_function_free(&f);
	return err;
}

int blocks_json_function(struct blocks_capture *c, const char *name)
{
	struct blocks_span span;
	const char *separator = "";
	size_t i = 0;

	if (blocks_check_function(c, name))
		return -1;
	put_head(c);
	for (; blocks_find(c, name, i, &span); separator = ",") {
		fputs(separator, stdout);
		put_runs(c, span.first, span.nr);
		i = span.first - c->runs.list + span.nr;
	}
	printf("],\"blocks\":[");
	for (i = 0, separator = ""; blocks_find(c, name, i, &span); separator = ",") {
		if (put_blocks(c, &span, separator))
			return -1;
		i = span.first - c->runs.list + span.nr;
	}
	printf("]}\n");
	return 0;
}
