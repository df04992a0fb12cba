// SPDX-License-Identifier: GPL-2.0
/* Prints annotated functions as text. */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "annotate/hottest.h"
#include "annotate/jumps.h"
#include "base/err.h"
#include "base/text.h"
#include "blocks/text.h"
#include "machine/package.h"
#include "object/debugfile.h"

/* Percent, interval, samples and loop come before the arrows. */
#define LEFT		27
/* Minimum columns of a continued line. */
#define LEAST		16

struct text {
	FILE *out;
	const struct annotate *a;
	const struct annotate_function *f;
	struct jumps *jumps;
	size_t width;
	int digits;		/* digits of an address */
};

static void print_note(void *out, const char *line)
{
	fprintf(out, "# %s\n", line);
}

static void print_summary(const struct annotate *a, const struct annotate_list *list, FILE *out)
{
	const struct perfdata_info *info = samples_info(a->blocks.samples);

	if (info->cmdline)
		fprintf(out, "# Command: %s\n", info->cmdline);
	fprintf(out, "# Event: %s\n", a->event);
	if (a->hits.samples != a->nr_read)
		fprintf(out, "# Filtered: %.2f%% of the %" PRIu64
			" samples match; shares refer to these\n", 100.0 * a->hits.samples / a->nr_read, a->nr_read);
	unnamed_lines(&a->unnamed, samples_maps(a->blocks.samples), a->blocks.symbols,
		      a->hits.weight, &(struct lines){ print_note, out });
	if (list->skipped) {
		const struct symbols_function *f =
			symbols_function(a->blocks.symbols, list->skipped->function);

		fprintf(out, "# Hotter: %s, %s (%.2f%%): %s\n", f->name, f->object,
		       100 * share_of(list->skipped->sum, a->hits.all),
		       annotate_no_code(a, list->skipped));
	}
	if (a->branches) {
		fprintf(out, "# Runs between two branches: %" PRIu64 "\n# Omitted: %" PRIu64
		       " in the kernel, %" PRIu64 " that contradict the code\n",
		       a->blocks.executions, a->blocks.runs.kernel,
		       a->blocks.runs.backward + a->blocks.contradicted);
		blocks_print_newest(&a->blocks.runs, out);
	}
}

/* Prints how to get the debug information that the file does not have. */
static void print_no_lines(const struct text *t)
{
	const struct maps *maps = samples_maps(t->a->blocks.samples);
	const struct maps_file *file = maps_file(maps, t->f->file);
	char command[512];

	if (file->object && object_is_unread(file->object)) {
		fprintf(t->out, "# Source lines: not known, the file's debug information is compressed by zstd, which "
				"elfutils before 0.189 cannot read (here: %s): objcopy --decompress-debug-sections FILE\n",
			dwfl_version(NULL));
		return;
	}
	package_debug(maps_machine(maps), file->path, command, sizeof(command));
	fprintf(t->out, "# Source lines: not known, the file has no debug information: %s%s\n", command,
	       debugfile_asks() ? "" : ", or use --debuginfod");
}

/* Prints whether source lines are known, and whether their text is available. */
static void print_sources(const struct text *t)
{
	const char *missing = NULL;
	bool known = false, inlined;

	for (size_t i = 0; i < t->f->code.nr; i++) {
		const struct symbols_frame *frame = annotate_frame(t->a, t->f, i, &inlined);

		if (!frame->file || !frame->line)
			continue;
		known = true;
		if (!sources_line(t->a->sources, frame->file, frame->line))
			missing = frame->file;
	}
	if (!known)
		print_no_lines(t);
	else if (missing)
		fprintf(t->out, "# Source text: not here: %s (--source-prefix FOLDER: where it is)\n", missing);
}

/* Returns the columns of a UTF-8 text; *bytes: the bytes that fit into `columns` columns. */
static size_t columns_of(const char *text, size_t columns, size_t *bytes)
{
	size_t nr = 0, length;

	*bytes = strlen(text);
	for (const char *c = text; *c; c += length ? length : 1) {
		length = text_utf8_length((const unsigned char *)c);
		if (nr++ == columns)
			*bytes = c - text;
	}
	return nr;
}

/* Prints the part of a text that fits into a line from this column on, with "..." if it was
 * cut. */
static void print_cut(const struct text *t, size_t column, const char *text)
{
	size_t room = t->width > column + LEAST ? t->width - column : LEAST, bytes;

	if (columns_of(text, room, &bytes) <= room) {
		fprintf(t->out, "%s\n", text);
		return;
	}
	columns_of(text, room - 3, &bytes);
	fprintf(t->out, "%.*s...\n", (int)bytes, text);
}

