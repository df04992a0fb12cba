// SPDX-License-Identifier: GPL-2.0
/* ctl/stat/tasks.c: the counts of threads, from records and replies, and their output. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "memory_ring.h"
#include "module/session.h"
#include "stat/stat.h"
#include "stat/tasks.h"

enum { SIZE = sizeof(struct lbrscope_task_counts) + 2 * 16 };

/* The counts of two events; the second had a counter for half of the time. */
struct said {
	_Alignas(8) char bytes[SIZE];
};

static struct said said(uint64_t id, const char *comm, uint64_t first, uint64_t second)
{
	struct lbrscope_task_counts head = {
		.rec = { .size = SIZE, .type = LBRSCOPE_RECORD_TASK_COUNTS, .nr = 2 },
		.id = id, .tid = 1000 + id, .pid = 100 + id, .enabled = 2 * first,
	};
	const uint64_t counts[] = { first, 2 * first, second, first };
	struct said s;

	strncpy(head.comm, comm, sizeof(head.comm) - 1);
	memcpy(s.bytes, &head, sizeof(head));
	memcpy(s.bytes + sizeof(head), counts, sizeof(counts));
	return s;
}

static void add(struct stat_tasks *t, struct said s, bool ended)
{
	assert_int_equal(stat_tasks_add(t, s.bytes, SIZE, ended), 0);
}

/* Units as "comm value value", one behind the other. */
static void told(struct stat_tasks *t, const char *want)
{
	struct stat_counts c = { .per = STAT_TASK };
	char got[512] = "";

	assert_int_equal(stat_tasks_units(t, &c), 0);
	for (unsigned int i = 0; i < c.nr_units; i++) {
		const struct stat_task *task = c.units[i].task;
		struct lbrscope_count a = stat_task_count(task, 0), b = stat_task_count(task, 1);

		if (task->id)
			assert_int_equal(task->tid, 1000 + task->id);
		assert_int_equal(a.running, a.enabled);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %d %d,",
			 task->id ? task->comm : "others", (int)a.value, (int)b.value);
	}
	assert_string_equal(got, want);
	free(c.units);
}

/* The last reading counts, without text behind its end; the largest count comes first. */
static void test_last(void **state)
{
	struct stat_tasks t;

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	add(&t, said(1, "one", 10, 1), false);
	add(&t, said(2, "two", 20, 2), false);
	add(&t, said(3, "idle", 0, 0), false);
	add(&t, said(4, "four", 20, 4), true);
	told(&t, "two 20 2,four 20 4,one 10 1,");
	add(&t, said(1, "renamed", 30, 3), false);
	add(&t, said(4, "four", 50, 5), false);
	told(&t, "renamed 30 3,two 20 2,four 20 4,");
	stat_tasks_free(&t);
}

static void test_intervals(void **state)
{
	struct lbrscope_count cpus[] = {
		{ .value = 60, .enabled = 120, .running = 120 }, { .value = 10, .enabled = 120 },
		{ .value = 15, .enabled = 30, .running = 30 }, { .value = 4, .enabled = 30 },
	};
	struct stat_tasks t;

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	stat_tasks_told(&t);
	add(&t, said(1, "one", 10, 1), false);
	add(&t, said(2, "two", 20, 2), true);
	told(&t, "two 20 2,one 10 1,");
	stat_tasks_told(&t);
	told(&t, "");
	add(&t, said(1, "one", 15, 4), false);
	add(&t, said(3, "three", 7, 0), true);
	told(&t, "three 7 0,one 5 3,");
	stat_tasks_told(&t);
	/* CPUs have counted 75 and 14; two, one and three 42 and 6 */
	stat_tasks_rest(&t, cpus, 2);
	told(&t, "others 33 8,");
	stat_tasks_free(&t);
}

