/* SPDX-License-Identifier: GPL-2.0 */
/* Captures made by hand, for the tests of ctl/perfdata/read.c. */
#include "file_writer.h"

#include "perfdata/read.h"

static char path[64];

static inline int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/perfdata_test.%d", getpid());
	/* The damaged files below would fill the log with messages. */
	assert_non_null(freopen("/dev/null", "w", stderr));
	return 0;
}

static inline int teardown(void **state)
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

static inline void put_sample(struct bytes *b, uint64_t time, uint64_t ip)
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

static inline void put_trailer(struct bytes *b, uint64_t time)
{
	put_u32(b, 10);
	put_u32(b, 11);
	put_u64(b, time);
	put_u32(b, 3);
	put_u32(b, 0);
	put_u64(b, 77);
}

static inline void put_comm(struct bytes *b, uint64_t time)
{
	size_t at = record_begin(b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put_u32(b, 10);
	put_u32(b, 10);
	put_name(b, "program");
	put_trailer(b, time);
	record_end(b, at);
}

static inline void put_round(struct bytes *b)
{
	record_end(b, record_begin(b, PERFDATA_RECORD_FINISHED_ROUND, 0));
}

static inline struct perfdata_file *open_whole(const struct perf_event_attr *attr,
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

/* Reads the whole file under the sanitizers. Returns the last result. */
static inline int read_all(void)
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

static inline void build_small(struct bytes *file)
{
	static struct bytes records;

	records.nr = 0;
	put_comm(&records, 5);
	put_sample(&records, 8, 0x401000);
	put_round(&records);
	put_sample(&records, 9, 0x401000);
	file_put(file, &attr_lbr, 77, &records);
}

/* The same as perf writes it into a pipe, with an operating system, and trace data, whose size
 * is not in its record. boundary[n]: a record ends behind n bytes. */
static inline void build_pipe(struct bytes *file, bool *boundary)
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

static inline void expect_times(struct perfdata_file *f, const uint64_t *times, size_t nr)
{
	struct perfdata_record r;

	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(perfdata_next(f, &r), 1);
		assert_int_equal(r.time, times[i]);
	}
	assert_int_equal(perfdata_next(f, &r), 0);
	perfdata_close(f);
}
