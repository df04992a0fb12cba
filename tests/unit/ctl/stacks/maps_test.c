// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/maps.c: the mapped files after map, overlap, fork, exec and unload. */
#include "mapping.h"

static struct maps *maps;

static int setup(void **state)
{
	(void)state;
	maps = maps_new(NULL);
	return maps ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	maps_free(maps);
	return 0;
}

/* path NULL: nothing is mapped there. */
static void expect(uint32_t pid, uint64_t addr, const char *path, uint64_t offset)
{
	uint64_t got;
	struct place p = maps_place(maps, pid, addr, &got);

	if (!path) {
		assert_int_equal(p.file, MAPS_NOTHING);
		assert_int_equal(p.addr, addr);
		return;
	}
	assert_string_equal(maps_file(maps, p.file)->path, path);
	assert_int_equal(got, offset);
	assert_int_equal(p.addr, offset);
}

static void bounds(void **state)
{
	(void)state;
	feed_mmap2(maps, 1, 0x10000, 0x2000, 0x5000, "/no/a");
	expect(1, 0xffff, NULL, 0);
	expect(1, 0x10000, "/no/a", 0x5000);
	expect(1, 0x11fff, "/no/a", 0x6fff);
	expect(1, 0x12000, NULL, 0);
	expect(2, 0x10000, NULL, 0);
}

/* A mapping replaces what it covers: a hole, an edge, several at once. */
static void overlaps(void **state)
{
	(void)state;
	feed_mmap2(maps, 1, 0x10000, 0x10000, 0, "/no/a");
	feed_mmap2(maps, 1, 0x14000, 0x1000, 0x77000, "/no/b");
	expect(1, 0x13fff, "/no/a", 0x3fff);
	expect(1, 0x14000, "/no/b", 0x77000);
	expect(1, 0x15000, "/no/a", 0x5000);
	feed_mmap2(maps, 1, 0x12000, 0x4000, 0, "/no/c");
	expect(1, 0x11fff, "/no/a", 0x1fff);
	expect(1, 0x12000, "/no/c", 0);
	expect(1, 0x15fff, "/no/c", 0x3fff);
	expect(1, 0x16000, "/no/a", 0x6000);
	feed_mmap2(maps, 1, 0xf000, 0x20000, 0, "/no/d");
	expect(1, 0x16000, "/no/d", 0x7000);
	expect(1, 0x10000, "/no/d", 0x1000);
}

/* Another library where one was before: dlclose() leaves no record. */
static void reused_address(void **state)
{
	(void)state;
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0, "/no/first");
	expect(1, 0x10800, "/no/first", 0x800);
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0x3000, "/no/second");
	expect(1, 0x10800, "/no/second", 0x3800);
}

static void fork_copies_and_exec_clears(void **state)
{
	(void)state;
	feed_comm(maps, 1, 1, "parent", true);
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0, "/no/a");
	feed_fork(maps, 2, 1, 2, 1);
	expect(2, 0x10010, "/no/a", 0x10);
	assert_string_equal(maps_comm(maps, 2, 2), "parent");

	feed_comm(maps, 2, 2, "child", true);
	expect(2, 0x10010, NULL, 0);
	expect(1, 0x10010, "/no/a", 0x10);
	assert_string_equal(maps_comm(maps, 2, 2), "child");
	assert_string_equal(maps_comm(maps, 1, 1), "parent");

	feed_mmap2(maps, 2, 0x10000, 0x1000, 0, "/no/b");
	expect(2, 0x10010, "/no/b", 0x10);
	expect(1, 0x10010, "/no/a", 0x10);
}

