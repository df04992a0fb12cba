// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/code.c on compiled programs, with symbols and without: which instructions are
 * calls, and which functions lead to which by jumps. */
#include "mapping.h"
#include "program.h"

#include "profile/symbols.h"
#include "stacks/code.h"

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#define NI __attribute__((noinline, noclone))\n"
	"volatile long sink;\n"
	"NI long goal(long n) { for (long i = 0; i < n; i++) sink += i; return sink; }\n"
	"NI long other(long n) { for (long i = 0; i < n; i++) sink -= i; return sink; }\n"
	"NI long tail(long n) { sink = n; return goal(n + 1); }\n"
	"NI long tail_twice(long n) { sink = n + 1; return tail(n + 1); }\n"
	"NI long tail_pointer(long (*f)(long), long n) { sink = n; return f(n + 1); }\n"
	"NI int tail_plt(const char *s) { sink++; return puts(s); }\n"
	"void stack_switch(void *stack, void *to);\n"
	"__asm__(\".globl stack_switch\\n.type stack_switch, @function\\nstack_switch: .cfi_startproc\\n\"\n"
	"  \"mov %rdi, %rsp\\njmp *%rsi\\n.cfi_endproc\\n.size stack_switch, . - stack_switch\\n\");\n"
	"__asm__(\".globl to_switch\\n.type to_switch, @function\\nto_switch: .cfi_startproc\\n\"\n"
	"  \"mov (%rsi), %rsi\\njmp stack_switch\\n.cfi_endproc\\n.size to_switch, . - to_switch\\n\");\n"
	/* A dispatcher with 150 tail calls, to functions that have one each. */
	"__asm__(\".altmacro\\n\"\n"
	"  \".macro one n\\n.type case\\\\n, @function\\ncase\\\\n: .cfi_startproc\\njmp leaf\\\\n\\n.cfi_endproc\\n.size case\\\\n, . - case\\\\n\\n\"\n"
	"  \".type leaf\\\\n, @function\\nleaf\\\\n: .cfi_startproc\\nnop\\nret\\n.cfi_endproc\\n.size leaf\\\\n, . - leaf\\\\n\\n.endm\\n\"\n"
	"  \".macro go n\\nje case\\\\n\\n.endm\\n.set i, 0\\n.rept 150\\none %i\\n.set i, i + 1\\n.endr\\n\"\n"
	"  \".globl dispatch\\n.type dispatch, @function\\ndispatch: .cfi_startproc\\n.set i, 0\\n.rept 150\\ngo %i\\n.set i, i + 1\\n.endr\\n\"\n"
	"  \"ret\\n.cfi_endproc\\n.size dispatch, . - dispatch\\n.noaltmacro\\n\");\n"
	/* A chain of 13 tail calls that ends at goal. */
	"__asm__(\".altmacro\\n\"\n"
	"  \".macro link n, to\\n.globl chain\\\\n\\n.type chain\\\\n, @function\\nchain\\\\n: .cfi_startproc\\njmp chain\\\\to\\n.cfi_endproc\\n.size chain\\\\n, . - chain\\\\n\\n.endm\\n\"\n"
	"  \".set i, 0\\n.rept 12\\nlink %i, %i+1\\n.set i, i + 1\\n.endr\\n.noaltmacro\\n\"\n"
	"  \".type chain12, @function\\nchain12: .cfi_startproc\\njmp goal\\n.cfi_endproc\\n.size chain12, . - chain12\\n\");\n"
	"long (*volatile pointers[])(long) = { goal, other };\n"
	"NI long tail_table(long n) { return pointers[n & 1](n); }\n"
	/* As gcc and clang write an indirect tail call with -mindirect-branch=thunk, -mretpoline. */
	"__asm__(\".type thunk, @function\\nthunk: .cfi_startproc\\ncall 1f\\n0: pause\\nlfence\\njmp 0b\\n1: mov %rax, (%rsp)\\nret\\n.cfi_endproc\\n.size thunk, . - thunk\\n\"\n"
	"  \".globl tail_thunk\\n.type tail_thunk, @function\\ntail_thunk: .cfi_startproc\\nmov %rdi, %rax\\njmp thunk\\n.cfi_endproc\\n.size tail_thunk, . - tail_thunk\\n\");\n"
	"NI long caller(long n) { return goal(n) + other(n); }\n"
	"NI long switcher(long n) { switch (n) {\n"
	"  case 0: sink = 3; sink = 9; return goal(1) + 1; case 1: sink = 5; return 2 * sink; case 2: return other(7) + 3;\n"
	"  case 3: sink += sink * 3; return goal(4) * 2; case 4: return sink / 7; case 5: sink ^= 4; return sink * sink;\n"
	"  case 6: return sink % 3 + other(2); case 7: sink--; return 77; default: return 1; } }\n"
	"__attribute__((cold)) NI void complain(long n) { fprintf(stderr, \"too large: %ld\\n\", n); }\n"
	"NI long split(long n) { long k = n * sink; if (n > 5000) { complain(n); complain(k); sink = 3; }\n"
	"  for (long i = 0; i < n; i++) sink += i; return sink + k; }\n"
	"int main(int c, char **v) { (void)v; return tail_twice(c) + tail_pointer(goal, c) + tail_plt(\"\")\n"
	"  + caller(c) + switcher(c) + split(c); }\n";

