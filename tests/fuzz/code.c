// SPDX-License-Identifier: GPL-2.0
/* Machine code: lines, blocks, exits, loops and arrows of one function of arbitrary bytes, with
 * branch records that claim anything. The answers about lines are compared with those of a
 * decoder that begins anew at each question. */
#include <elf.h>

#include "annotate/jumps.h"
#include "annotate/loops.h"
#include "blocks/disassemble.h"
#include "fuzz.h"
#include "object/insn.h"
#include "stacks/code_bounds.h"
#include "stacks/code_exits.h"
#include "stacks/code_lines.h"

#define CODE	sizeof(struct head)
#define MOST	(1 << 14)	/* bytes of code: the slow decoder is quadratic */
#define RUNS	32

/* A program of one segment, which is the file. */
struct head {
	Elf64_Ehdr elf;
	Elf64_Phdr segment;
};

static struct object *code_object_open(const uint8_t *code, size_t size, int *fd)
{
	struct head head = {
		.elf = { .e_ident = ELFMAG "\2\1\1", .e_type = ET_EXEC, .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT, .e_entry = CODE, .e_phoff = sizeof(head.elf),
			 .e_ehsize = sizeof(head.elf), .e_phentsize = sizeof(head.segment),
			 .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 1,
			     .p_filesz = CODE + size, .p_memsz = CODE + size },
	};
	uint8_t *file = malloc(CODE + size);
	enum object_state state;
	struct object *o;
	char path[32];

	if (!file)
		abort();
	memcpy(file, &head, sizeof(head));
	memcpy(file + CODE, code, size);
	*fd = fuzz_file(file, CODE + size, path);
	free(file);
	o = object_open(NULL, 0, path, NULL, 0, &state);
	if (!o)
		abort();
	return o;
}

/* Whether the line of the instruction at `from` reaches the one at `to`. */
static bool reaches(const struct object *o, uint64_t from, uint64_t to)
{
	struct insn insn;

	for (; from <= to && insn_read(&insn, o, from) == INSN_FOUND; from = insn_end(&insn)) {
		if (from == to)
			return true;
		if (insn_ends_line(&insn))
			return false;
	}
	return false;
}

static void ask_lines(const struct object *o, const uint16_t *words, size_t nr)
{
	struct code_lines lines = { .list = NULL };

	for (size_t i = 0; i + 1 < nr; i++) {
		uint64_t from = CODE + words[i] % MOST, to = from + words[i + 1] % 256;
		bool yes = code_lines_follow(&lines, o, from, to).reaches == STACKS_YES;

		if (yes != reaches(o, from, to))
			abort();
	}
	code_lines_free(&lines);
}

static void ask_exits(const struct object *o, struct object_range range)
{
	struct code_files files = { .maps = NULL };

	code_exits_of(&files, 0, o, range);
	code_files_free(&files);
}

/* Where instructions end is the same for one question as for many that begin in the middle. */
static void ask_bounds(const struct object *o, struct object_range range)
{
	struct code_bounds one = { .functions = NULL }, many = { .functions = NULL };
	const uint64_t middle = range.start + (range.end - range.start) / 2;
	uint64_t last, again;

	if (range.end <= range.start)
		return;
	if (middle > range.start)
		code_bounds_before(&many, 0, o, range, middle, &last);
	code_bounds_before(&one, 0, o, range, range.end, &last);
	for (uint64_t at = range.start + 1; at <= range.end; at++) {
		const enum stacks_answer answer = code_bounds_before(&one, 0, o, range, at, &last);

		if (answer != code_bounds_before(&many, 0, o, range, at, &again) ||
		    (answer == STACKS_YES && last != again))
			abort();
	}
	code_bounds_free(&one);
	code_bounds_free(&many);
}

/* Branch records that end and begin anywhere. */
static void ask_blocks(const struct object *o, struct object_range range, const uint16_t *words,
		       size_t nr)
{
	struct blocks *blocks = blocks_new(nr & 1 ? INSN_ATT : INSN_INTEL);
	struct runs_run list[RUNS] = { 0 };
	struct runs runs = { .list = list };
	struct blocks_function function = { 0 };
	char text[JUMPS_WIDTH + 1];
	struct loops_mark *marks;
	struct jumps *jumps;
	bool given_up;

	for (; runs.nr < RUNS && runs.nr + 1 < nr; runs.nr++) {
		list[runs.nr].start = CODE + words[runs.nr] % MOST;
		list[runs.nr].end = list[runs.nr].start + words[runs.nr + 1] % 512;
		list[runs.nr].executions = 1 + words[runs.nr];
		list[runs.nr].instructions = blocks_count(blocks, o, list[runs.nr].start,
							  list[runs.nr].end);
	}
	if (!blocks_function(blocks, o, 0, range, &runs, &function)) {
		marks = calloc(function.nr + 1, sizeof(*marks));
		loops_find(&function, marks, &given_up);
		jumps = jumps_new(&function);
		for (size_t i = 0; jumps && i < function.nr; i++) {
			jumps_beside(jumps, i, text);
			jumps_above(jumps, i, text);
		}
		jumps_free(jumps);
		free(marks);
	}
	blocks_function_free(&function);
	blocks_free(blocks);
}

/* The input: 64 words of two bytes, which are the questions, and the code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object_range range = { .start = CODE };
	uint16_t words[64];
	size_t nr = size / 4 < 64 ? size / 4 : 64;
	struct object *o;
	int fd;

	fuzz_silence();
	memcpy(words, data, nr * sizeof(*words));
	data += nr * sizeof(*words);
	size -= nr * sizeof(*words);
	if (size > MOST)
		size = MOST;
	range.end = CODE + size;
	o = code_object_open(data, size, &fd);
	ask_lines(o, words, nr);
	ask_exits(o, range);
	ask_bounds(o, range);
	ask_blocks(o, range, words, nr);
	object_close(o);
	close(fd);
	return 0;
}
