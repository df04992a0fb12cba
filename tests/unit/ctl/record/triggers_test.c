// SPDX-License-Identifier: GPL-2.0
/* ctl/record/triggers.c: arguments of --trigger, and the triggers made of them. */
#include <signal.h>

#include "program.h"

#include "record/triggers.h"

/* known() begins with a NOP that is nowhere else: by it its place in the file is
 * known without a symbol. The number is big, so that no padding is like it. */
static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0x00, 0x78, 0x56, 0x34, 0x12 };

static struct triggers triggers;
static char why[256];

static int setup(void **state)
{
	program_setup(state);
	program_write("a.c",
		"__asm__(\".text; .globl known; .type known, @function\\n\"\n"
		"	\"known: .byte 0x0f, 0x1f, 0x84, 0, 0x78, 0x56, 0x34, 0x12; ret\\n\"\n"
		"	\".size known, . - known\");\n"
		"static __attribute__((noinline)) int twice(int n) { return n * 3; }\n"
		"int other(int n);\n"
		"int main(int c, char **v) { (void)v; return twice(c) + other(c); }\n");
	program_write("b.c",
		"static __attribute__((noinline)) int twice(int n) { return n * 5; }\n"
		"int other(int n); int other(int n) { return twice(n); }\n");
	run("gcc -O1 -pie -fPIE -o pie a.c b.c && gcc -O1 -no-pie -static -o static a.c b.c");
	run("gcc -O1 -shared -fPIC -o lib.so a.c b.c && strip lib.so");
	return 0;
}

static const struct triggers_trigger *add(const char *text)
{
	if (triggers_add(&triggers, text, why, sizeof(why)))
		fail_msg("%s: %s", text, why);
	return &triggers.list[triggers.nr - 1];
}

static void refused(const char *text, const char *because)
{
	size_t nr = triggers.nr;

	memset(why, 0, sizeof(why));
	assert_int_equal(triggers_add(&triggers, text, why, sizeof(why)), -1);
	if (!strstr(why, because))
		fail_msg("%s: '%s' has no '%s'", text, why, because);
	assert_int_equal(triggers.nr, nr);
}

static void test_watch(void **state)
{
	const struct triggers_trigger *t = add("watch:0x404040");

	(void)state;
	assert_int_equal(t->kind, LBRSCOPE_TRIGGER_WATCHPOINT);
	assert_int_equal(t->address, 0x404040);
	assert_int_equal(t->length, 4);
	assert_false(t->reads);
	t = add("watch:4210752/8:rw");
	assert_int_equal(t->address, 0x404040);
	assert_int_equal(t->length, 8);
	assert_true(t->reads);
	t = add("watch:0xffffffff81000001/1:w");
	assert_int_equal(t->address, 0xffffffff81000001);
	assert_false(t->reads);

	refused("watch", "address");
	refused("watch:", "address");
	refused("watch:main", "address");
	refused("watch:-1", "address");
	refused("watch:0x10000000000000000", "address");
	refused("watch:0x404042", "multiple");
	refused("watch:0x404044/8", "multiple");
	refused("watch:0x404040/3", "1, 2, 4 or 8");
	refused("watch:0x404040/0", "1, 2, 4 or 8");
	refused("watch:0x404040/16", "1, 2, 4 or 8");
	refused("watch:0x404040:x", "neither");
	refused("watch:0x404040:rw:", "neither");
	triggers_close(&triggers);
}

/* The position of the mark in the file. */
static uint64_t marked(const char *name)
{
	static char bytes[4 << 20];
	FILE *in = fopen(program_path(name), "r");
	size_t size;
	char *at;

	assert_non_null(in);
	size = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	at = memmem(bytes, size, mark, sizeof(mark));
	assert_non_null(at);
	return at - bytes;
}

static void test_uprobe(void **state)
{
	static const char * const names[] = { "pie", "static", "lib.so" };
	char text[1200];

	(void)state;
	for (size_t i = 0; i < NR(names); i++) {
		const struct triggers_trigger *t;

		snprintf(text, sizeof(text), "uprobe:%s:known",
			 program_path(names[i]));
		t = add(text);
		assert_int_equal(t->kind, LBRSCOPE_TRIGGER_UPROBE);
		assert_int_equal(t->offset, marked(names[i]));
		assert_true(t->file >= 0);
	}
	snprintf(text, sizeof(text), "uprobe:%s:+0x1139", program_path("pie"));
	assert_int_equal(add(text)->offset, 0x1139);

	snprintf(text, sizeof(text), "uprobe:%s:twice", program_path("pie"));
	refused(text, "2 functions");
	snprintf(text, sizeof(text), "uprobe:%s:nobody", program_path("pie"));
	refused(text, "no function");
	/* A stripped library has its exported functions. */
	snprintf(text, sizeof(text), "uprobe:%s:twice", program_path("lib.so"));
	refused(text, "no function");
	snprintf(text, sizeof(text), "uprobe:%s:+main", program_path("pie"));
	refused(text, "not an offset");
	snprintf(text, sizeof(text), "uprobe:%s:known", program_path("a.c"));
	refused(text, "not an ELF");
	refused("uprobe:/no/such/file:known", "No such file");
	refused("uprobe:/bin/sh", "a file and a function");
	refused("uprobe:/bin/sh:", "a file and a function");
	refused("uprobe::main", "a file and a function");
	triggers_close(&triggers);
}

static void test_the_others(void **state)
{
	char text[200];

	(void)state;
	assert_string_equal(add("kprobe:vfs_read")->symbol, "vfs_read");
	assert_string_equal(add("kretprobe:ext4:ext4_sync_file")->symbol,
			    "ext4:ext4_sync_file");
	assert_int_equal(add("exec")->kind, LBRSCOPE_TRIGGER_EXEC);
	assert_int_equal(add("exit")->kind, LBRSCOPE_TRIGGER_EXIT);
	assert_int_equal(add("signal")->signal, 0);
	assert_int_equal(add("signal:11")->signal, SIGSEGV);
	assert_int_equal(add("signal:SEGV")->signal, SIGSEGV);
	assert_int_equal(add("signal:sigusr1")->signal, SIGUSR1);
	for (int nr = 1; nr < SIGSYS + 1; nr++) {
		char text[32];

		snprintf(text, sizeof(text), "signal:%s", sigabbrev_np(nr));
		assert_int_equal(add(text)->signal, nr);
		triggers.nr--;	/* there is no room for all of them */
	}

	assert_string_equal(add("event:branch-misses:u")->event, "branch-misses:u");
	assert_int_equal(add("off-cpu:20ms")->min, 20000000);
	refused("event", "an event of -e");
	refused("off-cpu", "needs a unit");
	refused("off-cpu:0", "needs a unit");
	refused("off-cpu:20", "needs a unit");
	refused("kprobe", "name of a kernel function");
	refused("kprobe:", "name of a kernel function");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "kprobe:", 7);
	refused(text, "name of a kernel function");
	refused("exec:ls", "takes no argument");
	refused("signal:0", "not a signal");
	refused("signal:65", "not a signal");
	refused("signal:HARD", "not a signal");
	refused("", "the kinds are watch");
	refused("kprobes:x", "the kinds are watch");
	refused("kprob:x", "the kinds are watch");
	while (triggers.nr < LBRSCOPE_TRIGGERS_MAX)
		add("exit");
	refused("exit", "more than");
	triggers_close(&triggers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_uprobe),
		cmocka_unit_test(test_the_others),
	};

	return cmocka_run_group_tests_name("triggers", tests, setup,
					   program_teardown);
}