/* "p" with its symbols and "s" without. Both have the same addresses. */
static const char *const programs[] = { "p", "s" };
/* libc, and "n", which has no call frame information. */
enum { LIBC = NR(programs), BARE };

static struct maps *maps;
static struct code *code;
static struct stacks_code ask;

static int setup(void **state)
{
	char libc[256];
	FILE *in;

	program_setup(state);
	program_write("p.c", source);
	run("gcc -O2 -o p p.c && strip -o s p");
	run("objdump -d --no-show-raw-insn p > p.dis");
	maps = maps_new(NULL);
	/* All of the file, as one mapping per program: pgoff 0 at 1 << 32. */
	for (uint64_t i = 0; i < NR(programs); i++)
		feed_mmap2(maps, 1 + i, 1ULL << 32, 1 << 20, 0,
			   program_path(programs[i]));
	run("ldd p | sed -n 's/.*=> \\(.*libc.so.6\\) .*/\\1/p' | tr -d '\\n' > libc");
	in = fopen(program_path("libc"), "r");
	assert_non_null(in);
	assert_non_null(fgets(libc, sizeof(libc), in));
	fclose(in);
	feed_mmap2(maps, 1 + LIBC, 1ULL << 32, 1 << 23, 0, libc);
	run("gcc -O2 -fno-asynchronous-unwind-tables -o n p.c");
	feed_mmap2(maps, 1 + BARE, 1ULL << 32, 1 << 20, 0, program_path("n"));
	code = code_new(maps);
	ask = code_answers(code);
	return 0;
}

static int teardown(void **state)
{
	code_free(code);
	maps_free(maps);
	return program_teardown(state);
}

/* In a PIE of this size addresses and file offsets of code are the same. */
static struct place at(size_t program, uint64_t addr)
{
	uint64_t offset;
	struct place p = maps_place(maps, 1 + program, (1ULL << 32) + addr, &offset);

	assert_int_equal(p.addr, addr);
	return p;
}

/* Every instruction of the program: a call in objdump's eyes is one in ours, and
 * goes to the same place. */
static void calls_agree_with_objdump(void **state)
{
	FILE *in = fopen(program_path("p.dis"), "r");
	size_t calls = 0, others = 0;
	char line[256];

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		uint64_t addr, target;
		char op[32];
		int got = sscanf(line, " %lx: %31s %lx", &addr, op, &target);
		enum stacks_call expected = STACKS_CALL_NONE;

		if (got < 2 || !strncmp(op, "bnd", 3))
			continue;
		if (!strncmp(op, "call", 4))
			expected = strchr(line, '*') ? STACKS_CALL_INDIRECT :
						       STACKS_CALL_DIRECT;
		calls += expected != STACKS_CALL_NONE;
		others += expected == STACKS_CALL_NONE;
		for (size_t i = 0; i < NR(programs); i++) {
			struct place place = at(i, addr), to = { 0, 0 };

			assert_int_equal(ask.call(ask.ctx, place, &to), expected);
			if (expected == STACKS_CALL_DIRECT)
				assert_int_equal(to.addr, target);
		}
	}
	fclose(in);
	print_message("# %zu calls, %zu others\n", calls, others);
	assert_true(calls > 15 && others > 150);
}

struct lead_case {
	const char *entered, *inside;
	enum stacks_lead expected;
};

