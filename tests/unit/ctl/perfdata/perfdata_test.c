// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/read.c and its parts: files made by hand, whole, cut and spoilt. */
#include "file_writer.h"

#include "perfdata/read.h"

static char path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/perfdata_test.%d", getpid());
	/* The spoilt files below would fill the log with what is wrong. */
	assert_non_null(freopen("/dev/null", "w", stderr));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static const struct perf_event_attr attr_lbr = {
	.type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5,
	.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 1000,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
	.sample_id_all = 1, .exclude_kernel = 1,
	.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
		PERF_SAMPLE_BRANCH_CALL_STACK,
};

static void put_sample(struct bytes *b, uint64_t time, uint64_t ip)
{
	size_t at = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(b, 77);		/* identifier */
	put_u64(b, ip);
	put_u32(b, 10);		/* pid, tid */
	put_u32(b, 11);
	put_u64(b, time);
	put_u32(b, 3);		/* cpu, reserved */
	put_u32(b, 0);
	put_u64(b, 1000);	/* period */
	put_u64(b, 2);		/* call chain */
	put_u64(b, PERF_CONTEXT_USER);
	put_u64(b, ip);
	put_u64(b, 1);		/* branches: from, to, flags */
	put_u64(b, 0x1111);
	put_u64(b, 0x2222);
	put_u64(b, 0);
	record_end(b, at);
}

static void put_trailer(struct bytes *b, uint64_t time)
{
	put_u32(b, 10);
	put_u32(b, 11);
	put_u64(b, time);
	put_u32(b, 3);
	put_u32(b, 0);
	put_u64(b, 77);
}

static void put_comm(struct bytes *b, uint64_t time)
{
	size_t at = record_begin(b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put_u32(b, 10);
	put_u32(b, 10);
	put_name(b, "program");
	put_trailer(b, time);
	record_end(b, at);
}

static void put_round(struct bytes *b)
{
	record_end(b, record_begin(b, PERFDATA_RECORD_FINISHED_ROUND, 0));
}

static struct perfdata_file *open_whole(const struct perf_event_attr *attr,
					const struct bytes *records)
{
	static struct bytes file;
	struct perfdata_file *f;

	file_put(&file, attr, 77, records);
	file_write(path, file.data, file.nr);
	f = perfdata_open(path);
	assert_non_null(f);
	return f;
}

static void whole_file(void **state)
{
	static struct bytes records;
	struct perfdata_record r;
	struct perfdata_sample s;
	struct perfdata_file *f;
	size_t nr;

	(void)state;
	put_comm(&records, 5);
	put_sample(&records, 8, 0x401000);
	f = open_whole(&attr_lbr, &records);
	assert_string_equal(perfdata_events(f, &nr)[0].name, "cycles:u");
	assert_int_equal(nr, 1);

	assert_int_equal(perfdata_next(f, &r), 1);
	assert_int_equal(r.type, PERF_RECORD_COMM);
	assert_int_equal(r.time, 5);
	assert_int_equal(r.tid, 11);
	assert_int_equal(r.body_size, r.size - 32);

	assert_int_equal(perfdata_next(f, &r), 1);
	s = r.sample;
	assert_int_equal(s.ip, 0x401000);
	assert_int_equal(s.pid, 10);
	assert_int_equal(s.tid, 11);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 1000);
	assert_int_equal(s.chain_nr, 2);
	assert_int_equal(perfdata_u64(s.chain + 8), 0x401000);
	assert_int_equal(s.branches_nr, 1);
	assert_int_equal(perfdata_u64(s.branches), 0x1111);
	assert_int_equal(perfdata_u64(s.branches + 8), 0x2222);
	assert_int_equal(perfdata_next(f, &r), 0);
	perfdata_close(f);
}

/* Every sample_type bit that comes before or behind what is used, with every
 * variable-sized part filled. */