/* The times may differ where the counts do not. */
static void test_no_rest(void **state)
{
	struct lbrscope_count cpus[] = {
		{ .value = 10, .enabled = 25, .running = 25 }, { .value = 1, .enabled = 25 },
	};
	struct stat_tasks t;

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	add(&t, said(1, "one", 10, 1), false);
	stat_tasks_rest(&t, cpus, 1);
	told(&t, "one 10 1,");
	stat_tasks_free(&t);
}

static void test_many(void **state)
{
	struct stat_tasks t;

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	for (int round = 0; round < 3; round++) {
		for (uint64_t id = 1; id <= 1000; id++)
			add(&t, said(id + 600 * round, "x", id, 0), id <= 600);
		assert_int_equal(t.index.used, 1000);
		stat_tasks_told(&t);
		assert_int_equal(t.index.used, 400);
	}
	assert_int_equal(t.gone->counts[0].value, 3 * 600 * 601 / 2);
	stat_tasks_free(&t);
}

static void refused(struct stat_tasks *t, size_t at, unsigned char value, size_t len)
{
	struct said s = said(1, "one", 1, 1);
	/* Exactly as long as it says, at an odd address. */
	char *bytes = malloc(len + 1);

	s.bytes[at] = value;
	memcpy(bytes + 1, s.bytes, len < SIZE ? len : SIZE);
	assert_int_equal(stat_tasks_add(t, bytes + 1, len, false), -EPROTO);
	free(bytes);
}

static void test_hostile(void **state)
{
	const size_t comm = offsetof(struct lbrscope_task_counts, comm);
	struct said two[] = { said(1, "one", 1, 1), said(2, "two", 2, 2) };
	struct stat_tasks t;
	size_t len;

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	for (len = 1; len < SIZE; len++)
		refused(&t, 0, SIZE, len);
	for (len = 0; len < SIZE; len++)
		refused(&t, 0, len, SIZE);	/* its size */
	refused(&t, 0, SIZE + 8, SIZE);
	refused(&t, offsetof(struct lbrscope_record, type), LBRSCOPE_RECORD_SAMPLE, SIZE);
	refused(&t, offsetof(struct lbrscope_record, nr), 1, SIZE);
	refused(&t, offsetof(struct lbrscope_record, nr), 3, SIZE);
	refused(&t, offsetof(struct lbrscope_task_counts, id), 0, SIZE);
	refused(&t, comm + LBRSCOPE_COMM_LEN - 1, 'x', SIZE);
	assert_int_equal(t.index.used, 0);
	assert_int_equal(stat_tasks_add(&t, two, 0, false), 0);
	assert_int_equal(stat_tasks_add(&t, two, sizeof(two), false), 0);
	told(&t, "two 2 2,one 1 1,");
	assert_int_equal(stat_tasks_add(&t, two, sizeof(two) - 8, false), -EPROTO);
	stat_tasks_free(&t);
}

/* Records in a ring, among records of other kinds and invalid ones. */
static void test_ring(void **state)
{
	struct lbrscope_record other = { .size = 64, .type = LBRSCOPE_RECORD_BUDGET };
	struct lbrscope_record head = { .size = SIZE, .type = LBRSCOPE_RECORD_TASK_COUNTS };
	struct said s = said(7, "seven", 70, 7);
	struct session session = { .nr_rings = 1 };
	struct ring_reader reader;
	struct memory_ring m;
	struct stat_tasks t;
	unsigned int cpu = 3;

	(void)state;
	memory_ring_init(&m);
	assert_int_equal(ring_reader_init(&reader, m.ring, &m.tail, MEMORY_RING_LEN), 0);
	session.rings = &reader;
	session.possible.cpus = &cpu;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	memory_ring_put(&m, other);
	memcpy(memory_ring_put(&m, head), s.bytes, SIZE);
	assert_int_equal(stat_tasks_drain(&t, &session), 0);
	assert_int_equal(m.tail.tail, m.ring->head);
	told(&t, "seven 70 7,");
	assert_true(t.list[0]->ended);
	memory_ring_put(&m, head);
	assert_int_equal(stat_tasks_drain(&t, &session), -1);
	stat_tasks_free(&t);
	memory_ring_free(&m);
}