/* A thread shares its process's mappings, those to come as well. */
static void threads_share(void **state)
{
	(void)state;
	feed_comm(maps, 1, 1, "main", true);
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0, "/no/a");
	feed_fork(maps, 1, 1, 5, 1);
	assert_string_equal(maps_comm(maps, 1, 5), "main");
	feed_comm(maps, 1, 5, "worker", false);
	expect(1, 0x10000, "/no/a", 0);
	assert_string_equal(maps_comm(maps, 1, 5), "worker");
	assert_string_equal(maps_comm(maps, 1, 1), "main");
	assert_string_equal(maps_comm(maps, 9, 9), ":9");
	assert_string_equal(maps_comm(maps, 0, 0), "swapper");
}

static bool changed(uint32_t pid, uint32_t tid, struct maps_state *last)
{
	struct maps_state now = maps_state(maps, pid, tid);
	bool differ = memcmp(&now, last, sizeof(now));

	*last = now;
	return differ;
}

/* Whenever an answer may be another one, so is the state that goes with it. */
static void state_goes_with_the_answers(void **state)
{
	struct maps_state main_thread = { 0 }, nameless = { 0 }, other = { 0 };

	(void)state;
	feed_comm(maps, 1, 1, "main", true);
	assert_true(changed(1, 1, &main_thread));
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0, "/no/a");
	assert_true(changed(1, 1, &main_thread));
	assert_true(changed(1, 7, &nameless));
	feed_comm(maps, 1, 1, "renamed", false);
	assert_true(changed(1, 1, &main_thread) && changed(1, 7, &nameless));
	feed_comm(maps, 1, 7, "named", false);
	assert_true(changed(1, 7, &nameless) && !changed(1, 1, &main_thread));
	feed_fork(maps, 2, 1, 2, 1);
	assert_true(changed(2, 2, &other) && !changed(1, 1, &main_thread));
	feed_mmap2(maps, 1, 0x10000, 0x1000, 0, "/no/b");
	assert_true(changed(1, 1, &main_thread) && !changed(2, 2, &other));
	feed_comm(maps, 2, 2, "main", true);
	assert_true(changed(2, 2, &other) && !changed(1, 1, &main_thread));
	/* a number that is used again */
	feed_fork(maps, 2, 1, 2, 1);
	assert_true(changed(2, 2, &other));
}

/* A byte map of the last mappings is the truth. */
/* A plain table of pages is the truth, for mappings in any order, of processes that share
 * unchanged mappings since a fork. */
static void random_mappings(void **state)
{
	enum { PAGES = 64, PIDS = 5 };
	static struct page { uint32_t owner, offset; } pages[PIDS][PAGES];
	uint64_t random = 1;

	(void)state;
	memset(pages, 0, sizeof(pages));
	for (uint32_t n = 1; n < 1500; n++) {
		uint32_t start, len, pid, parent;
		char name[16];

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		start = random >> 33 & (PAGES - 1);
		len = 1 + (random >> 43) % (PAGES - start);
		pid = (random >> 52) % PIDS;
		parent = (random >> 56) % PIDS;
		snprintf(name, sizeof(name), "/no/%u", n);
		if (n % 5 == 4 && pid != parent) {
			feed_fork(maps, 1 + pid, 1 + parent, 1 + pid, 1 + parent);
			memcpy(pages[pid], pages[parent], sizeof(pages[pid]));
		} else if (n % 50 == 48) {
			feed_comm(maps, 1 + pid, 1 + pid, "new", true);
			memset(pages[pid], 0, sizeof(pages[pid]));
		} else {
			feed_mmap2(maps, 1 + pid, 0x1000 * start, 0x1000 * len, 0, name);
			for (uint32_t i = 0; i < len; i++)
				pages[pid][start + i] = (struct page){ n, 0x1000 * i };
		}
		for (uint32_t i = 0; i < PIDS * PAGES; i++) {
			const struct page *page = &pages[i / PAGES][i % PAGES];

			snprintf(name, sizeof(name), "/no/%u", page->owner);
			expect(1 + i / PAGES, 0x1000 * (i % PAGES) + 5,
			       page->owner ? name : NULL, page->offset + 5);
		}
	}
}

