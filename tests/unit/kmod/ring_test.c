// SPDX-License-Identifier: GPL-2.0
/* kmod/ring/ring.c: the reader's guarantees when the writer is not interrupted. */
#include "ring_fixture.h"

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(ring->shared->magic, LBRSCOPE_RING_MAGIC);
	assert_int_equal(ring->shared->version, LBRSCOPE_RING_VERSION);
	assert_int_equal(ring->shared->cpu, 3);
	assert_int_equal(ring->shared->data_size, SIZE);
	assert_ptr_equal((u8 *)ring->shared + ring->shared->data_offset,
			 ring->data);
	/* The contract: its fields do not move. */
	assert_int_equal(offsetof(struct lbrscope_ring, head), 64);
	assert_int_equal(offsetof(struct lbrscope_ring, lost), 88);
	assert_int_equal(offsetof(struct lbrscope_ring, oldest), 152);
	assert_int_equal(offsetof(struct lbrscope_ring, offcpu), 160);
	assert_int_equal(offsetof(struct lbrscope_ring, begun), 288);
	assert_int_equal(sizeof(struct lbrscope_sample), 24);
	assert_int_equal(sizeof(struct lbrscope_offcpu), 48);
}

/* The number of times that the session has begun on the CPU. */
static void test_begin(void **state)
{
	struct lbrscope_ring before = *ring->shared;

	(void)state;
	ls_ring_begin(ring);
	ls_ring_begin(ring);
	assert_int_equal(ring->shared->begun, 2);
	before.begun = 2;
	assert_memory_equal(&before, ring->shared, sizeof(before));
}

/* Many laps with records of all sizes: none wraps, none is torn. */
static void test_wrap(void **state)
{
	u32 i, written = 0, read = 0, pads = 0;

	(void)state;
	for (i = 0; i < 20000; i++) {
		written += write_record(i, 16 + 8 * (i * 7 % 73));
		if (i % 50 == 49) {
			struct seen seen = read_all();

			assert_false(seen.bad);
			read += seen.samples;
			pads += seen.pads;
			consume();
		}
	}
	assert_int_equal(written, 20000);
	assert_int_equal(read, written);
	assert_true(pads > 10);
	assert_int_equal(ring->shared->delivered, 20000);
	assert_int_equal(ring->shared->produced, 20000);
}

/* Room that was not needed is the next record's, on many laps. */
static void test_trim(void **state)
{
	u32 i, samples = 0;
	u64 bytes = 0;

	(void)state;
	for (i = 0; i < 20000; i++) {
		u32 size = 16 + 8 * (i * 7 % 73);
		u64 head = ring->shared->head;
		u32 reserved = size + 8 * (i * 11 % 301);

		assert_true(write_trimmed(i, reserved, size));
		bytes += ring->shared->head - head - size;
		if (i % 10 == 9)
			samples += take_all();
	}
	assert_int_equal(samples, 20000);
	/* Except at the end of each lap, where the reservation would not have fitted. */
	assert_true(bytes < ring->shared->head / SIZE * 3000);
}

/* Nor is any that is written in place, which nearly all are. */
static void test_in_place(void **state)
{
	u32 i, samples = 0;

	(void)state;
	written_in_place = 0;
	for (i = 0; i < 20000; i++) {
		u64 head = ring->shared->head;
		u32 size = 16 + 8 * (i * 7 % 73);

		assert_true(write_in_place(i, 600, size));
		assert_true(ring->shared->head - head < size + 600);
		if (i % 10 == 9)
			samples += take_all();
	}
	assert_int_equal(samples, 20000);
	assert_int_equal(ring->shared->delivered, 20000);
	assert_true(written_in_place > 19000);
}

/* Without a reader: no byte too many; and a loss is reported first. */
static void test_in_place_full(void **state)
{
	u32 i, written = 0;
	struct seen seen;

	(void)state;
	for (i = 0; i < 3000; i++)
		written += write_in_place(i, 600, 64);
	assert_int_equal(written, SIZE / 64);
	seen = read_all();
	assert_false(seen.bad);
	assert_int_equal(seen.samples, written);
	consume();
	assert_null(ls_ring_open(ring, 600, &(u64){ 0 }));
	ls_ring_report_lost(ring);
	assert_true(write_record(1, 64));
	written_in_place = 0;
	assert_true(write_in_place(1, 600, 64));
	assert_int_equal(written_in_place, 1);
	seen = read_all();
	assert_int_equal(seen.lost, 3000 - written);
}

/* A ring that overwrites has to check each time. */
static void test_in_place_overwriting(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		assert_null(ls_ring_open(ring, 64, &(u64){ 0 }));
		write_record(i, 64);
	}
}

