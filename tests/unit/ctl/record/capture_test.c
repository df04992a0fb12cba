// SPDX-License-Identifier: GPL-2.0
/*
 * ctl/record/capture.c, and with it sideband, synth, encode and perfdata_write: rings
 * written by the test, the task events of this very kernel, and Debian's perf
 * to read the file.
 */
#include "capture_fixture.h"

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

/* The rings of a flight recorder are not read until a dump. The dump has their records and the
 * sideband so far; the file has later records and the whole sideband. */
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

/* The sideband of a CPU that was offline is opened again, with its earlier records; that of
 * another CPU stays. The test does to the event what perf does when a CPU goes offline: it
 * detaches it. */
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

/* It cannot be opened again: the recording continues without it, and tries again the next
 * time. */
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
	/* The child, its shell, and the child of that. */
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

/* Each type of record, a word shorter than it announces; and a sample of an unknown event. */
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
	};

	return cmocka_run_group_tests_name("capture", tests, group_setup,
					   group_teardown);
}