/* Opens the file as it was mapped. */
static enum object_state mapped_as(const char *path, const struct stat *file, uint64_t time)
{
	struct perfdata_info info = { .wall = 1000, .wall_known = true };
	struct maps *m = maps_new(&info);
	enum object_state state;
	uint64_t offset;

	feed_file(m, 7, 0x10000, 0x1000, 0, path, file, time);
	state = maps_file(m, maps_place(m, 7, 0x10000, &offset).file)->state;
	maps_free(m);
	return state;
}

/* A file without a build id that was replaced, or written in place, since it was mapped. */
static void another_file_of_that_name(void **state)
{
	char path[] = "/tmp/maps_test.XXXXXX", command[64];
	struct stat none = { 0 }, file;
	uint64_t written;

	(void)state;
	assert_true(close(mkstemp(path)) == 0);
	snprintf(command, sizeof(command), "cp /bin/true %s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(path, &file), 0);
	written = file.st_mtim.tv_sec * 1000000000ULL + file.st_mtim.tv_nsec - 1000;
	assert_int_equal(mapped_as(path, &file, written), OBJECT_OK);
	assert_int_equal(mapped_as(path, &none, 0), OBJECT_OK);
	assert_int_equal(mapped_as(path, &file, written - 2000000000), OBJECT_MISMATCH);
	file.st_ino++;
	assert_int_equal(mapped_as(path, &file, written), OBJECT_MISMATCH);
	/* the number that a layered file system shows is another one */
	file.st_dev++;
	assert_int_equal(mapped_as(path, &file, written), OBJECT_OK);
	unlink(path);
}

/* The first kernels with MMAP2 wrote neither prot nor flags: the name begins there. */
static void a_mapping_without_protection(void **state)
{
	static const char *const names[] = { "/a", "[vdso]", "//anon", "/usr/bin/a-longer-name", "" };
	static struct bytes b;
	size_t at;

	(void)state;
	for (size_t i = 0; i < NR(names); i++) {
		b.nr = 0;
		at = record_begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
		put_u32(&b, 1);
		put_u32(&b, 1);
		put_u64(&b, 0x10000 * (i + 1));
		put_u64(&b, 0x1000);
		put_u64(&b, 0);
		for (int k = 0; k < 3; k++)
			put_u64(&b, 0);		/* device, inode, its generation */
		put_name(&b, names[i]);
		record_end(&b, at);
		feed(maps, &b);
	}
	expect(1, 0x10000, "/a", 0);
	expect(1, 0x20000, "[vdso]", 0);
	expect(1, 0x40000, "/usr/bin/a-longer-name", 0);
	/* too short for either layout */
	expect(1, 0x50000, NULL, 0);
}

static void damaged_records_are_left_out(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_MMAP, PERF_RECORD_MMAP2,
					  PERF_RECORD_COMM, PERF_RECORD_FORK };
	static unsigned char data[128];

	(void)state;
	memset(data, 0xff, sizeof(data));
	feed_mmap2(maps, 1, 0x10000, 0x2000, 0, "/no/a");
	for (size_t i = 0; i < NR(types); i++)
		for (size_t size = 8; size < 32; size++) {
			struct perfdata_record r = {
				.data = data, .size = size, .body_size = size,
				.type = types[i],
			};

			assert_int_equal(maps_record(maps, &r), 0);
		}
	feed_mmap2(maps, 1, 0x20000, 0x2000, 0, "/no/b");
	expect(1, 0x10000, "/no/a", 0);
	expect(1, 0x20000, "/no/b", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(overlaps, setup, teardown),
		cmocka_unit_test_setup_teardown(reused_address, setup, teardown),
		cmocka_unit_test_setup_teardown(fork_copies_and_exec_clears, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_share, setup, teardown),
		cmocka_unit_test_setup_teardown(state_goes_with_the_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(random_mappings, setup, teardown),
		cmocka_unit_test(another_file_of_that_name),
		cmocka_unit_test_setup_teardown(a_mapping_without_protection, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_records_are_left_out, setup, teardown),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