static size_t arrows_end(const struct text *t)
{
	return LEFT + 1 + jumps_columns(t->jumps) + (jumps_columns(t->jumps) > 0);
}

/* Prints the columns of the arrows in a line without an instruction. */
static void print_above(const struct text *t, size_t i)
{
	char arrows[JUMPS_WIDTH + 1];

	jumps_above(t->jumps, i, arrows);
	fprintf(t->out, " %s%s", arrows, *arrows ? " " : "");
}

/* Prints the source line, if it differs from that of the instruction before. */
static void print_line(const struct text *t, size_t i)
{
	bool inlined, before_inlined;
	struct symbols_frame before = { 0 };
	const struct symbols_frame *frame;
	const char *source, *base, *name = "";
	char *line;

	if (i)
		before = *annotate_frame(t->a, t->f, i - 1, &before_inlined);
	frame = annotate_frame(t->a, t->f, i, &inlined);
	if (!frame->file || !frame->line ||
	    (before.file && !strcmp(before.file, frame->file) && before.line == frame->line &&
	     before.function == frame->function))
		return;
	base = strrchr(frame->file, '/');
	source = sources_line(t->a->sources, frame->file, frame->line);
	/* A number alone says little, but where inlined code begins and ends. */
	if (!source && before.file && before.function == frame->function)
		return;
	if (inlined)
		name = symbols_function(t->a->blocks.symbols, frame->function)->name;
	if (asprintf(&line, "%s:%u%s%s%s%s%s", base ? base + 1 : frame->file, frame->line,
		     inlined ? " [" : "", name, inlined ? "]" : "",
		     source && *source ? "  " : "", source ? source : "") < 0)
		return;
	text_clean(line);
	fprintf(t->out, "%*s", LEFT, "");
	print_above(t, i);
	print_cut(t, arrows_end(t), line);
	free(line);
}

/* Prints the executions of the block, and the figures of the runs that end at its branch. */
static int print_block(const struct text *t, size_t i)
{
	const struct blocks_instruction *first = &t->f->code.list[i];
	const struct blocks_instruction *last = first + annotate_block(t->f, i) - 1;
	struct runs_summary s;
	const char *comma = "";

	if (runs_summarise(&t->a->blocks.runs, last->runs, last->nr_runs, &s))
		return -1;
	fprintf(t->out, "# %10" PRIu64 "%s", first->executions, " executions    ");
	print_above(t, i);
	if (s.mispredicted + s.predicted) {
		fprintf(t->out, "mispredicted %.2f%%",
		       100.0 * s.mispredicted / (s.mispredicted + s.predicted));
		comma = ", ";
	}
	if (s.timed)
		fprintf(t->out, "%scycles %u %u %u", comma, s.low, s.median, s.high);
	if (s.timed && s.instructions)
		fprintf(t->out, ", IPC %.2f", (double)s.instructions / s.cycles);
	fputc('\n', t->out);
	return 0;
}

/* Continues a text that does not fit in the next lines, broken behind a comma or blank. */
static void print_wrapped(const struct text *t, size_t column, size_t i, const char *text)
{
	size_t room = t->width > column + LEAST ? t->width - column : LEAST, bytes;

	while (columns_of(text, room, &bytes) > room) {
		size_t at = bytes;

		while (at > 1 && text[at - 1] != ',' && text[at - 1] != ' ')
			at--;
		at = at > 1 ? at : bytes;
		fprintf(t->out, "%.*s\n%*s", (int)at, text, LEFT, "");
		if (i + 1 < t->f->code.nr)
			print_above(t, i + 1);
		else
			fprintf(t->out, "%*s", (int)(arrows_end(t) - LEFT), "");
		fprintf(t->out, "%*s", (int)(column - arrows_end(t)), "");
		text += at;
	}
	fprintf(t->out, "%s\n", text);
}

/* Prints the target of a jump or call by name, if it leaves the function. */
static char *instruction_text(const struct text *t, size_t i)
{
	const struct blocks_instruction *code = &t->f->code.list[i];
	const struct symbols_function *to;
	const char *operand = strrchr(code->text, ' ');
	uint64_t offset;
	char *text;
	int length;

	to = operand ? annotate_target(t->a, t->f, i, &offset) : NULL;
	if (!to)
		return strdup(code->text);
	length = offset ? asprintf(&text, "%.*s%s+%#" PRIx64, (int)(operand + 1 - code->text),
				   code->text, to->name, offset) :
			  asprintf(&text, "%.*s%s", (int)(operand + 1 - code->text), code->text,
				   to->name);
	return length < 0 ? NULL : text;
}

