// SPDX-License-Identifier: GPL-2.0
/* ctl/module/ring.c: the reader's half of the ring, on good and bad contents. */
#include "ring_fixture.h"

/* A file laid out as the device is, with that of CPU 1's ring. */
static int file_of_ring(FILE *file, struct lbrscope_ring ring)
{
	int fd = fileno(file);

	assert_int_equal(ftruncate(fd, LBRSCOPE_RING_TAIL_OFF(1) + MEMORY_RING_PAGE), 0);
	assert_int_equal(pwrite(fd, &ring, sizeof(ring), LBRSCOPE_RING_OFF(1)), sizeof(ring));
	return fd;
}

/* Returns the message of ring_reader_map() for such a ring. */
static const char *refusal(struct lbrscope_ring ring)
{
	static char text[256];
	FILE *file = tmpfile(), *said = tmpfile();
	struct ring_reader mapped = {};
	int err, stderr_was = dup(2);

	dup2(fileno(said), 2);
	err = ring_reader_map(&mapped, file_of_ring(file, ring), 1, MEMORY_RING_SIZE);
	dup2(stderr_was, 2);
	close(stderr_was);
	assert_int_equal(err, -1);
	assert_null(mapped.ring);
	rewind(said);
	assert_non_null(fgets(text, sizeof(text), said));
	fclose(said);
	fclose(file);
	return text;
}

static void test_other_modules_rings_are_refused(void **state)
{
	struct lbrscope_ring ring = *memory.ring;

	(void)state;
	ring.version++;
	assert_non_null(strstr(refusal(ring), "lbrctl: the ring of CPU 1 does not have version"));
	ring = *memory.ring;
	ring.data_size /= 2;
	assert_non_null(strstr(refusal(ring), "lbrctl: the ring of CPU 1 is corrupt"));
}

static void test_a_ring_is_mapped(void **state)
{
	FILE *file = tmpfile();
	struct ring_reader mapped = {};

	(void)state;
	assert_int_equal(ring_reader_map(&mapped, file_of_ring(file, *memory.ring), 1,
					 MEMORY_RING_SIZE), 0);
	assert_int_equal(mapped.data_size, MEMORY_RING_SIZE);
	ring_reader_unmap(&mapped);
	fclose(file);
}

static void test_records_come_in_order(void **state)
{
	const struct lbrscope_record *record;
	int i;

	(void)state;
	for (i = 0; i < 5; i++)
		memory_ring_sample(&memory, 10 + i, 0, i);
	assert_int_equal(ring_reader_peek(&reader, &record), 0);
	assert_int_equal(ring_reader_refresh(&reader), 0);
	for (i = 0; i < 5; i++) {
		assert_int_equal(ring_reader_peek(&reader, &record), 1);
		assert_int_equal(ring_reader_time(record), 10 + i);
		ring_reader_consume(&reader);
	}
	assert_int_equal(ring_reader_peek(&reader, &record), 0);
	assert_int_equal(memory.tail.tail, 0);
	ring_reader_release(&reader);
	assert_int_equal(memory.tail.tail, memory.ring->head);
}

static void test_padding_at_the_end_is_skipped(void **state)
{
	const struct lbrscope_record *record;
	uint64_t time, left;

	(void)state;
	for (time = 1; time <= 300; time++) {
		left = MEMORY_RING_SIZE - memory.ring->head % MEMORY_RING_SIZE;
		if (left < 40 + 16 * 7)
			memory_ring_put(&memory, (struct lbrscope_record){
				.size = left, .type = LBRSCOPE_RECORD_PAD });
		memory_ring_sample(&memory, time, 0, 7);
		assert_int_equal(ring_reader_refresh(&reader), 0);
		assert_int_equal(ring_reader_peek(&reader, &record), 1);
		assert_int_equal(ring_reader_time(record), time);
		ring_reader_consume(&reader);
		ring_reader_release(&reader);
	}
	assert_true(memory.ring->head > 8 * MEMORY_RING_SIZE);
}

static void test_a_full_ring_is_read_whole(void **state)
{
	const struct lbrscope_record *record;
	int n = 0;

	(void)state;
	while (memory.ring->head < MEMORY_RING_SIZE)
		memory_ring_put(&memory, (struct lbrscope_record){
			.size = 64, .type = LBRSCOPE_RECORD_SAMPLE });
	assert_int_equal(ring_reader_refresh(&reader), 0);
	assert_int_equal(ring_reader_pending(&reader), MEMORY_RING_SIZE);
	for (; ring_reader_peek(&reader, &record) == 1; n++)
		ring_reader_consume(&reader);
	assert_int_equal(n, MEMORY_RING_SIZE / 64);
}

