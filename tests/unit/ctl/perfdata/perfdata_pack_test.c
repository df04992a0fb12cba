// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/pack.c and unpack: compressed records. */
#include <sys/mman.h>

#include "perfdata/pack.h"
#include "written_fixture.h"

/* Unpacking gives the packed records byte by byte, of a fork as well. No chunk expands to
 * more than the header says, which perf relies on. */
static void test_compressed(void **state)
{
	static char records[4 << 20], file[4 << 20];
	const struct perfdata_header *head = (const void *)file;
	struct perfdata_writer *w = perfdata_write_open("z", events, 2), *fork;
	size_t len = make_records(records, sizeof(records)), at = 0, half = 0;
	const struct perf_event_header *header;
	const struct perfdata_section *section;
	const unsigned char *unpacked;
	const uint32_t *compressed;
	uint64_t size;

	(void)state;
	assert_int_equal(perfdata_write_compressed(w, 1), 0);
	while (at < len) {
		header = (const void *)(records + at);
		if (at > len / 2 && !half) {
			half = at;
			fork = perfdata_write_fork(w, "zz");
			assert_non_null(fork);
			assert_int_equal(perfdata_write(fork, "\1\0\0\0\0\0\10\0", 8), 0);
			assert_true(perfdata_write_finish(fork) > 0);
		}
		assert_int_equal(perfdata_write(w, header, header->size), 0);
		at += header->size;
	}
	assert_true(perfdata_write_finish(w) > 0);

	content("z", file, sizeof(file));
	assert_true(head->features[0] & 1 << 27);
	/* perf record writes version 0 (comp_ver is never set), and hotspot 1.6 reads no other. */
	section = (const void *)(file + head->data.offset + head->data.size);
	section += __builtin_popcountll(head->features[0] & ((1 << 27) - 1));
	compressed = (const void *)(file + section->offset);
	assert_int_equal(compressed[0], 0);
	assert_int_equal(compressed[1], 1);
	assert_int_equal(compressed[2], 1);
	assert_true(head->data.size < len * 2 / 3);
	unpacked = perfdata_unpack("z", (void *)(file + head->data.offset),
				   head->data.size, false, &size);
	assert_non_null(unpacked);
	assert_int_equal(size, len);
	assert_memory_equal(unpacked, records, len);
	munmap((void *)unpacked, size);
	/* Data that was cut off is refused, or gives all but the last records. Data that is not
	 * zstd's is refused. Unpacking gives its input back to the system: read it again. */
	content("z", file, sizeof(file));
	assert_null(perfdata_unpack("z", (void *)(file + head->data.offset),
				    head->data.size - 1, false, &size));
	content("z", file, sizeof(file));
	unpacked = perfdata_unpack("z", (void *)(file + head->data.offset),
				   head->data.size - 1, true, &size);
	assert_non_null(unpacked);
	assert_in_range(size, len - PERFDATA_PACK_CHUNK, len - 1);
	assert_memory_equal(unpacked, records, size);
	munmap((void *)unpacked, size);
	content("z", file, sizeof(file));
	file[head->data.offset + 8] ^= 1;
	assert_null(perfdata_unpack("z", (void *)(file + head->data.offset),
				    head->data.size, false, &size));

	content("zz", file, sizeof(file));
	unpacked = perfdata_unpack("zz", (void *)(file + head->data.offset),
				   head->data.size, false, &size);
	assert_int_equal(size, half + 8);
	assert_memory_equal(unpacked, records, half);
	munmap((void *)unpacked, size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests_name("perfdata_pack", tests, setup,
					   teardown);
}