static void printed(struct stat_tasks *t, void (*print)(const struct stat_counts *, FILE *),
		    const char *want)
{
	static struct eventlist events;
	struct stat_counts c = { .per = STAT_TASK, .events = &events, .interval = true };
	char why[256], *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	events.nr = 0;
	assert_int_equal(eventlist_parse(&events, "cycles:u,r00c0", why, sizeof(why)), 0);
	assert_int_equal(stat_tasks_units(t, &c), 0);
	print(&c, out);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	free(c.units);
}

/* Lines of a thread; the second is estimated as 2. */
#define TEXT								\
	"    0.000000 %-24s%22d  cycles:u\n"				\
	"    0.000000 %-24s%22d  r00c0                            +- unknown  "	\
	"(on a counter 50.0 %% of the time)\n"

#define JSON(value, enabled, running, estimate, error)			\
	"\"value\":" value ",\"enabled_ns\":" enabled ",\"running_ns\":" running	\
	",\"estimate\":" estimate ",\"error\":" error ",\"figure\":null,\"unit\":null"
#define JSON_NAMED	\
	",\"comm\":\"a\\u0022\\u000a\\ufffd,\\u001b\",\"pid\":101,\"tid\":1001"
#define JSON_NOBODY	",\"comm\":null,\"pid\":null,\"tid\":null"

/* A program chooses its own name: it must not act as syntax. */
static void test_printed(void **state)
{
	struct lbrscope_count cpus[] = {
		{ .value = 8, .enabled = 24, .running = 24 },
		{ .value = 3, .enabled = 24, .running = 12 },
	};
	const char *named = "a\"?\xff,?-1001";
	struct stat_tasks t;
	char text[1024];

	(void)state;
	assert_int_equal(stat_tasks_init(&t, 2), 0);
	add(&t, said(1, "a\"\n\xff,\033", 5, 1), false);
	add(&t, said(2, "", 2, 1), false);
	stat_tasks_rest(&t, cpus, 1);
	snprintf(text, sizeof(text), TEXT TEXT TEXT, named, 5, named, 2, ":1002", 2, ":1002", 2,
		 "others", 1, "others", 2);
	printed(&t, stat_print_text, text);
	
	printed(&t, stat_print_csv,
		"0.000000,\"a\"\"\n\xff,\033\",101,1001,\"cycles:u\",5,10,10,5,0.0,,\r\n"
		"0.000000,\"a\"\"\n\xff,\033\",101,1001,\"r00c0\",1,10,5,2,,,\r\n"
		"0.000000,\"\",102,1002,\"cycles:u\",2,4,4,2,0.0,,\r\n"
		"0.000000,\"\",102,1002,\"r00c0\",1,4,2,2,,,\r\n"
		"0.000000,,,,\"cycles:u\",1,10,10,1,0.0,,\r\n"
		"0.000000,,,,\"r00c0\",1,10,5,2,,,\r\n");
	printed(&t, stat_print_json,
		"{\"version\":1,\"verb\":\"stat\",\"seconds\":0,\"until\":0,\"events\":["
		"{" JSON("8", "24", "24", "8", "0") ",\"event\":\"cycles:u\",\"threads\":["
		"{" JSON("5", "10", "10", "5", "0") JSON_NAMED "},"
		"{" JSON("2", "4", "4", "2", "0") ",\"comm\":\"\",\"pid\":102,\"tid\":1002},"
		"{" JSON("1", "10", "10", "1", "0") JSON_NOBODY "}]},"
		"{" JSON("3", "24", "12", "6", "null") ",\"event\":\"r00c0\",\"threads\":["
		"{" JSON("1", "10", "5", "2", "null") JSON_NAMED "},"
		"{" JSON("1", "4", "2", "2", "null") ",\"comm\":\"\",\"pid\":102,\"tid\":1002},"
		"{" JSON("1", "10", "5", "2", "null") JSON_NOBODY "}]}]}\n");
	stat_tasks_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_no_rest),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