/* A sample without a task and without branches. */
static struct lbrscope_sample *untold(void)
{
	struct lbrscope_sample *s = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*s),
			.type = LBRSCOPE_RECORD_SAMPLE });

	return s;
}

static void test_a_sample_is_of_the_task_told_last(void **state)
{
	struct lbrscope_sample *s;
	struct ring_sample sample;

	(void)state;
	assert_int_equal(ring_reader_sample(&reader, &untold()->rec, &sample),
			 -EPROTO);
	s = memory_ring_sample(&memory, 1, 2, 1);
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_int_equal(ring_reader_sample(&reader, &untold()->rec, &sample), 0);
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 13);
	((struct lbrscope_task *)(s + 1))->tid = 14;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_int_equal(ring_reader_sample(&reader, &untold()->rec, &sample), 0);
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 14);
}

/* Addresses of both halves, and every bit of INFO that has a meaning. */
static void test_packed_branches_are_the_registers(void **state)
{
	static const uint64_t words[][2] = {
		{ 0xbeef7fff12345678, 0xe9017fffdeadbeef },
		{ 0x0000ffff81000123, 0xffff000000401000 },
	};
	struct lbrscope_sample *s = memory_ring_put(&memory,
		(struct lbrscope_record){
			.size = sizeof(*s) + 8 + sizeof(words),
			.type = LBRSCOPE_RECORD_SAMPLE, .nr = 2,
			.format = LBRSCOPE_FORMAT_TASK |
				  LBRSCOPE_FORMAT_LBR_PACKED });
	struct ring_sample sample;

	(void)state;
	memcpy((uint64_t *)(s + 1) + 1, words, sizeof(words));
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), 0);
	assert_int_equal(sample.nr, 2);
	assert_int_equal(sample.from[0], 0x7fff12345678);
	assert_int_equal(sample.to[0], 0x7fffdeadbeef);
	assert_int_equal(sample.info[0], 0xe90100000000beef);
	assert_int_equal(sample.from[1], 0xffffffff81000123);
	assert_int_equal(sample.to[1], 0x401000);
	assert_int_equal(sample.info[1], 0xffff000000000000);
	s->rec.size -= 8;
	assert_int_equal(ring_reader_sample(&reader, &s->rec, &sample), -EPROTO);
}

static void test_losses_are_summed_over_their_causes(void **state)
{
	struct lbrscope_lost_record *lost = memory_ring_put(&memory,
		(struct lbrscope_record){ .size = sizeof(*lost) + 5 * 8,
			.type = LBRSCOPE_RECORD_LOST, .nr = 5 });
	uint64_t sum;

	(void)state;
	lost->time = 99;
	lost->lost[LBRSCOPE_LOST_RING_FULL] = 40;
	lost->lost[LBRSCOPE_LOST_STOPPED] = 2;
	assert_int_equal(ring_reader_time(&lost->rec), 99);
	assert_int_equal(ring_reader_lost(&lost->rec, &sum), 0);
	assert_int_equal(sum, 42);
	lost->rec.nr = 6;
	assert_int_equal(ring_reader_lost(&lost->rec, &sum), -EPROTO);
	lost->rec.size = 8;
	lost->rec.nr = 0;
	assert_int_equal(ring_reader_lost(&lost->rec, &sum), -EPROTO);
}

static void refuses_size(uint16_t size, uint64_t at, uint64_t published)
{
	const struct lbrscope_record *record;
	struct lbrscope_record *bad;

	memory_ring_free(&memory);
	memory_ring_init(&memory);
	memory.tail.tail = at;
	memory.ring->head = at;
	assert_int_equal(ring_reader_init(&reader, memory.ring, &memory.tail,
					  MEMORY_RING_LEN), 0);
	bad = memory_ring_at(&memory, at);
	bad->size = size;
	bad->type = LBRSCOPE_RECORD_SAMPLE;
	memory.ring->head = at + published;
	assert_int_equal(ring_reader_refresh(&reader), 0);
	assert_int_equal(ring_reader_peek(&reader, &record), -EPROTO);
	bad->type = LBRSCOPE_RECORD_PAD;
	assert_int_equal(ring_reader_peek(&reader, &record), -EPROTO);
}

static void test_records_that_cannot_be_are_refused(void **state)
{
	(void)state;
	refuses_size(0, 0, 64);			/* would never end */
	refuses_size(4, 0, 64);			/* shorter than its head */
	refuses_size(12, 0, 64);		/* misaligned */
	refuses_size(72, 0, 64);		/* beyond the head */
	refuses_size(65528, 0, 4096);		/* beyond the ring */
	refuses_size(64, 4096 - 32, 64);	/* across the end */
}