static const struct lead_case leads[] = {
	{ "goal", "goal", STACKS_LEAD_SAME },
	{ "tail", "goal", STACKS_LEAD_JUMP },
	{ "tail_twice", "goal", STACKS_LEAD_JUMP },
	{ "tail_twice", "tail", STACKS_LEAD_JUMP },
	{ "tail_pointer", "other", STACKS_LEAD_GUESS },
	{ "tail_plt", "goal", STACKS_LEAD_NONE },	/* puts is elsewhere */
	{ "stack_switch", "goal", STACKS_LEAD_NONE },	/* as longjmp() does */
	{ "tail", "other", STACKS_LEAD_NONE },
	{ "caller", "goal", STACKS_LEAD_NONE },
	{ "caller", "other", STACKS_LEAD_NONE },
	{ "goal", "tail", STACKS_LEAD_NONE },
	{ "other", "goal", STACKS_LEAD_NONE },
	{ "switcher", "other", STACKS_LEAD_NONE },
	{ "switcher", "caller", STACKS_LEAD_NONE },
	{ "split", "split.cold", STACKS_LEAD_SAME },
	{ "split", "goal", STACKS_LEAD_NONE },
	{ "main", "caller", STACKS_LEAD_NONE },
	{ "chain0", "goal", STACKS_LEAD_JUMP },
	{ "chain0", "other", STACKS_LEAD_NONE },
	{ "tail_table", "goal", STACKS_LEAD_GUESS },
	{ "tail_thunk", "goal", STACKS_LEAD_GUESS },
	{ "dispatch", "case149", STACKS_LEAD_JUMP },
	{ "dispatch", "leaf149", STACKS_LEAD_JUMP },
	{ "dispatch", "other", STACKS_LEAD_UNKNOWN },	/* a search without an end */
};

static void leads_of_each_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(leads); i++) {
		struct truth entered = truth_of("p", leads[i].entered);
		struct truth inside = truth_of("p", leads[i].inside);

		for (size_t p = 0; p < NR(programs); p++) {
			print_message("# %s: %s to %s\n", programs[p],
				      leads[i].entered, leads[i].inside);
			assert_int_equal(ask.lead(ask.ctx, at(p, entered.addr),
						  at(p, inside.addr + inside.size / 2)),
					 leads[i].expected);
		}
	}
}

/* Whether a jump through a table is that of a switch, the code tells as well. */
static void leads_without_call_frame_information(void **state)
{
	struct truth goal = truth_of("n", "goal"), other = truth_of("n", "other");

	(void)state;
	assert_int_equal(ask.lead(ask.ctx, at(BARE, truth_of("n", "tail").addr), at(BARE, goal.addr)),
			 STACKS_LEAD_JUMP);
	assert_int_equal(ask.lead(ask.ctx, at(BARE, truth_of("n", "tail_table").addr), at(BARE, goal.addr)),
			 STACKS_LEAD_GUESS);
	assert_int_equal(ask.lead(ask.ctx, at(BARE, truth_of("n", "switcher").addr), at(BARE, other.addr)),
			 STACKS_LEAD_NONE);
}

/* An address of libc, and of p's stub for it. */
static struct place exported(const char *name)
{
	uint64_t addr;
	FILE *in;

	run("objdump -T $(cat libc) | grep '[.]text.* %s$' > export", name);
	in = fopen(program_path("export"), "r");
	assert_int_equal(fscanf(in, "%lx", &addr), 1);
	fclose(in);
	return at(LIBC, addr);
}

static struct place stub(size_t program, const char *name)
{
	uint64_t addr;
	FILE *in;

	run("grep '<%s@plt>:' p.dis > stub", name);
	in = fopen(program_path("stub"), "r");
	assert_int_equal(fscanf(in, "%lx", &addr), 1);
	fclose(in);
	return at(program, addr);
}

/* A stub leads to the function of its name, and nowhere else: an exception leaves
 * the call of _Unwind_RaiseException in the LBR when the handler runs. */
static void stubs_lead_to_their_function(void **state)
{
	struct truth goal = truth_of("p", "goal"), tail = truth_of("p", "tail_plt");

	(void)state;
	for (size_t p = 0; p < NR(programs); p++) {
		assert_int_equal(ask.lead(ask.ctx, stub(p, "puts"), exported("puts")),
				 STACKS_LEAD_STUB);
		assert_int_equal(ask.lead(ask.ctx, stub(p, "puts"), at(p, goal.addr)),
				 STACKS_LEAD_NONE);
		assert_int_equal(ask.lead(ask.ctx, stub(p, "puts"), stub(p, "puts")),
				 STACKS_LEAD_SAME);
		assert_int_equal(ask.lead(ask.ctx, at(p, tail.addr), stub(p, "puts")),
				 STACKS_LEAD_JUMP);
		assert_int_equal(ask.lead(ask.ctx, at(p, tail.addr), stub(p, "fprintf")),
				 STACKS_LEAD_NONE);
		assert_int_equal(ask.lead(ask.ctx, at(p, tail.addr), exported("puts")),
				 STACKS_LEAD_JUMP);
		assert_int_equal(ask.lead(ask.ctx, at(p, tail.addr), exported("qsort_r")),
				 STACKS_LEAD_NONE);
	}
}