static void every_sample_field(void **state)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .config = 0x1c2, .size = PERF_ATTR_SIZE_VER5,
		.sample_type = (1ULL << 25) - 1, .read_format = PERF_FORMAT_GROUP |
			PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
			PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 0x7, .sample_regs_intr = 0x3,
	};
	static struct bytes b;
	struct perfdata_record r;
	struct perfdata_sample s;
	struct perfdata_file *f;
	size_t at = record_begin(&b, PERF_RECORD_SAMPLE, 0), nr;

	(void)state;
	put_u64(&b, 77);				/* identifier */
	put_u64(&b, 0x1234);				/* ip */
	put_u32(&b, 1);
	put_u32(&b, 2);
	put_u64(&b, 3);					/* time */
	put_u64(&b, 4);					/* addr */
	put_u64(&b, 77);				/* id */
	put_u64(&b, 5);					/* stream id */
	put_u64(&b, 6);					/* cpu */
	put_u64(&b, 7);					/* period */
	put_u64(&b, 2);					/* read: nr, enabled, */
	put_u64(&b, 0);					/* 2 x (value, id) */
	for (int i = 0; i < 4; i++)
		put_u64(&b, 0);
	put_u64(&b, 1);					/* chain */
	put_u64(&b, 0xc);
	put_u32(&b, 4);					/* raw */
	put_u32(&b, 0);
	put_u64(&b, 1);					/* branches, index */
	put_u64(&b, 0);
	put_u64(&b, 0xaa);
	put_u64(&b, 0xbb);
	put_u64(&b, 0);
	put_u64(&b, PERF_SAMPLE_REGS_ABI_64);		/* 3 user registers */
	for (int i = 0; i < 3; i++)
		put_u64(&b, 0xa0 + i);
	put_u64(&b, 16);				/* user stack */
	put_u64(&b, 0x57ac);
	put_u64(&b, 0);
	put_u64(&b, 8);					/* bytes of it read */
	put_u64(&b, 0);					/* weight */
	put_u64(&b, 0);					/* data source */
	put_u64(&b, 0);					/* transaction */
	put_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);		/* no registers */
	put_u64(&b, 0);					/* physical address */
	put_u64(&b, 0xc6);				/* cgroup */
	put_u64(&b, 0);					/* page sizes */
	put_u64(&b, 0);
	put_u64(&b, 0);					/* aux */
	record_end(&b, at);

	f = open_whole(&attr, &b);
	assert_string_equal(perfdata_events(f, &nr)[0].name, "raw 0x1c2");
	assert_int_equal(perfdata_next(f, &r), 1);
	s = r.sample;
	assert_int_equal(s.ip, 0x1234);
	assert_int_equal(s.period, 7);
	assert_int_equal(perfdata_u64(s.chain), 0xc);
	assert_int_equal(perfdata_u64(s.branches), 0xaa);
	assert_int_equal(s.regs_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(perfdata_u64(s.regs + 16), 0xa2);
	assert_int_equal(s.stack_size, 8);
	assert_int_equal(perfdata_u64(s.stack), 0x57ac);
	assert_int_equal(s.cgroup, 0xc6);
	perfdata_close(f);

	/* One byte less, and what must be there is not. */
	b.nr -= 8;
	record_end(&b, at);
	f = open_whole(&attr, &b);
	assert_int_equal(perfdata_next(f, &r), -1);
	perfdata_close(f);
}

static void expect_times(struct perfdata_file *f, const uint64_t *times, size_t nr)
{
	struct perfdata_record r;

	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(perfdata_next(f, &r), 1);
		assert_int_equal(r.time, times[i]);
	}
	assert_int_equal(perfdata_next(f, &r), 0);
	perfdata_close(f);
}

/* Rounds as perf defines them: a record may come one round late. */
static void order_of_time(void **state)
{
	static const uint64_t written[] = { 10, 30, 20, 0, 25, 40, 0, 35, 60, 50 };
	static const uint64_t sorted[] = { 10, 20, 25, 30, 35, 40, 50, 60 };
	static struct bytes rounds, flat;

	(void)state;
	for (size_t i = 0; i < NR(written); i++) {
		if (!written[i]) {
			put_round(&rounds);
			continue;
		}
		put_sample(&rounds, written[i], 0x1000);
		put_sample(&flat, written[i], 0x1000);
	}
	expect_times(open_whole(&attr_lbr, &rounds), sorted, NR(sorted));
	expect_times(open_whole(&attr_lbr, &flat), sorted, NR(sorted));
}

/* Records of the same time keep the order of the file. */
static void equal_times_keep_order(void **state)
{
	static struct bytes b;
	struct perfdata_record r;
	struct perfdata_sample s;
	struct perfdata_file *f;

	(void)state;
	put_sample(&b, 9, 0);
	for (int i = 1; i <= 300; i++)
		put_sample(&b, 7, i);
	f = open_whole(&attr_lbr, &b);
	for (int i = 1; i <= 300; i++) {
		assert_int_equal(perfdata_next(f, &r), 1);
		s = r.sample;
		assert_int_equal(s.ip, i);
	}
	perfdata_close(f);
}

/* Reads all there is; the sanitizers watch. Returns the last answer. */
static int read_all(void)
{
	struct perfdata_file *f = perfdata_open(path);
	struct perfdata_record r;
	struct perfdata_sample s;
	uint64_t sum = 0;
	int ret;

	if (!f)
		return -1;
	while ((ret = perfdata_next(f, &r)) > 0) {
		for (size_t i = 0; i < r.size; i++)
			sum += r.data[i];
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		s = r.sample;
		for (uint64_t i = 0; i < s.chain_nr; i++)
			sum += perfdata_u64(s.chain + 8 * i);
		for (uint64_t i = 0; i < 3 * s.branches_nr; i++)
			sum += perfdata_u64(s.branches + 8 * i);
	}
	perfdata_close(f);
	assert_true(sum != 1);
	return ret;
}

static void build_small(struct bytes *file)
{
	static struct bytes records;

	records.nr = 0;
	put_comm(&records, 5);
	put_sample(&records, 8, 0x401000);
	put_round(&records);
	put_sample(&records, 9, 0x401000);
	file_put(file, &attr_lbr, 77, &records);
}