/* A record that is too large for the ring is refused; others fit wherever the ring's end is. */
static void test_too_large(void **state)
{
	u32 i;

	(void)state;
	assert_null(ls_ring_reserve(ring, SIZE / 2 + 8));
	assert_int_equal(ls_ring_refusal(ring, SIZE / 2 + 8),
			 LBRSCOPE_LOST_TOO_LARGE);
	assert_int_equal(ls_ring_refusal(ring, SIZE / 2),
			 LBRSCOPE_LOST_RING_FULL);
	assert_null(ls_ring_reserve(ring, 0x80000000U));
	assert_int_equal(local_read(&ring->nest), 0);
	for (i = 0; i < 100; i++) {
		assert_true(write_record(i, SIZE / 2));
		assert_false(read_all().bad);
		consume();
		assert_true(write_record(i, 1000 + 8 * i));
		consume();
	}
}

/* A reader that never reads: nothing is overwritten, everything counted. */
static void test_full(void **state)
{
	u32 i, written = 0;
	struct seen seen;

	(void)state;
	for (i = 0; i < 3000; i++)
		written += write_record(i, 64);
	assert_int_equal(written, SIZE / 64);
	seen = read_all();
	assert_false(seen.bad);
	assert_int_equal(seen.samples, written);
	assert_int_equal(ring->shared->produced, 3000);
	assert_int_equal(ring->shared->lost[LBRSCOPE_LOST_RING_FULL],
			 3000 - written);

	/* When there is room again, one record reports the loss. */
	consume();
	ls_ring_report_lost(ring);
	ls_ring_report_lost(ring);
	seen = read_all();
	assert_int_equal(seen.lost_records, 1);
	assert_int_equal(seen.lost, 3000 - written);
}

/* A tail outside of [head - size, head] loses samples, and nothing else. */
static void test_lying_tail(void **state)
{
	static const u64 lies[] = { 1, 8, SIZE, -1ULL, -8ULL, 1ULL << 63 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		u64 head = ring->shared->head;

		ring->tail->tail = head + lies[i];
		if (lies[i] > (u64)-SIZE)	/* a tail that lags is no lie */
			continue;
		assert_false(write_record(1, 64));
		assert_int_equal(ring->shared->head, head);
	}
	ring->tail->tail = ring->shared->head;
	assert_true(write_record(1, 64));
}

/* A tail that becomes wrong gives no more than the room that was free before. */
static void test_lying_later(void **state)
{
	u32 written = 0;

	(void)state;
	consume();
	assert_true(write_record(1, 64));
	ring->tail->tail = 1ULL << 63;
	while (write_record(2, 64))
		written++;
	assert_int_equal(written, SIZE / 64 - 1);
	assert_int_equal(ring->shared->head, SIZE);
	ring->tail->tail = 0;
	assert_false(read_all().bad);
	assert_int_equal(read_all().samples, SIZE / 64);
	consume();
	assert_true(write_record(3, 64));
}

static void test_wakeup(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < SIZE / 4 / 64 - 1; i++)
		write_record(i, 64);
	assert_int_equal(waiters.woken, 0);
	assert_false(ls_ring_readable(ring));
	write_record(0, 64);
	assert_int_equal(waiters.woken, 1);
	assert_true(ls_ring_readable(ring));
}

static void test_mmap(void **state)
{
	struct vm_area_struct vma = { 0, PAGE_SIZE + SIZE,
		VM_SHARED | VM_MAYWRITE | VM_MAYEXEC };

	(void)state;
	assert_int_equal(ls_ring_mmap(ring, &vma, false), 0);
	assert_false(vma.vm_flags & (VM_MAYWRITE | VM_MAYEXEC));
	assert_true(vma.vm_flags & VM_DONTCOPY);
	vma.vm_flags = VM_SHARED | VM_WRITE | VM_MAYWRITE;
	assert_int_equal(ls_ring_mmap(ring, &vma, false), -EPERM);
	assert_int_equal(ls_ring_mmap(ring, &vma, true), -EINVAL);
	vma.vm_end = PAGE_SIZE;
	assert_int_equal(ls_ring_mmap(ring, &vma, true), 0);
	assert_int_equal(ls_ring_mmap(ring, &vma, false), -EINVAL);
	vma.vm_flags = VM_WRITE;
	assert_int_equal(ls_ring_mmap(ring, &vma, true), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_begin, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_trim, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place_overwriting, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_too_large, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_tail, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wakeup, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mmap, setup, teardown),
	};

	return cmocka_run_group_tests_name("kmod/ring", tests, NULL, NULL);
}