static void test_heads_that_cannot_be_are_refused(void **state)
{
	static const uint64_t heads[] = { 1, 4, 4096 + 8, 1ULL << 63, -8ULL };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		memory.ring->head = heads[i];
		assert_int_equal(ring_reader_refresh(&reader), -EPROTO);
	}
	memory.ring->head = 64;
	assert_int_equal(ring_reader_refresh(&reader), 0);
	memory.ring->head = 0;
	assert_int_equal(ring_reader_refresh(&reader), -EPROTO);
}

static int init_with(size_t at, uint32_t value)
{
	struct memory_ring other;
	struct ring_reader r;
	int err;

	memory_ring_init(&other);
	*(uint32_t *)((char *)other.ring + at) = value;
	err = ring_reader_init(&r, other.ring, &other.tail, MEMORY_RING_LEN);
	memory_ring_free(&other);
	return err;
}

#define FIELD(name) offsetof(struct lbrscope_ring, name)

static void test_first_pages_that_cannot_be_are_refused(void **state)
{
	(void)state;
	assert_int_equal(init_with(FIELD(magic), 1), -EPROTO);
	assert_int_equal(init_with(FIELD(version), 1), -ENOTSUP);
	assert_int_equal(init_with(FIELD(data_size), 0), -EPROTO);
	assert_int_equal(init_with(FIELD(data_size), 3072), -EPROTO);
	assert_int_equal(init_with(FIELD(data_size), 8192), -EPROTO);
	assert_int_equal(init_with(FIELD(data_size), 2048), -EPROTO);
	assert_int_equal(init_with(FIELD(data_offset), 8), -EPROTO);
	assert_int_equal(init_with(FIELD(data_offset), 4100), -EPROTO);
	assert_int_equal(init_with(FIELD(data_offset), -4096U), -EPROTO);
}

static void test_the_size_is_read_once(void **state)
{
	const struct lbrscope_record *record;

	(void)state;
	memory.ring->data_size = 1U << 31;
	memory_ring_sample(&memory, 5, 0, 1);
	assert_int_equal(ring_reader_refresh(&reader), 0);
	assert_int_equal(ring_reader_peek(&reader, &record), 1);
	assert_int_equal(reader.data_size, MEMORY_RING_SIZE);
}

/* In a frozen ring that overwrites, reading begins at the oldest record, or at the last
 * position. */
static void test_the_oldest_record_is_the_first(void **state)
{
	const struct lbrscope_record *record;
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		memory_ring_sample(&memory, 10 + i, 0, 0);
	memory.ring->oldest = 3 * (sizeof(struct lbrscope_sample) +
				   sizeof(struct lbrscope_task));
	assert_int_equal(ring_reader_refresh(&reader), 0);
	assert_int_equal(ring_reader_peek(&reader, &record), 1);
	assert_int_equal(ring_reader_time(record), 13);
	while (ring_reader_peek(&reader, &record) == 1)
		ring_reader_consume(&reader);
	assert_int_equal(reader.tail, memory.ring->head);

	memory_ring_sample(&memory, 20, 0, 0);
	assert_int_equal(ring_reader_refresh(&reader), 0);
	assert_int_equal(ring_reader_peek(&reader, &record), 1);
	assert_int_equal(ring_reader_time(record), 20);

	memory.ring->oldest = memory.ring->head + 8;
	assert_int_equal(ring_reader_refresh(&reader), -EPROTO);
	memory.ring->oldest = memory.ring->head - 4;
	assert_int_equal(ring_reader_refresh(&reader), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_records_come_in_order),
		TEST(test_a_sample_is_of_the_task_told_last),
		TEST(test_packed_branches_are_the_registers),
		TEST(test_padding_at_the_end_is_skipped),
		TEST(test_a_full_ring_is_read_whole),
		TEST(test_losses_are_summed_over_their_causes),
		TEST(test_records_that_cannot_be_are_refused),
		TEST(test_heads_that_cannot_be_are_refused),
		TEST(test_a_ring_is_mapped),
		TEST(test_other_modules_rings_are_refused),
		TEST(test_first_pages_that_cannot_be_are_refused),
		TEST(test_the_size_is_read_once),
		TEST(test_the_oldest_record_is_the_first),
	};

	return cmocka_run_group_tests_name("ring_reader", tests, NULL, NULL);
}
