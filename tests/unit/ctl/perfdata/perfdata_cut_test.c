// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/read.c: captures that come through a pipe, or that end early. */
#include "perfdata_fixture.h"

static void what_went_through_a_pipe_is_read(void **state)
{
	static const uint64_t times[] = { 5, 8, 9 };
	static bool boundary[65536];
	static struct bytes file;
	struct perfdata_file *f;
	size_t nr;

	(void)state;
	build_pipe(&file, boundary);
	file_write(path, file.data, file.nr);
	f = perfdata_open(path);
	assert_non_null(f);
	assert_string_equal(perfdata_info(f)->osrelease, "6.1.0-test");
	assert_string_equal(perfdata_events(f, &nr)->name, "cycles:u");
	assert_int_equal(nr, 1);
	assert_int_equal(perfdata_events(f, &nr)->nr_ids, 1);
	assert_int_equal(perfdata_events(f, &nr)->ids[0], 77);
	expect_times(f, times, NR(times));
	/* A file that was cut behind the event is read up to the last complete record. */
	for (size_t cut = 0, named = 0; cut < file.nr; cut++) {
		file_write(path, file.data, cut);
		named |= boundary[cut];
		assert_int_equal(read_all(), named ? 0 : -1);
	}
}

/* Returns where the record of trace data begins. */
static size_t find_trace_data(const struct bytes *file)
{
	struct perf_event_header header;
	size_t at = 16;

	for (;; at += header.size) {
		memcpy(&header, file->data + at, sizeof(header));
		if (header.type == PERFDATA_RECORD_TRACING_DATA)
			return at;
	}
}

/* Older perf writes it without the last four bytes of the record. One that is shorter still is damaged:
 * nothing is cut off there. */
static void trace_data_of_older_perf_is_read(void **state)
{
	static const uint64_t times[] = { 5, 8, 9 };
	static bool boundary[65536];
	static struct bytes file;
	struct perfdata_file *f;
	uint16_t size = 12;
	size_t at;

	(void)state;
	build_pipe(&file, boundary);
	at = find_trace_data(&file);
	memmove(file.data + at + 12, file.data + at + 16, file.nr - at - 16);
	file.nr -= 4;
	memcpy(file.data + at + 6, &size, sizeof(size));
	file_write(path, file.data, file.nr);
	f = perfdata_open(path);
	assert_non_null(f);
	expect_times(f, times, NR(times));
	size = 8;
	memcpy(file.data + at + 6, &size, sizeof(size));
	file_write(path, file.data, file.nr);
	assert_int_equal(read_all(), -1);
}

/* The file comes through a pipe, which cannot be read twice. */
static void a_pipe_is_read(void **state)
{
	static bool boundary[65536];
	static struct bytes file;
	int ends[2], kept = dup(STDIN_FILENO);

	(void)state;
	for (int i = 0; i < 3; i++) {
		build_small(&file);
		if (i)
			build_pipe(&file, boundary);
		assert_int_equal(pipe(ends), 0);
		if (i < 2)
			assert_int_equal(write(ends[1], file.data, file.nr), file.nr);
		close(ends[1]);
		assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
		close(ends[0]);
		snprintf(path, sizeof(path), "-");
		assert_int_equal(read_all(), i < 2 ? 0 : -1);
		snprintf(path, sizeof(path), "/tmp/perfdata_test.%d", getpid());
	}
	dup2(kept, STDIN_FILENO);
	close(kept);
}

/* Samples that are read; -1 where the file is refused. */
static int count_samples(void)
{
	struct perfdata_file *f = perfdata_open(path);
	struct perfdata_record r;
	int ret, nr = 0;

	if (!f)
		return -1;
	while ((ret = perfdata_next(f, &r)) > 0)
		nr += r.type == PERF_RECORD_SAMPLE;
	perfdata_close(f);
	return ret ? -1 : nr;
}

/* A file that was cut anywhere behind its header, or whose recorder was killed: all complete
 * records are read. */
static void what_was_cut_is_read_as_far_as_it_goes(void **state)
{
	static struct bytes file;
	struct perfdata_header head;
	size_t first, second, cut;
	uint64_t size;

	(void)state;
	build_small(&file);
	file_write(path, file.data, file.nr);
	assert_int_equal(count_samples(), 2);
	memcpy(&head, file.data, sizeof(head));
	/* COMM, sample, round, sample */
	first = file.nr - (file.nr - head.data.offset - 8 - 48 - 8) / 2 - 8;
	second = file.nr;
	for (int killed = 0; killed < 2; killed++) {
		size = killed ? 0 : head.data.size;
		memcpy(file.data + offsetof(struct perfdata_header, data.size), &size, 8);
		for (cut = 0; cut <= file.nr; cut++) {
			file_write(path, file.data, cut);
			assert_int_equal(count_samples(), cut < head.data.offset ? -1 :
					 (cut >= first) + (cut >= second));
		}
	}
	/* A power failure leaves zeros at the end. */
	memset(file.data + file.nr, 0, 4096);
	file_write(path, file.data, file.nr + 4096);
	assert_int_equal(count_samples(), 2);
	/* Any other impossible record is damage. */
	file.data[file.nr] = 1;
	file_write(path, file.data, file.nr + 4096);
	assert_int_equal(count_samples(), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_went_through_a_pipe_is_read),
		cmocka_unit_test(trace_data_of_older_perf_is_read),
		cmocka_unit_test(a_pipe_is_read),
		cmocka_unit_test(what_was_cut_is_read_as_far_as_it_goes),
	};

	return cmocka_run_group_tests_name("perfdata_cut", tests, setup, teardown);
}
