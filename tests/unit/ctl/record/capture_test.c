// SPDX-License-Identifier: GPL-2.0
/*
 * ctl/record/capture.c, and with it sideband, synth, encode and perfdata_write: rings
 * written by the test, the task events of this very kernel, and Debian's perf
 * to read the file.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "memory_ring.h"
#include "perfdata/describe.h"
#include "record/capture.h"
#include "record/synth.h"

enum { CPUS = 2, PERIOD = 1000 };
static const uint64_t sample_id = 1ULL << 62, offcpu_id = 1ULL << 61;
static const struct encode_format budget_format = { .id = 1ULL << 59, .period = 1 };
static char dir[] = "/tmp/capture_test.XXXXXX";
/* In order.  This process and its children run on these two only, see settle(). */
static unsigned int cpus[CPUS];

static struct memory_ring memory[CPUS];
static struct ring_reader readers[CPUS];
static struct session session;
static struct sideband sideband;
static struct buildid_table buildids;
static struct pidset pids;
static struct capture capture;
static struct perfdata_event events[3];
static bool denied;		/* this kernel does not let us see task events */

/* Addresses in here are what the samples claim. */
__attribute__((noinline)) void capture_test_leaf(void)
{
	__asm__ volatile("nop");
}

__attribute__((noinline)) void capture_test_caller(void)
{
	capture_test_leaf();
	__asm__ volatile("");
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void open_events(void)
{
	struct events_event event = { .name = "cycles:u",
				      .select = EVENTS_SELECT_USR | 0x3c };
	static const uint64_t id = SIDEBAND_ID;
	static struct encode_format format;

	format = (struct encode_format){
		.id = sample_id, .period = PERIOD, .call_stack = true };
	capture.formats = &format;
	capture.nr_formats = 1;
	capture.offcpu_format.id = offcpu_id;
	capture.budget_format = budget_format;
	capture.lost_format = &format;
	events[0] = (struct perfdata_event){ .name = "cycles:u",
		.ids = &sample_id, .nr_ids = 1 };
	encode_attr(&events[0].attr, &event, &format);
	events[1] = (struct perfdata_event){ .name = "dummy",
		.attr = sideband.attr, .ids = &id, .nr_ids = 1 };
	events[2] = (struct perfdata_event){ .name = "budget",
		.ids = &budget_format.id, .nr_ids = 1 };
	encode_budget_attr(&events[2].attr, &budget_format);
}

static int setup(void **state)
{
	int i;

	(void)state;
	memset(&session, 0, sizeof(session));
	memset(&capture, 0, sizeof(capture));
	for (i = 0; i < CPUS; i++) {
		memory_ring_init(&memory[i]);
		if (ring_reader_init(&readers[i], memory[i].ring,
				     &memory[i].tail, MEMORY_RING_LEN))
			return -1;
	}
	session.rings = readers;
	session.nr_rings = CPUS;
	session.possible = (struct cpulist){ cpus, CPUS };
	if (sideband_open(&sideband, &session.possible, (struct sideband_more){}))
		return -1;
	denied = sideband.denied;
	if (denied)
		return 0;
	open_events();
	capture.session = &session;
	capture.sideband = &sideband;
	capture.buildids = &buildids;
	capture.writer = perfdata_write_open("c", events, 3);
	return capture.writer ? capture_init(&capture) : -1;
}

static int teardown(void **state)
{
	int i;

	(void)state;
	if (capture.writer)
		perfdata_write_abort(capture.writer);
	capture_free(&capture);
	sideband_close(&sideband);
	buildid_table_free(&buildids);
	pidset_free(&pids);
	for (i = 0; i < CPUS; i++)
		memory_ring_free(&memory[i]);
	unlink("c");
	return 0;
}

static void needs_task_events(void)
{
	if (denied)
		skip();
}

static void finish(void)
{
	char *argv[] = { "capture_test", NULL };
	struct perfdata_description description = {
		.cpuid = "GenuineIntel,6,85,4", .lbr_depth = 32,
		.argv = argv, .argc = 1, .events = events, .nr_events = 3,
		.first = capture.first, .last = capture.last,
		.buildids = &buildids,
	};

	assert_int_equal(perfdata_describe(capture.writer, &description), 0);
	assert_true(perfdata_write_finish(capture.writer) > 0);
	capture.writer = NULL;
}

static pid_t run_true(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* The records of the file, one after the other. */
struct file {
	char *bytes;
	size_t at, end;
};

static struct file file_open(void)
{
	const struct perfdata_header *head;
	struct file f = {};
	FILE *in = fopen("c", "r");

	assert_non_null(in);
	f.bytes = malloc(4 << 20);
	assert_true(fread(f.bytes, 1, 4 << 20, in) > sizeof(*head));
	fclose(in);
	head = (const void *)f.bytes;
	f.at = head->data.offset;
	f.end = f.at + head->data.size;
	return f;
}

static const struct perf_event_header *file_next(struct file *f)
{
	const struct perf_event_header *r = (const void *)(f->bytes + f->at);

	if (f->at == f->end) {
		free(f->bytes);
		return NULL;
	}
	assert_true(r->size >= 8 && r->size <= f->end - f->at);
	f->at += r->size;
	return r;
}

static uint64_t file_time(const struct perf_event_header *r)
{
	if (r->type == PERF_RECORD_SAMPLE)
		return ((const uint64_t *)r)[4];
	return sideband_id(r)->time;
}

static void test_one_order_of_time(void **state)
{
	const struct perf_event_header *r;
	uint64_t last = 0, samples = 0, others = 0, rounds = 0;
	struct file f;
	int i;

	(void)state;
	needs_task_events();
	for (i = 0; i < 30; i++) {
		memory_ring_sample(&memory[i % 3 % CPUS], now(), 0x1000, i % 3);
		if (i % 5 == 0)
			run_true();
	}
	assert_true(capture_round(&capture, true) > 30);
	finish();
	assert_int_equal(capture.samples, 30);
	assert_int_equal(capture.nr_cpus, CPUS);

	for (f = file_open(); (r = file_next(&f));) {
		if (r->type == PERFDATA_RECORD_FINISHED_ROUND) {
			rounds++;
			continue;
		}
		assert_true(file_time(r) >= last);
		last = file_time(r);
		samples += r->type == PERF_RECORD_SAMPLE;
		others += r->type != PERF_RECORD_SAMPLE;
	}
	assert_int_equal(samples, 30);
	/* Each /bin/true: fork, exec, program and loader mapped, exit. */
	assert_true(others >= 6 * 5);
	assert_int_equal(rounds, 1);
}

static void count(uint64_t *samples, uint64_t *others)
{
	const struct perf_event_header *r;
	struct file f;

	*samples = *others = 0;
	for (f = file_open(); (r = file_next(&f));) {
		assert_int_not_equal(r->type, PERFDATA_RECORD_FINISHED_ROUND);
		*samples += r->type == PERF_RECORD_SAMPLE;
		*others += r->type != PERF_RECORD_SAMPLE;
	}
}

/* Of a flight recorder the rings are left alone until they are asked for; a dump
 * has them and the sideband up to then, the file what comes later and all of the
 * sideband. */
static void test_a_flight_recorder(void **state)
{
	uint64_t samples, others, before;
	struct perfdata_writer *dump;
	int i;

	(void)state;
	needs_task_events();
	capture.flight = true;
	for (i = 0; i < 20; i++)
		memory_ring_sample(&memory[i % CPUS], now(), 0x1000, 1);
	run_true();
	assert_int_equal(capture_round(&capture, false), 0);
	assert_int_equal(capture.samples, 0);
	dump = perfdata_write_fork(capture.writer, "d");
	assert_non_null(dump);
	assert_int_equal(capture_rings(&capture, dump), 20);
	assert_true(perfdata_write_finish(dump) > 0);

	for (i = 0; i < 3; i++)
		memory_ring_sample(&memory[0], now(), 0x1000, 1);
	run_true();
	assert_int_equal(capture_round(&capture, true), 3);
	finish();
	assert_int_equal(capture.samples, 23);
	count(&samples, &others);
	assert_int_equal(samples, 3);
	assert_int_equal(rename("d", "c"), 0);
	before = others;
	count(&samples, &others);
	assert_int_equal(samples, 20);
	assert_true(others >= 6);
	assert_true(before >= others + 6);
}

/* The sideband of a CPU that was offline is opened anew, with what it had before; of one
 * that was not it stays. What perf does to the event of a CPU that goes offline is done to
 * it here: it is taken off. */
static void test_a_cpu_comes_back(void **state)
{
	const struct perf_event_header *r;
	uint64_t forks = 0;
	struct file f;
	int i, fd;

	(void)state;
	needs_task_events();
	for (i = 0; i < CPUS; i++)
		memory[i].ring->begun = 1;
	assert_int_equal(capture_return(&capture), 0);
	fd = sideband.cpus[0].fd;
	memory[0].ring->begun = 2;
	assert_int_equal(capture_return(&capture), 0);
	assert_int_equal(sideband.cpus[0].fd, fd);

	run_true();
	for (i = 0; i < CPUS; i++)
		ioctl(sideband.cpus[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < CPUS; i++)
		memory[i].ring->begun++;
	assert_int_equal(capture_return(&capture), 1);
	assert_int_equal(capture_return(&capture), 0);
	run_true();
	assert_true(capture_round(&capture, true) > 6);
	finish();
	for (f = file_open(); (r = file_next(&f));) {
		if (r->type == PERFDATA_RECORD_FINISHED_ROUND)
			continue;
		assert_true(sideband_id(r)->id == SIDEBAND_ID);
		forks += r->type == PERF_RECORD_FORK;
	}
	assert_true(forks >= 2);
}

/* It cannot be opened anew: the recording goes on without, and the next time tries again. */
static void test_a_cpu_comes_back_in_vain(void **state)
{
	struct rlimit before, none;

	(void)state;
	needs_task_events();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	ioctl(sideband.cpus[0].fd, PERF_EVENT_IOC_DISABLE, 0);
	memory[0].ring->begun = 2;
	none = (struct rlimit){ .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(capture_return(&capture), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	run_true();
	assert_true(capture_round(&capture, false) >= 0);
	memory[0].ring->begun = 3;
	assert_int_equal(capture_return(&capture), 1);
	assert_true(sideband.cpus[0].fd >= 0);
}

static void test_young_records_wait(void **state)
{
	struct timespec slack = { .tv_nsec = 40000000 };

	(void)state;
	needs_task_events();
	memory_ring_sample(&memory[0], now(), 0x1000, 0);
	capture_round(&capture, false);
	assert_int_equal(capture.samples, 0);
	nanosleep(&slack, NULL);
	capture_round(&capture, false);
	assert_int_equal(capture.samples, 1);
	assert_int_equal(memory[0].tail.tail, memory[0].ring->head);
}

static void test_but_not_when_the_ring_fills(void **state)
{
	int i;

	(void)state;
	needs_task_events();
	for (i = 0; i < 40; i++)
		memory_ring_sample(&memory[1], now(), 0x1000, 3);
	capture_round(&capture, false);
	assert_int_equal(capture.samples, 40);
}

static void test_losses_are_told_once(void **state)
{
	struct lbrscope_lost_record *lost;
	const struct perf_event_header *r;
	uint64_t sum = 0, offcpu = 0;
	struct file f;

	(void)state;
	needs_task_events();
	lost = memory_ring_put(&memory[1], (struct lbrscope_record){
		.size = sizeof(*lost) + 5 * 8, .nr = 5,
		.type = LBRSCOPE_RECORD_LOST });
	lost->time = now();
	lost->lost[LBRSCOPE_LOST_RING_FULL] = 30;
	assert_true(capture_round(&capture, true) >= 1);
	assert_int_equal(capture.lost, 30);
	assert_int_equal(capture_account(&capture, 42, 7), 0);
	finish();
	for (f = file_open(); (r = file_next(&f));) {
		const uint64_t *words = (const void *)r;

		if (r->type != PERF_RECORD_LOST_SAMPLES)
			continue;
		/* The last word is the id of the event. */
		if (words[r->size / 8 - 1] == sample_id)
			sum += words[1];
		else if (words[r->size / 8 - 1] == offcpu_id)
			offcpu += words[1];
	}
	assert_int_equal(sum, 42);
	assert_int_equal(offcpu, 7);
}

static void test_other_processes_are_left_out(void **state)
{
	const struct perf_event_header *r;
	unsigned int ours = 0;
	struct file f;
	uint32_t pid;
	pid_t child;

	(void)state;
	needs_task_events();
	capture.pids = &pids;
	child = fork();
	if (!child) {
		/* Wait until the parent has run another one. */
		usleep(100000);
		_exit(system("/bin/true; /bin/true"));
	}
	assert_int_equal(pidset_add(&pids, child), 0);
	run_true();
	assert_int_equal(waitpid(child, NULL, 0), child);
	capture_round(&capture, true);
	finish();
	for (f = file_open(); (r = file_next(&f));) {
		if (r->type == PERFDATA_RECORD_FINISHED_ROUND)
			continue;
		pid = ((const uint32_t *)r)[2];
		assert_true(pidset_has(&pids, pid));
		ours += r->type == PERF_RECORD_EXIT;
	}
	/* The child, its shell, and what that ran as a child. */
	assert_true(ours >= 3);
}

static void test_a_corrupt_ring_ends_it(void **state)
{
	struct lbrscope_sample *sample;

	(void)state;
	needs_task_events();
	sample = memory_ring_sample(&memory[0], now(), 0x1000, 0);
	sample->rec.size = 0;
	assert_int_equal(capture_round(&capture, true), -1);
	sample->rec.size = sizeof(*sample);
	sample->rec.nr = 200;
	assert_int_equal(capture_round(&capture, true), -1);
	memory[0].ring->head = 1;
	assert_int_equal(capture_round(&capture, true), -1);
}

/* Each type, by itself, a word shorter than what it announces; and a sample of an event that nobody
 * asked for. */
static void test_no_record_is_read_past_its_end(void **state)
{
	static const struct lbrscope_record records[] = {
		{ .type = LBRSCOPE_RECORD_SAMPLE, .size = sizeof(struct lbrscope_sample) - 8 },
		{ .type = LBRSCOPE_RECORD_OFFCPU, .size = sizeof(struct lbrscope_offcpu) - 8 },
		{ .type = LBRSCOPE_RECORD_TRIGGER, .size = sizeof(struct lbrscope_trigger) - 8 },
		{ .type = LBRSCOPE_RECORD_BUDGET, .size = sizeof(struct lbrscope_budget) - 8 },
		{ .type = LBRSCOPE_RECORD_LOST, .nr = 1, .size = sizeof(struct lbrscope_lost_record) },
		{ .type = LBRSCOPE_RECORD_SAMPLE, .size = sizeof(struct lbrscope_sample) + 16,
		  .format = LBRSCOPE_FORMAT_TASK, .event = 1 },
	};
	uint64_t *words;
	size_t i;

	(void)state;
	needs_task_events();
	for (i = 0; i < sizeof(records) / sizeof(*records); i++) {
		words = memory_ring_put(&memory[0], records[i]);
		words[1] = now();	/* behind the head, in all of them */
		assert_int_equal(capture_round(&capture, true), -1);
		/* task events of other processes, if any */
		assert_true(capture_round(&capture, true) >= 0);
	}
}

static void test_a_corrupt_ring_of_perf_ends_it(void **state)
{
	static union {
		struct perf_event_mmap_page page;
		char bytes[2 * MEMORY_RING_PAGE];
	} ring;
	struct perf_event_mmap_page *real;

	(void)state;
	needs_task_events();
	/* perf's own cannot be written to */
	real = sideband.cpus[0].page;
	sideband.cpus[0].page = &ring.page;
	ring.page.data_offset = MEMORY_RING_PAGE;
	ring.page.data_head = sideband.cpus[0].tail + sizeof(struct perf_event_header);
	assert_int_equal(capture_round(&capture, true), -1);
	sideband.cpus[0].page = real;
}

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

/* What a command prints; what it says on stderr has to be nothing. */
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
	assert_non_null(strstr(text, "ctl_capture_test"));
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

/* Marks of the budget are none of the samples, and perf prints them. */
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

/* What was there before: this process, as part of everything. */
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
					  "ctl_capture_test", 15);
		if (r->type == PERF_RECORD_MMAP2 &&
		    r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			mapped += !memcmp((const char *)r + 44, own.bytes,
					  own.size);
	}
	assert_int_equal(comms, 1);
	assert_int_equal(mapped, 1);
}

/*
 * Task events are opened on two CPUs, so whatever has to be seen runs there.  Where
 * this process may use only one CPU the other one sees nothing; where the machine has
 * only one, CPU 1 counts as offline.
 */
static int settle(void)
{
	cpu_set_t allowed, chosen;
	unsigned int n = 0, cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE && n < CPUS; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[n++] = cpu;
	if (n == 1) {
		cpus[1] = cpus[0] ? cpus[0] : 1;
		cpus[0] = 0;
	}
	CPU_ZERO(&chosen);
	for (n = 0; n < CPUS; n++)
		CPU_SET(cpus[n], &chosen);
	CPU_AND(&chosen, &chosen, &allowed);
	return sched_setaffinity(0, sizeof(chosen), &chosen);
}

static int group_setup(void **state)
{
	(void)state;
	return settle() || !mkdtemp(dir) || chdir(dir);
}

static int group_teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_order_of_time),
		TEST(test_a_flight_recorder),
		TEST(test_a_cpu_comes_back),
		TEST(test_a_cpu_comes_back_in_vain),
		TEST(test_young_records_wait),
		TEST(test_but_not_when_the_ring_fills),
		TEST(test_losses_are_told_once),
		TEST(test_other_processes_are_left_out),
		TEST(test_a_corrupt_ring_ends_it),
		TEST(test_no_record_is_read_past_its_end),
		TEST(test_a_corrupt_ring_of_perf_ends_it),
		TEST(test_existing_processes),
		TEST(test_perf_reads_it),
		TEST(test_marks_of_the_budget),
	};

	return cmocka_run_group_tests_name("capture", tests, group_setup,
					   group_teardown);
}
