// SPDX-License-Identifier: GPL-2.0
/* Prints runs of code as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "blocks/text.h"

/* A run's share of the total: of cycles if known, else of instructions, else of executions. */
static double run_share(const struct blocks_capture *c, const struct runs_run *run)
{
	if (c->cycles)
		return 100.0 * run->cycles / c->cycles;
	if (c->instructions)
		return 100.0 * run->instructions * run->executions / c->instructions;
	return 100.0 * run->executions / c->executions;
}

static const struct symbols_function *function_of(const struct blocks_capture *c,
						  const struct runs_run *run)
{
	const struct place start = { run->file, run->start };

	return symbols_function(c->symbols, symbols_find(c->symbols, start));
}

bool blocks_find(const struct blocks_capture *c, const char *name, size_t i,
		 struct blocks_span *span)
{
	const struct symbols_function *f;

	for (; i < c->runs.nr; i++) {
		span->first = &c->runs.list[i];
		span->function = function_of(c, span->first);
		if (!strcmp(span->function->name, name))
			break;
	}
	if (i == c->runs.nr)
		return false;
	for (span->nr = 1; i + span->nr < c->runs.nr; span->nr++) {
		f = function_of(c, span->first + span->nr);
		if (span->first[span->nr].file != span->first->file ||
		    f->start != span->function->start)
			break;
	}
	return true;
}

int blocks_disassemble(const struct blocks_capture *c, const struct blocks_span *span,
		       struct blocks_function *function)
{
	const struct maps_file *file = maps_file(samples_maps(c->samples),
						 span->first->file);
	struct object_range range;

	*function = (struct blocks_function){ 0 };
	if (!file->object || !object_function(file->object, span->first->start, &range))
		return err_fail("%s: its code is not available", span->function->name);
	return blocks_function(c->blocks, file->object, span->first->file, range, &c->runs,
			       function);
}

int blocks_check_function(const struct blocks_capture *c, const char *name)
{
	struct blocks_function f;
	struct blocks_span span;
	size_t i;

	if (!blocks_find(c, name, 0, &span))
		return err_whole() ? -1 : err_fail("the capture has no run of a function '%s'",
						   name);
	for (i = 0; blocks_find(c, name, i, &span);
	     i = span.first - c->runs.list + span.nr) {
		int err = blocks_disassemble(c, &span, &f);

		blocks_function_free(&f);
		if (err)
			return err;
	}
	return 0;
}

void blocks_print_newest(const struct runs *runs, FILE *out)
{
	if (runs->left_out)
		fprintf(out, "# Newest entries: not used, since this CPU repeats them (seen in %.1f%% of the\n"
			"# samples, as on Skylake); runs that end there: %" PRIu64 "\n",
			100.0 * runs->repeats / runs->pairs, runs->left_out);
}

static void print_head(const struct blocks_capture *c)
{
	const struct perfdata_info *info = samples_info(c->samples);

	if (info->cmdline)
		printf("# Command: %s\n", info->cmdline);
	printf("# Samples: %" PRIu64 " with %" PRIu64 " branch records\n", c->runs.samples,
	       c->runs.branches);
	printf("# Runs between two records: %" PRIu64 ", %zu different\n",
	       c->executions, c->runs.nr);
	printf("# Omitted: %" PRIu64 " in the kernel, %" PRIu64 " that contradict the code\n",
	       c->runs.kernel, c->runs.backward + c->contradicted);
	blocks_print_newest(&c->runs, stdout);
	if (c->unread)
		printf("# Without instructions: %" PRIu64 ", whose code is not available\n",
		       c->unread);
	if (!c->timed)
		printf("# Cycles: not recorded by this CPU or capture; shares are of %s\n",
		       c->instructions ? "instructions" : "executions");
	else
		printf("# Cycles: of %" PRIu64 " runs; 10, 50 and 90 %% of them did not exceed "
		       "these values\n", c->timed);
}

