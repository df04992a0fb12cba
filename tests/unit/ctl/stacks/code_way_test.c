// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/code_way.c: the walk through code, which reads no call frame information, finds the
 * sizes that this has: at each instruction of the C library's exported functions, and of a program
 * by several compilers. */
#include <inttypes.h>
#include <stdbool.h>

#include "program.h"

#include "object/cfi.h"
#include "object/insn.h"
#include "stacks/code_way.h"

#define LONGEST		4000	/* bytes of a function */

static struct code_walker *walker;

struct score {
	uint64_t found, lost;
};

/* A program with switches, loops, early returns, calls that do not return, and many arguments. */
static const char source[] =
	"#include <stdlib.h>\n#include <stdio.h>\n#include <setjmp.h>\n"
	"volatile int sink; jmp_buf buf;\n"
	"__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h, char *p)\n"
	"{ if (!p) abort(); for (int i = 0; i < a; i++) sink += p[i % 7] * b; return c + d + e + f + g + h; }\n"
	"__attribute__((noinline)) int words(int n) { char b[600]; snprintf(b, sizeof(b), \"%d\", n); \n"
	"  switch (n) { case 0: return many(1, 2, 3, 4, 5, 6, 7, 8, b); case 1: longjmp(buf, 1); case 2: sink++; break;\n"
	"  case 3: return words(n - 1) + many(n, n, n, n, n, n, n, n, b); case 4: exit(3); case 5: return 9;\n"
	"  case 6: puts(b); break; default: if (n > 40) return words(n / 2) + 1; } return b[0] + sink; }\n"
	/* What no compiler writes. */
	"__asm__(\".globl rare\\n.type rare, @function\\nrare: .cfi_startproc\\nenter $32, $0\\n.cfi_def_cfa_offset 48\\n\"\n"
	"  \"push %ax\\n.cfi_def_cfa_offset 50\\npushfw\\n.cfi_def_cfa_offset 52\\npush $7\\n.cfi_def_cfa_offset 60\\n\"\n"
	"  \"push %fs\\n.cfi_def_cfa_offset 68\\npop %fs\\n.cfi_def_cfa_offset 60\\npop %rax\\n.cfi_def_cfa_offset 52\\n\"\n"
	"  \"popfw\\n.cfi_def_cfa_offset 50\\npop %ax\\n.cfi_def_cfa_offset 48\\nleave\\n.cfi_def_cfa_offset 8\\nret\\n\"\n"
	"  \".cfi_endproc\\n.size rare, . - rare\\n\");\n"
	"int main(int argc, char **argv) { if (setjmp(buf)) return 1; return words(argc) + words(argc + 9) + !argv; }\n";

static int setup(void **state)
{
	program_setup(state);
	program_write("p.c", source);
	run("gcc -O2 -o o2 p.c && gcc -O0 -o o0 p.c && gcc -Os -fno-omit-frame-pointer -o os p.c && clang -O2 -o clang p.c");
	walker = code_walker_new();
	return walker ? 0 : -1;
}

static int teardown(void **state)
{
	code_walker_free(walker);
	return program_teardown(state);
}

/* The bytes by call frame information; false if it does not give them by the stack pointer. */
static bool truth_at(const struct object *o, uint64_t vaddr, int64_t *bytes)
{
	struct object_cfi cfi;

	if (!object_cfi(o, vaddr, &cfi) || cfi.signal || cfi.cfa.kind != OBJECT_CFI_REGISTER ||
	    cfi.cfa.reg != OBJECT_CFI_STACK_POINTER)
		return false;
	*bytes = cfi.cfa.value;
	return true;
}

/* Whether the information follows the code: hand-written functions of the C library push registers, and
 * have one row for all of their instructions. */
static bool is_followed(const struct object *o, struct object_range range)
{
	int64_t bytes;

	for (uint64_t at = range.start; at < range.end; at++)
		if (truth_at(o, at, &bytes) && bytes != 8)
			return true;
	return false;
}

/* Judges each instruction of a function, in the order of memory. */
static void judge_function(const struct object *o, struct object_range range, struct score *score)
{
	int64_t truth, walked;
	struct code_way way;
	struct insn insn;

	assert_int_equal(code_walker_go(walker, o, range.start, false, &way), 0);
	for (uint64_t at = range.start; at < range.end && insn_read(&insn, o, at) == INSN_FOUND; at = insn_end(&insn)) {
		/* Nothing executes what fills the space up to the next line. */
		if (insn.zydis.mnemonic == ZYDIS_MNEMONIC_NOP ||
		    insn.zydis.mnemonic == ZYDIS_MNEMONIC_XCHG || !truth_at(o, at, &truth))
			continue;
		if (!code_way_bytes(&way, at - range.start, &walked))
			score->lost++;
		else if (walked == truth)
			score->found++;
		else
			fail_msg("%#" PRIx64 " of the function at %#" PRIx64 ": %" PRId64 " bytes instead of %" PRId64,
				 at, range.start, walked, truth);
	}
	free(way.spots);
}

static void judge(const char *name, const struct object *o, uint64_t step, double least)
{
	struct score score = { 0 };
	uint64_t begin = object_code_begin(o);
	int64_t bytes;

	for (uint64_t at = begin; at < begin + (1 << 19); at += step) {
		struct object_range range;

		/* A part of a function, which begins with a frame, is not entered by a call. */
		if (!object_function(o, at, &range) || object_is_outermost(o, range.start) ||
		    range.end - range.start > LONGEST ||
		    !truth_at(o, range.start, &bytes) || bytes != 8 ||
		    !is_followed(o, range))
			continue;
		judge_function(o, range, &score);
		at = range.end - step;
	}
	print_message("# %s: %" PRIu64 " instructions, %" PRIu64 " not reached\n", name,
		      score.found + score.lost, score.lost);
	assert_true(score.found >= least * (score.found + score.lost) && score.found);
}

static void as_the_call_frame_information_says(void **state)
{
	static const char *const names[] = { "o2", "o0", "os", "clang" };
	enum object_state found;
	struct object *o;

	(void)state;
	for (size_t i = 0; i < NR(names); i++) {
		o = program_open(names[i]);
		judge(names[i], o, 1, 0.8);
		object_close(o);
	}
	run("ldd o2 | awk '/libc.so/ { print $3 }' | xargs cat >libc");
	o = object_open(NULL, 0, program_path("libc"), NULL, 0, &found);
	judge("libc", o, 16, 0.8);
	object_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_call_frame_information_says),
	};

	return cmocka_run_group_tests_name("code_way", tests, setup, teardown);
}