/* The same as perf writes it into a pipe, with an operating system, and trace data, whose
 * size is not in its record. boundary[n]: a record ends behind n bytes. */
static void build_pipe(struct bytes *file, bool *boundary)
{
	size_t at;

	file->nr = 0;
	put_u64(file, PERFDATA_MAGIC);
	put_u64(file, 16);
	at = record_begin(file, PERFDATA_RECORD_HEADER_ATTR, 0);
	put(file, &attr_lbr, PERF_ATTR_SIZE_VER5);
	put_u64(file, 77);
	record_end(file, at);
	boundary[file->nr] = true;
	at = record_begin(file, PERFDATA_RECORD_HEADER_FEATURE, 0);
	put_u64(file, PERFDATA_OSRELEASE);
	put_u32(file, 16);
	put_name(file, "6.1.0-test");
	record_end(file, at);
	boundary[file->nr] = true;
	at = record_begin(file, PERFDATA_RECORD_TRACING_DATA, 0);
	put_u64(file, 5);
	record_end(file, at);
	put_u64(file, 0xffffffffffffffff);
	boundary[file->nr] = true;
	put_comm(file, 5);
	boundary[file->nr] = true;
	put_sample(file, 8, 0x401000);
	boundary[file->nr] = true;
	put_round(file);
	boundary[file->nr] = true;
	put_sample(file, 9, 0x401000);
	boundary[file->nr] = true;
}

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
	/* What was cut behind the event is read up to the last whole record. */
	for (size_t cut = 0, named = 0; cut < file.nr; cut++) {
		file_write(path, file.data, cut);
		named |= boundary[cut];
		assert_int_equal(read_all(), named ? 0 : -1);
	}
}

/* The file comes through a pipe, of which nothing can be read twice. */
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

/* A file that was cut anywhere behind its head, and one whose recorder was killed: all
 * whole records are read. */
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
	/* Any other record that cannot be is damage. */
	file.data[file.nr] = 1;
	file_write(path, file.data, file.nr + 4096);
	assert_int_equal(count_samples(), -1);
}

/* Any answer will do, but for a crash or a read out of bounds. */
static void spoil(struct bytes *file)
{
	static const unsigned char values[] = { 0x00, 0x7f, 0x80, 0xff };

	for (size_t at = 0; at < file->nr; at++) {
		unsigned char kept = file->data[at];

		for (int bit = 0; bit < 8; bit++) {
			file->data[at] = kept ^ 1 << bit;
			file_write(path, file->data, file->nr);
			read_all();
		}
		for (size_t v = 0; v < NR(values); v++) {
			file->data[at] = values[v];
			file_write(path, file->data, file->nr);
			read_all();
		}
		file->data[at] = kept;
	}
}

static void spoilt_bits_do_no_harm(void **state)
{
	static bool boundary[65536];
	static struct bytes file;

	(void)state;
	build_small(&file);
	spoil(&file);
	build_pipe(&file, boundary);
	spoil(&file);
}

static void expect_refused(const struct bytes *file, const char *why)
{
	file_write(path, file->data, file->nr);
	print_message("# %s\n", why);
	assert_null(perfdata_open(path));
}

static void what_cannot_be_read_is_refused(void **state)
{
	struct perf_event_attr attr = attr_lbr;
	static struct bytes file, records;
	struct perfdata_file *f;
	struct perfdata_record r;
	uint64_t word;

	(void)state;
	put_sample(&records, 8, 0x401000);
	file_put(&file, &attr, 77, &records);
	word = PERFDATA_MAGIC_SWAPPED;
	memcpy(file.data, &word, 8);
	expect_refused(&file, "byte order");

	attr.sample_type |= 1ULL << 25;
	file_put(&file, &attr, 77, &records);
	expect_refused(&file, "unknown sample type");

	attr = attr_lbr;
	attr.branch_sample_type |= 1ULL << 20;
	file_put(&file, &attr, 77, &records);
	expect_refused(&file, "unknown branch sample type");

	record_end(&records, record_begin(&records, PERFDATA_RECORD_COMPRESSED, 0));
	file_put(&file, &attr_lbr, 77, &records);
	file_write(path, file.data, file.nr);
	f = perfdata_open(path);
	assert_non_null(f);
	assert_int_equal(perfdata_next(f, &r), -1);
	perfdata_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file),
		cmocka_unit_test(every_sample_field),
		cmocka_unit_test(order_of_time),
		cmocka_unit_test(equal_times_keep_order),
		cmocka_unit_test(what_went_through_a_pipe_is_read),
		cmocka_unit_test(a_pipe_is_read),
		cmocka_unit_test(what_was_cut_is_read_as_far_as_it_goes),
		cmocka_unit_test(spoilt_bits_do_no_harm),
		cmocka_unit_test(what_cannot_be_read_is_refused),
	};

	return cmocka_run_group_tests_name("perfdata", tests, setup, teardown);
}
