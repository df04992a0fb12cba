// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/read.c and its parts: files made by hand, whole, cut and spoilt. */
#include "perfdata_fixture.h"

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

/* All bits of sample_type before and behind the used ones, with every variable-sized part
 * filled. */
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

	/* With one byte less a required field is missing. */
	b.nr -= 8;
	record_end(&b, at);
	f = open_whole(&attr, &b);
	assert_int_equal(perfdata_next(f, &r), -1);
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

/* Any result is allowed, except a crash or a read out of bounds. */
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
		cmocka_unit_test(spoilt_bits_do_no_harm),
		cmocka_unit_test(what_cannot_be_read_is_refused),
	};

	return cmocka_run_group_tests_name("perfdata", tests, setup, teardown);
}
