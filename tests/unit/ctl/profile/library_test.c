// SPDX-License-Identifier: GPL-2.0
/* ctl/profile/library.c: captures of one machine, analysed one after the other. */
#include <dirent.h>

#include "file_writer.h"
#include "profile/analysis.h"
#include "program.h"

static const struct perf_event_attr attr = {
	.type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5,
	.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 1000,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
	.exclude_kernel = 1,
};

static const struct symbols_options names;
static struct library *library;

static int setup(void **state)
{
	library = library_new();
	return program_setup(state);
}

static int teardown(void **state)
{
	library_free(library);
	return program_teardown(state);
}

static void put_mapping(struct bytes *b, uint32_t pid, const char *name)
{
	size_t at = record_begin(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);

	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, 0x400000);
	put_u64(b, 0x100000);
	put_u64(b, 0);
	put_name(b, name);
	record_end(b, at);
}

static void put_sample(struct bytes *b, uint32_t pid, uint64_t offset)
{
	size_t at = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put_u64(b, 0x400000 + offset);
	put_u32(b, pid);
	put_u32(b, pid);
	put_u64(b, 1000);
	record_end(b, at);
}

/* Returns the name of the function that a process, with this file mapped (NULL: none), is in. */
static const char *function(uint32_t pid, const char *file, uint64_t offset)
{
	static const struct rows_sort sort = { .keys = { ROWS_SYMBOL }, .nr = 1 };
	static struct bytes capture, records;
	static char name[256];
	struct analysis *a;

	records.nr = 0;
	if (file)
		put_mapping(&records, pid, file);
	put_sample(&records, pid, offset);
	file_put(&capture, &attr, 77, &records);
	file_write(program_path("perf.data"), capture.data, capture.nr);
	a = analysis_open(&(struct analysis_query){ .input = program_path("perf.data"),
		.names = &names, .library = library, .sort = &sort });
	assert_non_null(a);
	assert_int_equal(a->nr_samples, 1);
	assert_int_equal(rows_order(a->rows, false), 0);
	snprintf(name, sizeof(name), "%s", rows_text(a->rows, &a->rows->list[0], ROWS_SYMBOL));
	analysis_free(a);
	return name;
}

/* Makes a program, without a build id, whose first function has this name, and returns the
 * function's offset. */
static uint64_t make(const char *name)
{
	char text[32];
	FILE *nm;

	run("echo 'void %s(void) {} void _start(void) { %s(); }' >p.c", name, name);
	run("rm -f p && gcc -O0 -nostdlib -static -Wl,--build-id=none -Wl,-z,noseparate-code -o p p.c");
	run("nm p | awk '$3 == \"%s\" { print $1 }' >at", name);
	nm = fopen(program_path("at"), "r");
	assert_non_null(nm);
	assert_non_null(fgets(text, sizeof(text), nm));
	fclose(nm);
	return strtoull(text, NULL, 16) - 0x400000;
}

static void another_capture_has_its_own_mappings(void **state)
{
	uint64_t at = make("first");
	char *file = strdup(program_path("p"));

	(void)state;
	assert_string_equal(function(7, file, at), "first");
	assert_string_equal(function(8, file, at), "first");
	assert_string_equal(function(7, NULL, at), "[unknown]");
	free(file);
}

static void a_replaced_file_is_read_again(void **state)
{
	uint64_t at = make("before");
	char *file = strdup(program_path("p"));

	(void)state;
	assert_string_equal(function(7, file, at), "before");
	at = make("behind");
	assert_string_equal(function(7, file, at), "behind");
	free(file);
}

/* The code that a program makes gets names as it goes on. */
static void a_map_of_functions_is_read_again(void **state)
{
	char map[64];
	FILE *out;

	(void)state;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	out = fopen(map, "w");
	assert_non_null(out);
	fputs("400100 10 early\n", out);
	fflush(out);
	assert_string_equal(function(getpid(), "//anon", 0x100), "early");
	assert_string_not_equal(function(getpid(), "//anon", 0x200), "late");
	fputs("400200 10 late\n", out);
	fclose(out);
	assert_string_equal(function(getpid(), "//anon", 0x200), "late");
	assert_string_equal(function(getpid(), "//anon", 0x100), "early");
	unlink(map);
}

static size_t nr_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

/* A file stays open, as its tables do: each has a descriptor. */
static void files_stay_open_up_to_a_limit(void **state)
{
	uint64_t at = make("program");
	char *program = strdup(program_path("p")), *file;
	size_t before = nr_open(), most = 0;
	char name[16];

	(void)state;
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		file = strdup(program_path(name));
		assert_int_equal(link(program, file), 0);
		assert_string_equal(function(7, file, at), "program");
		if (i == 19)
			assert_int_equal(nr_open(), before + 20);
		if (nr_open() > most)
			most = nr_open();
		free(file);
	}
	assert_in_range(most, before + 100, before + 250);
	free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(another_capture_has_its_own_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(a_replaced_file_is_read_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_map_of_functions_is_read_again, setup, teardown),
		cmocka_unit_test_setup_teardown(files_stay_open_up_to_a_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
