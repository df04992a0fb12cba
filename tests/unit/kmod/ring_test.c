// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/ring.c: what a reader relies on, whatever interrupts the writer.
 *
 * The NMI is played by the CPU's trap flag: with it set, every instruction of
 * the interrupted writer is followed by a signal, and in the one before which
 * the test wants it, a second writer runs.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/ring.c"

enum { SIZE = 64 << 10 };

static wait_queue_head_t waiters;
static struct ring *ring;

u64 ktime_get_mono_fast_ns(void)
{
	return 1;
}

static int setup(void **state)
{
	(void)state;
	waiters.woken = 0;
	ring = ls_ring_alloc(3, SIZE, &waiters);
	return !ring;
}

static int teardown(void **state)
{
	(void)state;
	ls_ring_free(ring);
	return 0;
}

/* A record whose every byte after the head says which one it is. */
static bool write_record(u8 mark, u32 size)
{
	struct lbrscope_record *rec = ls_ring_reserve(ring, size);

	if (!rec) {
		ls_ring_lose(ring, LBRSCOPE_LOST_RING_FULL);
		return false;
	}
	memset(rec + 1, mark, size - sizeof(*rec));
	*rec = (struct lbrscope_record){ .size = size, .nr = mark,
		.type = LBRSCOPE_RECORD_SAMPLE };
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
	return true;
}

struct seen {
	u32 samples, lost_records, pads;
	u64 lost;
	bool bad;
};

/* Everything that is published and not yet consumed. */
static struct seen read_all(void)
{
	struct seen seen = { 0 };
	u64 tail = ring->tail->tail;

	while (tail != ring->shared->head && !seen.bad) {
		u32 offset = tail & (SIZE - 1);
		struct lbrscope_record *rec = (void *)(ring->data + offset);
		u32 i;

		if (rec->size < 8 || rec->size % 8 ||
		    offset + rec->size > SIZE ||
		    tail + rec->size > ring->shared->head)
			seen.bad = true;
		if (rec->type == LBRSCOPE_RECORD_SAMPLE) {
			seen.samples++;
			for (i = sizeof(*rec); i < rec->size; i++)
				seen.bad |= ((u8 *)rec)[i] != rec->nr;
		} else if (rec->type == LBRSCOPE_RECORD_LOST) {
			seen.lost_records++;
			seen.lost += ((struct lbrscope_lost_record *)rec)->lost[0];
		} else if (rec->type == LBRSCOPE_RECORD_PAD) {
			seen.pads++;
		} else {
			seen.bad = true;
		}
		tail += rec->size;
	}
	return seen;
}

static void consume(void)
{
	ring->tail->tail = ring->shared->head;
}

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
	assert_int_equal(sizeof(struct lbrscope_sample), 32);
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

	/* Room again: the reader is told, once. */
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

/* The interrupting writer, before the instruction with this number. */
static volatile long nmi_at, nmi_step, nmi_fired;
static volatile bool nmi_saw_torn;

static void nmi(int sig)
{
	(void)sig;
	if (nmi_step++ != nmi_at)
		return;
	nmi_fired++;
	ls_ring_report_lost(ring);
	write_record(0xbb, 120);
	write_record(0xcc, 48);
	nmi_saw_torn = read_all().bad;
}

#define TRAP_FLAG_ON()	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" \
					 : : : "memory", "cc")
#define TRAP_FLAG_OFF()	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" \
					 : : : "memory", "cc")

/* One writer, interrupted before its instruction number at. */
static void interrupted_writer(long at, bool lost_before)
{
	memset(ring->data, 0xee, SIZE);
	consume();
	if (lost_before)
		ls_ring_lose(ring, LBRSCOPE_LOST_RING_FULL);
	nmi_at = at;
	nmi_step = 0;
	nmi_fired = 0;
	nmi_saw_torn = false;
	TRAP_FLAG_ON();
	ls_ring_report_lost(ring);
	write_record(0xaa, 72);
	TRAP_FLAG_OFF();
}

/*
 * At no instruction may the interruption cost a record, tear one, publish one
 * too early or leave the ring such that the next is not published.
 */
static void test_interrupted_everywhere(void **state)
{
	struct sigaction action = { .sa_handler = nmi };
	long at;

	(void)state;
	sigaction(SIGTRAP, &action, NULL);
	for (at = 0; ; at++) {
		bool lost = at % 2;
		u64 delivered = ring->shared->delivered;
		struct seen seen;

		interrupted_writer(at / 2, lost);
		assert_false(nmi_saw_torn);
		seen = read_all();
		assert_false(seen.bad);
		assert_int_equal(seen.samples, nmi_fired ? 3 : 1);
		assert_int_equal(seen.lost, lost);
		assert_int_equal(ring->shared->delivered - delivered,
				 seen.samples);
		assert_int_equal(local_read(&ring->nest), 0);
		assert_int_equal(ring->shared->head, local_read(&ring->head));
		if (!nmi_fired && lost)
			break;
	}
	/* It was interrupted at all, and more than once or twice. */
	assert_true(at > 100);
	signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_tail, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_wakeup, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mmap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupted_everywhere,
						setup, teardown),
	};

	return cmocka_run_group_tests_name("kmod/ring", tests, NULL, NULL);
}
