// SPDX-License-Identifier: GPL-2.0
/* ctl/record/capture.c: the file as Debian's perf reads it. */
#include "capture_fixture.h"

static void sample_of_us(uint64_t ip, int nr)
{
	struct lbrscope_sample *s = memory_ring_sample(&memory[0], now(), ip, nr);
	struct lbrscope_task *task = (struct lbrscope_task *)(s + 1);
	uint64_t *words = (uint64_t *)(task + 1);

	task->pid = task->tid = getpid();
	if (nr) {
		words[0] = (uintptr_t)capture_test_caller + 1;
		words[1] = (uintptr_t)capture_test_leaf;
	}
}

/* Returns the output of a command, which must print nothing to stderr. */
static char *output(const char *command)
{
	static char text[1 << 20];
	FILE *out = popen(command, "r");
	size_t len;

	assert_non_null(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = '\0';
	assert_int_equal(pclose(out), 0);
	assert_int_equal(system("test ! -s complaints"), 0);
	return text;
}

static void test_perf_reads_it(void **state)
{
	struct synth synth = { .buildids = &buildids };
	char *text, want[128];
	pid_t child;
	int i;

	(void)state;
	needs_task_events();
	synth.writer = capture.writer;
	assert_int_equal(synth_process(&synth, getpid()), 0);
	assert_int_equal(synth_kernel(&synth), 0);
	for (i = 0; i < 10; i++)
		sample_of_us((uintptr_t)capture_test_leaf, 1);
	sample_of_us((uintptr_t)capture_test_leaf, 0);
	child = run_true();
	capture_round(&capture, true);
	finish();

	text = output("perf script -i c -F ip,sym 2>complaints");
	for (i = 0; (text = strstr(text, "capture_test_leaf")); i++)
		text++;
	assert_int_equal(i, 11);
	text = output("perf script -i c -F ip,sym 2>complaints");
	for (i = 0; (text = strstr(text, "capture_test_caller")); i++)
		text++;
	assert_int_equal(i, 10);
	text = output("perf script -i c -F ip,sym 2>complaints");
	assert_null(strstr(text, "[unknown]"));

	snprintf(want, sizeof(want), "PERF_RECORD_COMM exec: true:%d/%d",
		 child, child);
	text = output("perf script -i c --show-task-events 2>complaints");
	assert_non_null(strstr(text, want));

	text = output("perf report --stdio -i c 2>complaints");
	assert_non_null(strstr(text, "Samples: 11  of event 'cycles:u'"));
	text = output("perf report --header-only -i c 2>complaints");
	assert_non_null(strstr(text, "# cpuid : GenuineIntel,6,85,4"));
	assert_non_null(strstr(text, "# cmdline : lbrctl capture_test"));
	assert_non_null(strstr(text, "branches=32"));
	text = output("perf buildid-list -i c 2>complaints");
	assert_non_null(strstr(text, "ctl_capture_perf_test"));
	assert_non_null(strstr(text, "[kernel.kallsyms]"));
	assert_non_null(strstr(text, "/true"));
}

static void mark_of_us(int cpu, uint32_t stretch)
{
	struct lbrscope_budget *b = memory_ring_put(&memory[cpu],
		(struct lbrscope_record){ .size = sizeof(*b),
			.type = LBRSCOPE_RECORD_BUDGET });

	b->time = now();
	b->stretch = stretch;
	b->share = 25;
}

/* Marks of the budget are not among the samples, and perf prints them. */
static void test_marks_of_the_budget(void **state)
{
	struct synth synth = { .buildids = &buildids };
	char *text, want[16];

	(void)state;
	needs_task_events();
	synth.writer = capture.writer;
	assert_int_equal(synth_process(&synth, getpid()), 0);
	assert_int_equal(synth_kernel(&synth), 0);
	sample_of_us((uintptr_t)capture_test_leaf, 0);
	mark_of_us(1, 8100);
	mark_of_us(1, 1000);
	sample_of_us((uintptr_t)capture_test_leaf, 0);
	capture_round(&capture, true);
	finish();
	assert_int_equal(capture.samples, 2);
	assert_int_equal(capture.budget.stretched, 1);
	assert_int_equal(capture.budget.most, 8100);

	text = output("perf script -i c -F sw:comm,cpu,event,ip,bpf-output 2>complaints");
	text = strstr(text, ":-1 ");
	assert_non_null(text);
	snprintf(want, sizeof(want), "[%03u]", cpus[1]);
	text = strstr(text, want);
	assert_non_null(text);
	text = strstr(text, " budget: ");
	assert_non_null(text);
	assert_non_null(strstr(text, "BPF string: "
			       "\"stretch=8.100 spent=2.5% left-out=0\""));
	text = output("perf report --stdio -i c 2>complaints");
	assert_non_null(strstr(text, "Samples: 2  of event 'cycles:u'"));
}

/* Records of existing processes: this process is among them. */
static void test_existing_processes(void **state)
{
	struct synth synth = { .buildids = &buildids };
	struct buildid own = buildid_file("/proc/self/exe");
	unsigned int comms = 0, mapped = 0;
	const struct perf_event_header *r;
	const uint32_t *words;
	struct file f;

	(void)state;
	needs_task_events();
	synth.writer = capture.writer;
	assert_int_equal(synth_all(&synth), 0);
	finish();
	for (f = file_open(); (r = file_next(&f));) {
		words = (const uint32_t *)r;
		assert_int_equal(file_time(r), 0);
		if (words[2] != (uint32_t)getpid())
			continue;
		if (r->type == PERF_RECORD_COMM)
			comms += !strncmp((const char *)&words[4],
					  "ctl_capture_perf_test", 15);
		if (r->type == PERF_RECORD_MMAP2 &&
		    r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			mapped += !memcmp((const char *)r + 44, own.bytes,
					  own.size);
	}
	assert_int_equal(comms, 1);
	assert_int_equal(mapped, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_perf_reads_it),
		TEST(test_marks_of_the_budget),
		TEST(test_existing_processes),
	};

	return cmocka_run_group_tests_name("capture_perf", tests, group_setup,
					   group_teardown);
}
