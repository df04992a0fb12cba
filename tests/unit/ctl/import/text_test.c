// SPDX-License-Identifier: GPL-2.0
/* ctl/import/text.c: the lines of perf script. */
#include "test.h"

#include "import/text.h"

/* The part that is not there is 0 or NULL. */
static void heads(void **state)
{
	static const struct {
		const char *line;
		struct text_head want;
		const char *comm, *event, *rest;
	} lines[] = {
		{ "            perf  5805/5806 [003] 12631.245939:          9 cycles:ppp:  ffff f+0x1 (a)",
		  { .pid = 5805, .tid = 5806, .cpu = 3, .time = 12631245939000, .period = 9, .has_time = true, .has_cpu = true, .has_pid = true },
		  "perf", "cycles:ppp", "  ffff f+0x1 (a)" },
		{ "sh 28809  2068.756427:     500000 cpu-clock: ",
		  { .pid = 28809, .tid = 28809, .time = 2068756427000, .period = 500000, .has_time = true }, "sh", "cpu-clock", " " },
		{ "my app 1 2 77 [000] 1.123456789: cpu/event=0x3c/u: 0",
		  { .pid = 77, .tid = 77, .time = 1123456789, .period = 1, .has_time = true, .has_cpu = true }, "my app 1 2", "cpu/event=0x3c/u", " 0" },
		{ "a 7 cycles:", { .pid = 7, .tid = 7, .period = 1 }, "a", "cycles", "" },
		{ "swapper -1/-1 1.0: 3 sched:sched_switch: prev_comm=x",
		  { .pid = -1, .tid = -1, .time = 1000000000, .period = 3, .has_time = true, .has_pid = true }, "swapper",
		  "sched:sched_switch", " prev_comm=x" },
		{ "a 5/5 1.0: PERF_RECORD_LOST lost 12", { .pid = 5, .tid = 5, .time = 1000000000, .period = 1, .has_time = true, .has_pid = true },
		  "a", "PERF_RECORD_LOST", "lost 12" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char line[256];
		struct text_head got, want = lines[i].want;

		strcpy(line, lines[i].line);
		assert_true(text_head(line, &got));
		assert_string_equal(got.comm, lines[i].comm);
		assert_string_equal(got.event, lines[i].event);
		assert_string_equal(got.rest, lines[i].rest);
		assert_int_equal(got.pid, want.pid);
		assert_int_equal(got.tid, want.tid);
		assert_int_equal(got.cpu, want.cpu);
		assert_int_equal(got.time, want.time);
		assert_int_equal(got.period, want.period);
		assert_int_equal(got.has_time << 2 | got.has_cpu << 1 | got.has_pid,
				 want.has_time << 2 | want.has_cpu << 1 | want.has_pid);
	}
}

static void no_heads(void **state)
{
	static const char *const lines[] = {
		"", "word", "a b c", "a 5", "a 5/ 1.0: cycles:", "a 5/5x 1.0: cycles:", "a 99999999999 1.0: cycles:", "5 cycles:",
		"\t    7f00 name+0x1 (/lib/x)", "\t 20ca3 operator new(unsigned long, 5)+0x1 (/lib/x)", "a 5/5 1.0: 12 34 56", "# a 5: b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct text_head head;
		char line[256];

		strcpy(line, lines[i]);
		assert_false(text_head(line, &head));
		assert_string_equal(line, lines[i]);
	}
}

static void same_text(const char *want, const char *got)
{
	if (!want || !got)
		assert_ptr_equal(want, got);
	else
		assert_string_equal(want, got);
}

static void frames(void **state)
{
	static const struct {
		const char *line, *name, *file;
		uint64_t address, offset;
		bool inlined;
	} lines[] = {
		{ "\t           20ca3 mmap64+0x13 (/usr/lib/ld.so)", "mmap64", "/usr/lib/ld.so", 0x20ca3, 0x13, false },
		{ "        ffffffff81000130 f ([kernel.kallsyms])", "f", "[kernel.kallsyms]", 0xffffffff81000130, 0, false },
		{ "\t 0 [unknown] ([unknown])", NULL, NULL, 0, 0, false },
		{ "\t 10 [unknown] (/x)", NULL, "/x", 0x10, 0, false },
		{ "\t 10 a::b(int (*)(char), c<d> const&)+0xff (/x y/z (deleted))", "a::b(int (*)(char), c<d> const&)", "/x y/z (deleted)", 0x10, 0xff, false },
		{ "\t 10 a::operator+(b) (inlined)", "a::operator+(b)", NULL, 0x10, 0, true },
		{ "\t 10 a+0x3 (inlined)", "a", NULL, 0x10, 3, true },
		{ "\t 10 main+0x3 (/x) [by frame pointer]", "main", "/x", 0x10, 3, false },
		{ "\t 10 <impl a::b for c>::d+0x3", "<impl a::b for c>::d", NULL, 0x10, 3, false },
		{ "\t 10", NULL, NULL, 0x10, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct text_frame frame;
		char line[256];

		strcpy(line, lines[i].line);
		assert_true(text_frame(line, &frame));
		same_text(lines[i].name, frame.name);
		same_text(lines[i].file, frame.file);
		assert_int_equal(lines[i].address, frame.address);
		assert_int_equal(lines[i].offset, frame.offset);
		assert_int_equal(lines[i].inlined, frame.inlined);
	}
}

static void mappings(void **state)
{
	static const struct {
		const char *rest, *path;
		struct text_mapping want;
	} lines[] = {
		{ "25532/25532: [0x400000(0x2000) @ 0]: x /export/a b", "/export/a b", { 25532, 0x400000, 0x2000, 0, true, NULL } },
		{ "7/8: [0x7f00(0x1000) @ 0x2000 fe:01 1234 0]: r-xp /usr/lib/x.so", "/usr/lib/x.so", { 7, 0x7f00, 0x1000, 0x2000, true, NULL } },
		{ "7/8: [0x7f00(0x1000) @ 0x2000 <0123456789abcdef>]: r--p //anon", "//anon", { 7, 0x7f00, 0x1000, 0x2000, false, NULL } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct text_mapping got;
		char line[256];

		strcpy(line, lines[i].rest);
		assert_true(text_mapping(line, &got));
		assert_string_equal(got.path, lines[i].path);
		assert_int_equal(got.pid, lines[i].want.pid);
		assert_int_equal(got.start, lines[i].want.start);
		assert_int_equal(got.size, lines[i].want.size);
		assert_int_equal(got.offset, lines[i].want.offset);
		assert_int_equal(got.has_code, lines[i].want.has_code);
	}
}

/* Each line has memory of its own size, so that a step over its end is found. */
static void damaged(void **state)
{
	static const char *const lines[] = {
		"perf  5805/5806 [003] 12631.245939:  9 cycles:ppp:  ffff f+0x1 (a)", "\t 10 a::b(int)+0xff (/x y/z (deleted))",
		" 0x1(/a b)/0x2/P/X/A/33/COND/-  0x3/0x4/M/-/-/0", "7/8: [0x7f00(0x1000) @ 0x2000 fe:01 1 0]: r-xp /x",
	};

	(void)state;
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		const char *line = lines[i % 4];
		struct perf_branch_entry branch;
		struct text_mapping mapping;
		struct text_frame frame;
		struct text_head head;
		const char *at;
		char *copy;

		copy = strndup(line, random() % (strlen(line) + 1));
		for (int k = random() % 4; *copy && k; k--)
			copy[random() % strlen(copy)] = " \t\n()[]/:+-0f9P\xff"[random() % 16];
		at = copy;
		while (text_branch(&at, &branch))
			assert_true(at <= copy + strlen(copy));
		if (!text_mapping(copy, &mapping) && !text_head(copy, &head))
			text_frame(copy, &frame);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads), cmocka_unit_test(no_heads), cmocka_unit_test(frames), cmocka_unit_test(mappings),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