/* Prints cycles, IPC and mispredictions, each if it is known. */
static int print_figures(const struct blocks_capture *c, const struct runs_run *const *runs,
			 size_t nr)
{
	struct runs_summary s;

	if (runs_summarise(&c->runs, runs, nr, &s))
		return -1;
	if (s.timed)
		printf(" %5u %5u %5u", s.low, s.median, s.high);
	else
		printf(" %5s %5s %5s", "-", "-", "-");
	if (s.timed && s.instructions)
		printf(" %6.2f", (double)s.instructions / s.cycles);
	else
		printf(" %6s", "-");
	if (s.mispredicted + s.predicted)
		printf(" %7.2f%%", 100.0 * s.mispredicted / (s.mispredicted + s.predicted));
	else
		printf(" %8s", "-");
	return 0;
}

struct shown {
	const struct runs_run *run;
	double share;
};

static int shown_compare(const void *x, const void *y)
{
	const struct shown *a = x, *b = y;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->run < b->run ? -1 : a->run > b->run;
}

static int print_run(const struct blocks_capture *c, const struct shown *s)
{
	const struct symbols_function *f = function_of(c, s->run);

	printf("%8.2f%% %11" PRIu64, s->share, s->run->executions);
	if (print_figures(c, &s->run, 1))
		return -1;
	if (s->run->instructions)
		printf(" %6u", s->run->instructions);
	else
		printf(" %6s", "-");
	printf("  %s+%#" PRIx64 "..%#" PRIx64 " %s\n", f->name, s->run->start - f->start,
	       s->run->end - f->start, f->object);
	return 0;
}

int blocks_print(struct blocks_capture *c)
{
	struct shown *shown = calloc(c->runs.nr + 1, sizeof(*shown));
	size_t i, left_out = 0;
	int err = 0;

	if (!shown)
		return err_fail("out of memory");
	for (i = 0; i < c->runs.nr; i++)
		shown[i] = (struct shown){ &c->runs.list[i],
					   run_share(c, &c->runs.list[i]) };
	qsort(shown, c->runs.nr, sizeof(*shown), shown_compare);
	print_head(c);
	printf("#\n# %7s %11s %5s %5s %5s %6s %8s %6s  %s\n", "Share", "Executions", "10%",
	       "50%", "90%", "IPC", "Mispred.", "Instr.", "Run");
	for (i = 0; !err && i < c->runs.nr; i++) {
		if (shown[i].share < c->limit)
			left_out++;
		else
			err = print_run(c, &shown[i]);
	}
	if (left_out)
		printf("# %zu runs below %g%% of the total omitted\n", left_out, c->limit);
	free(shown);
	return err;
}

static int print_instruction(const struct blocks_capture *c,
			     const struct blocks_instruction *i)
{
	if (i->leads)
		printf("%12" PRIu64, i->executions);
	else
		printf("%12s", "");
	if (!i->nr_runs)
		printf("%33s", "");
	else if (print_figures(c, i->runs, i->nr_runs))
		return -1;
	printf("  %8" PRIx64 ":  %s\n", i->address, i->text);
	return 0;
}

static int print_function(const struct blocks_capture *c, const struct blocks_span *span)
{
	struct blocks_function f;
	size_t i;
	int err = blocks_disassemble(c, span, &f);

	if (err)
		goto out;
	printf("#\n# Function: %s, %s\n#\n", span->function->name, span->function->object);
	printf("# %10s %5s %5s %5s %6s %8s  %s\n", "Executions", "10%", "50%", "90%", "IPC",
	       "Mispred.", "Instructions; a blank line begins a block");
	for (i = 0; !err && i < f.nr; i++) {
		if (i && f.list[i].leads)
			putchar('\n');
		err = print_instruction(c, &f.list[i]);
	}
out:
	blocks_function_free(&f);
	return err;
}

int blocks_print_function(struct blocks_capture *c, const char *name)
{
	struct blocks_span span;
	size_t i;

	if (blocks_check_function(c, name))
		return -1;
	print_head(c);
	for (i = 0; blocks_find(c, name, i, &span);
	     i = span.first - c->runs.list + span.nr)
		if (print_function(c, &span))
			return -1;
	return 0;
}