static void print_instruction(const struct text *t, size_t i)
{
	const struct hits_place p = annotate_samples(t->f, i);
	const struct loops_mark *loop = &t->f->loops[i];
	char arrows[JUMPS_WIDTH + 1], *text = instruction_text(t, i);

	if (p.samples)
		fprintf(t->out, "%7.2f%% %6.2f %8" PRIu64, 100 * share_of(p.sum, t->f->hits->sum),
		       100 * share_margin(p.sum, t->f->hits->sum), p.samples);
	else
		fprintf(t->out, "%24s", "");
	if (loop->depth)
		fprintf(t->out, " %c%c", loop->depth < 10 ? '0' + (char)loop->depth : '+',
		       loop->head ? '*' : ' ');
	else
		fprintf(t->out, "   ");
	jumps_beside(t->jumps, i, arrows);
	fprintf(t->out, " %s%s%*" PRIx64 ": ", arrows, *arrows ? " " : "", t->digits,
	       t->f->code.list[i].address);
	print_wrapped(t, arrows_end(t) + t->digits + 2, i,
		      text ? text : t->f->code.list[i].text);
	free(text);
}

static int print_hottest(const struct text *t, const struct hottest *h, bool first)
{
	const uint64_t address = t->f->code.list[h->instruction].address;
	const char *base = h->file ? strrchr(h->file, '/') : NULL, *source;
	char *text = instruction_text(t, h->instruction), *line;
	int length;

	if (!text)
		return err_errno("printing the hottest lines");
	source = h->file ? sources_line(t->a->sources, h->file, h->line) : NULL;
	length = !h->file ? asprintf(&line, "%" PRIx64 ": %s", address, text) :
		 asprintf(&line, "%" PRIx64 ": %s:%u  %s", address, base ? base + 1 : h->file, h->line,
			  source && *source ? source : text);
	free(text);
	if (length < 0)
		return err_errno("printing the hottest lines");
	text_clean(line);
	fprintf(t->out, "# %s %6.2f%%  ", first ? "Hottest:" : "        ",
		100 * share_of(h->sum, t->f->hits->sum));
	print_cut(t, 20, line);
	free(line);
	return 0;
}

static int print_head(const struct text *t)
{
	const struct hits_function *hits = t->f->hits;
	const struct share_sum all = t->a->hits.all;
	struct hottest hottest[HOTTEST];
	const int nr = hottest_find(t->a, t->f, hottest);
	int err = nr < 0 ? -1 : 0;

	fprintf(t->out, "#\n# Function: %s, %s\n", t->f->function->name, t->f->function->object);
	fprintf(t->out, "# Samples: %" PRIu64 " of %" PRIu64 ", %.2f%% +- %.2f of the total\n",
	       hits->samples, t->a->hits.samples, 100 * share_of(hits->sum, all),
	       100 * share_margin(hits->sum, all));
	for (int i = 0; i < nr && !err; i++)
		err = print_hottest(t, &hottest[i], !i);
	print_sources(t);
	if (t->f->loops_given_up)
		fprintf(t->out, "# Loops: not worked out, there are too many jumps\n");
	if (t->a->branches)
		fprintf(t->out, "# A block's line: executions; of the runs that end at its branch:\n"
		       "# mispredictions, cycles (10, 50, 90 %% did not exceed them) and IPC\n");
	fprintf(t->out, "#\n#%7s %6s %8s Lp  Instructions (Lp: depth of loops, * begins one)\n", "Percent",
	       "+-", "Samples");
	return err;
}

static int print_function(const struct annotate *a, const struct annotate_function *f,
			  size_t width, FILE *out)
{
	struct text t = { out, a, f, jumps_new(&f->code), width,
			  snprintf(NULL, 0, "%" PRIx64, f->range.end) };
	int err = t.jumps ? 0 : -1;

	if (!err)
		err = print_head(&t);
	for (size_t i = 0; !err && i < f->code.nr; i++) {
		if (a->branches && (!i || f->code.list[i].leads))
			err = print_block(&t, i);
		if (err)
			break;
		print_line(&t, i);
		print_instruction(&t, i);
	}
	jumps_free(t.jumps);
	return err;
}

int annotate_print(const struct annotate *a, const struct annotate_list *list, size_t width,
		   FILE *out)
{
	print_summary(a, list, out);
	for (size_t i = 0; i < list->nr; i++)
		if (print_function(a, &list->functions[i], width, out))
			return -1;
	return 0;
}
