// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/code_bounds.c: where instructions end, whatever was asked before. Data hides a call in each function, and one
 * of them has a byte that is no instruction behind it. */
#include "program.h"

#include "stacks/code_bounds.h"

/* Bytes: nop; the first two of movabs, which swallows a call and three nops; ret; perhaps 0x06; a call; ret. */
#define MIXED(name, bad)									\
	".globl " name "\n.type " name ", @function\n" name ": nop\n.byte 0x48, 0xb8\ncall main\nnop\nnop\nnop\nret\n"	\
	bad "call main\nret\n.size " name ", . - " name "\n"

static const char source[] =
	"int main(void) { return 0; }\n__asm__(R\"(.text\n" MIXED("clean", "") MIXED("dirty", ".byte 0x06\n") ")\");\n";

struct question {
	uint64_t at;
	enum stacks_answer clean, dirty;
	uint64_t last;
};

static const struct question questions[] = {
	{ 1, STACKS_YES, STACKS_YES, 0 },
	{ 8, STACKS_NO, STACKS_UNKNOWN, 0 },		/* behind the hidden call */
	{ 11, STACKS_YES, STACKS_YES, 1 },
	{ 5, STACKS_NO, STACKS_UNKNOWN, 0 },
};

static void ask(struct code_bounds *b, const struct object *o, const char *name, size_t i)
{
	const struct question *q = &questions[i];
	const enum stacks_answer want = *name == 'c' ? q->clean : q->dirty;
	struct object_range range;
	uint64_t start, last;

	assert_int_equal(object_named(o, name, &start), 1);
	assert_true(object_function(o, start, &range));
	assert_int_equal(code_bounds_before(b, 1, o, range, start + q->at, &last), want);
	if (want == STACKS_YES)
		assert_int_equal(last, start + q->last);
}

static void any_order(void **state)
{
	const char *const names[] = { "clean", "dirty" };
	struct object *o;

	(void)state;
	program_write("p.c", source);
	run("gcc -std=gnu11 -O1 -o p p.c");
	o = program_open("p");
	for (size_t n = 0; n < NR(names); n++)
		for (size_t first = 0; first < NR(questions); first++)
			for (size_t second = 0; second < NR(questions); second++) {
				struct code_bounds b = { .functions = NULL };

				ask(&b, o, names[n], first);
				ask(&b, o, names[n], second);
				ask(&b, o, names[n], first);
				code_bounds_free(&b);
			}
	object_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
