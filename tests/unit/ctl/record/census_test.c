// SPDX-License-Identifier: GPL-2.0
/* ctl/record/census.c: processes that are read from /proc from time to time. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/format.h"
#include "record/census.h"

#define LOOK	1000000000ULL	/* ns: longer than between two looks */

static uint64_t id = 1;
static struct perfdata_event event = { .name = "e", .ids = &id, .nr_ids = 1 };

/* Returns the number of records of this type in the file; at: only mappings of this address. */
static unsigned int records(uint32_t type, void *at)
{
	static char bytes[1 << 20];
	FILE *file = fopen("census.data", "r");
	const struct perfdata_header *head = (const void *)bytes;
	struct perf_event_header header;
	size_t len, i, nr = 0;

	assert_non_null(file);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(head->data.offset + head->data.size <= len);
	for (i = head->data.offset; i < head->data.offset + head->data.size; i += header.size) {
		memcpy(&header, bytes + i, sizeof(header));
		assert_true(header.size >= sizeof(header));
		/* pid and tid come first */
		nr += header.type == type &&
		      (!at || !memcmp(bytes + i + sizeof(header) + 8, &at, sizeof(at)));
	}
	return nr;
}

/* A process that maps code at a given address. */
static pid_t subject(int *order, int *done)
{
	int orders[2], dones[2];
	void *at;
	pid_t pid;

	assert_int_equal(pipe(orders) | pipe(dones), 0);
	pid = fork();
	if (!pid) {
		close(orders[1]);
		while (read(orders[0], &at, sizeof(at)) == sizeof(at)) {
			mmap(at, 4096, PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			if (write(dones[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(orders[0]);
	*order = orders[1];
	*done = dones[0];
	return pid;
}

static void test_processes(void **state)
{
	void *code = (void *)0x1234567000;
	struct buildid_table ids = {};
	struct census census = {};
	int order, done;
	pid_t pid;
	char byte;

	(void)state;
	census.synth.writer = perfdata_write_open("census.data", &event, 1);
	census.synth.buildids = &ids;
	assert_non_null(census.synth.writer);

	/* Written when it is met, and not again until something changes. */
	pid = subject(&order, &done);
	assert_int_equal(census_meet(&census, pid), 0);
	assert_int_equal(census_look(&census, LOOK), 0);
	assert_int_equal(write(order, &code, sizeof(code)), sizeof(code));
	assert_int_equal(read(done, &byte, 1), 1);
	assert_int_equal(census_meet(&census, pid), 0);
	assert_int_equal(census_look(&census, LOOK + 1), 0);	/* too early */
	assert_int_equal(census_look(&census, 2 * LOOK), 0);
	assert_int_equal(census_look(&census, 3 * LOOK), 0);
	assert_int_equal(census.nr, 1);

	/* A process that ends, and others that had ended before they were read. */
	close(order);
	waitid(P_PID, pid, &(siginfo_t){}, WEXITED | WNOWAIT);
	assert_int_equal(census_look(&census, 4 * LOOK), 0);
	assert_int_equal(census.nr, 0);
	waitpid(pid, NULL, 0);
	pid = fork();
	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &(siginfo_t){}, WEXITED | WNOWAIT);
	assert_int_equal(census_meet(&census, pid), 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(census_meet(&census, 0x3fffff), 0);
	assert_int_equal(census_meet(&census, 0x3fffff), 0);
	assert_int_equal(census_meet(&census, 0), 0);
	assert_int_equal(census.missed, 2);

	assert_true(perfdata_write_finish(census.synth.writer) > 0);
	assert_int_equal(records(PERF_RECORD_COMM, NULL), 2);
	assert_int_equal(records(PERF_RECORD_MMAP2, code), 1);
	assert_true(records(PERF_RECORD_MMAP2, NULL) > 4);
	assert_true(ids.nr > 0);
	unlink("census.data");
	census_free(&census);
	buildid_table_free(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes),
	};
	char folder[] = "/tmp/censusXXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	return cmocka_run_group_tests_name("census", tests, NULL, NULL) | rmdir(folder);
}