static void entries(void **state)
{
	struct truth goal = truth_of("p", "goal"), start = truth_of("p", "_start");

	(void)state;
	for (size_t p = 0; p < NR(programs); p++) {
		assert_int_equal(ask.entry(ask.ctx, at(p, goal.addr)), STACKS_YES);
		assert_int_equal(ask.entry(ask.ctx, at(p, goal.addr + 1)), STACKS_NO);
		assert_true(ask.outermost(ask.ctx, at(p, start.addr + 3)));
		assert_false(ask.outermost(ask.ctx, at(p, goal.addr)));
		assert_true(ask.in_main(ask.ctx, at(p, truth_of("p", "main").addr + 1)));
		assert_false(ask.in_main(ask.ctx, at(p, goal.addr)));
		assert_false(ask.in_main(ask.ctx, at(p, start.addr)));
	}
}

static void another_stack_is_gone_to(void **state)
{
	(void)state;
	for (size_t p = 0; p < NR(programs); p++) {
		assert_true(ask.switches(ask.ctx, at(p, truth_of("p", "stack_switch").addr)));
		assert_true(ask.switches(ask.ctx, at(p, truth_of("p", "to_switch").addr)));
		assert_false(ask.switches(ask.ctx, at(p, truth_of("p", "tail_pointer").addr)));
		assert_false(ask.switches(ask.ctx, at(p, truth_of("p", "tail").addr)));
		assert_false(ask.switches(ask.ctx, at(p, truth_of("p", "switcher").addr)));
	}
}

/* Code that is not mapped, or cannot be read, is unknown and not wrong. */
static void no_code_no_verdict(void **state)
{
	struct place nowhere = { MAPS_NOTHING, 0x1234 }, to;
	struct place known = at(0, truth_of("p", "goal").addr);

	(void)state;
	assert_int_equal(ask.call(ask.ctx, nowhere, &to), STACKS_CALL_UNKNOWN);
	assert_int_equal(ask.entry(ask.ctx, nowhere), STACKS_UNKNOWN);
	assert_int_equal(ask.lead(ask.ctx, nowhere, known), STACKS_LEAD_UNKNOWN);
	assert_int_equal(ask.lead(ask.ctx, known, nowhere), STACKS_LEAD_UNKNOWN);
	assert_false(ask.outermost(ask.ctx, nowhere));
	assert_false(ask.in_main(ask.ctx, nowhere));
	assert_false(ask.switches(ask.ctx, nowhere));
	assert_false(ask.absent(ask.ctx, nowhere));
	assert_false(ask.absent(ask.ctx, (struct place){ MAPS_KERNEL, 0xffffffff81000010 }));
	assert_false(ask.absent(ask.ctx, known));
}

/* Names of places, and of places without a name. */
static void names(void **state)
{
	struct symbols *symbols = symbols_new(maps, &(struct symbols_options){ 0 });
	struct truth goal = truth_of("p", "goal");
	const struct symbols_function *f;
	char expected[64];

	(void)state;
	f = symbols_function(symbols, symbols_find(symbols, at(0, goal.addr + 3)));
	assert_string_equal(f->name, "goal");
	assert_int_equal(f->start, goal.addr);
	assert_string_equal(f->object, program_path("p"));
	f = symbols_function(symbols, symbols_find(symbols, at(1, goal.addr + 3)));
	snprintf(expected, sizeof(expected), "s+0x%lx", goal.addr);
	assert_string_equal(f->name, expected);
	assert_true(f->known);
	f = symbols_function(symbols, symbols_find(symbols,
			     (struct place){ MAPS_NOTHING, 0x1234 }));
	assert_string_equal(f->name, "[unknown]");
	assert_string_equal(f->object, "[unknown]");
	assert_false(f->known);
	assert_int_equal(symbols_find(symbols, at(0, goal.addr)),
			 symbols_find(symbols, at(0, goal.addr + 1)));
	symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_agree_with_objdump),
		cmocka_unit_test(leads_of_each_kind),
		cmocka_unit_test(leads_without_call_frame_information),
		cmocka_unit_test(stubs_lead_to_their_function),
		cmocka_unit_test(entries),
		cmocka_unit_test(another_stack_is_gone_to),
		cmocka_unit_test(no_code_no_verdict),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("code", tests, setup, teardown);
}
