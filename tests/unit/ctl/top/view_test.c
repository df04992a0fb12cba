// SPDX-License-Identifier: GPL-2.0
/* ctl/top/view.c: the view of captures made by hand, of programs without names. */
#include "file_writer.h"

#include "top/view.h"

static char path[64];

static const struct perf_event_attr attr = {
	.type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5,
	.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 1000,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
		PERF_SAMPLE_CALLCHAIN,
	.exclude_kernel = 1,
};

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/view_test.%d", getpid());
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void put_mapping(struct bytes *b, uint64_t start, const char *name)
{
	size_t at = record_begin(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	put_u32(b, 7);
	put_u32(b, 7);
	put_u64(b, start);
	put_u64(b, 0x1000);
	put_u64(b, 0);
	put_name(b, name);
	record_end(b, at);
}

/* nr of them, of a function in a file, called by one in another. */
static void put_samples(struct bytes *b, unsigned int nr, uint64_t ip, uint64_t caller)
{
	while (nr--) {
		size_t at = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

		put_u64(b, ip);
		put_u32(b, 7);
		put_u32(b, 7);
		put_u64(b, 1000);
		put_u64(b, 3);
		put_u64(b, PERF_CONTEXT_USER);
		put_u64(b, ip);
		put_u64(b, caller);
		record_end(b, at);
	}
}

/* This many samples of /no/one, and of /no/two, both called by /no/main. */
static struct analysis *analyse(unsigned int one, unsigned int two)
{
	static const struct rows_sort sort = {
		.keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 };
	static const struct symbols_options names;
	static struct bytes file, records;
	struct analysis *a;

	records.nr = 0;
	put_mapping(&records, 0x10000, "/no/main");
	put_mapping(&records, 0x20000, "/no/one\nline");
	put_mapping(&records, 0x30000, "/no/two");
	put_samples(&records, one, 0x20010, 0x10010);
	put_samples(&records, two, 0x30010, 0x10010);
	file_put(&file, &attr, 77, &records);
	file_write(path, file.data, file.nr);
	a = analysis_open(&(struct analysis_query){
		.input = path, .names = &names, .sort = &sort, .fold = true });
	assert_non_null(a);
	assert_int_equal(rows_order(a->rows, false), 0);
	return a;
}

static void the_table_is_cut_into_lines(void **state)
{
	struct analysis *a = analyse(30, 10);
	struct view v = { 0 };

	(void)state;
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.nr, 3);
	assert_non_null(strstr(v.title, "Function"));
	/* A file's name has no say in how many lines there are. */
	assert_non_null(strstr(v.lines[0], "/no/one?line"));
	assert_non_null(strstr(v.lines[0], "75.00%"));
	assert_non_null(strstr(v.lines[1], "/no/two"));
	assert_non_null(strstr(v.lines[2], "/no/main"));
	assert_int_equal(v.chosen, 0);
	view_free(&v);
	analysis_free(a);
}

static void the_chosen_function_stays_so(void **state)
{
	struct analysis *a = analyse(30, 10);
	struct view v = { 0 };

	(void)state;
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(view_choose(&v, a, 1), 0);
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.chosen, 1);
	analysis_free(a);
	/* Another slice, where it is the first. */
	a = analyse(10, 30);
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.chosen, 0);
	assert_non_null(strstr(v.lines[0], "/no/two"));
	analysis_free(a);
	/* And one without it. */
	a = analyse(10, 0);
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.nr, 2);
	assert_int_equal(v.chosen, 0);
	analysis_free(a);
	assert_int_equal(view_make(&v, NULL), 0);
	assert_int_equal(v.nr, 0);
	view_free(&v);
}

static void the_tree_is_that_of_the_chosen_function(void **state)
{
	struct analysis *a = analyse(30, 10);
	struct view v = { 0 };

	(void)state;
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(view_choose(&v, a, 1), 0);
	v.tree = true;
	assert_int_equal(view_make(&v, a), 0);
	assert_non_null(strstr(v.title, "Call tree"));
	/* The thread, that there may be callers, its caller, and it; the other one is not on
	 * its way. */
	assert_int_equal(v.nr, 4);
	assert_non_null(strstr(v.lines[2], "100.00%"));
	assert_non_null(strstr(v.lines[3], "25.00%"));
	view_free(&v);
	analysis_free(a);
}

static void functions_are_found_by_part_of_their_name(void **state)
{
	struct analysis *a = analyse(30, 10);
	struct view v = { .search = "UnKnown" };

	(void)state;
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.nr, 3);
	assert_int_equal(view_choose(&v, a, 1), 0);
	assert_string_equal(v.object, "/no/two");
	v.search = "nosuch";
	assert_int_equal(view_make(&v, a), 0);
	assert_int_equal(v.nr, 0);
	view_free(&v);
	analysis_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_cut_into_lines),
		cmocka_unit_test(the_chosen_function_stays_so),
		cmocka_unit_test(the_tree_is_that_of_the_chosen_function),
		cmocka_unit_test(functions_are_found_by_part_of_their_name),
	};

	return cmocka_run_group_tests_name("view", tests, setup, teardown);
}
