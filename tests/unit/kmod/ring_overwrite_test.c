// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/ring/ring.c: overwriting rings, and the reader's guarantees when the writer is interrupted
 * anywhere.
 *
 * The CPU's trap flag stands for the NMI: with it set, a signal follows every instruction of
 * the interrupted writer, and before the instruction that the test chooses, a second writer
 * runs.
 */
#include "ring_fixture.h"

static u64 overwritten(void)
{
	return ring->shared->lost[LBRSCOPE_LOST_OVERWRITTEN];
}

/* Without a reader the youngest records are complete, and all others are counted. */
static void test_overwrite(void **state)
{
	u32 i, bytes = 0;

	(void)state;
	for (i = 1; i <= 20000; i++) {
		u32 size = 16 + 8 * (i * 7 % 73);
		struct seen seen;

		assert_true(write_record(i, size));
		bytes += size;
		if (i % 50)
			continue;
		seen = read_all();
		assert_false(seen.bad);
		assert_int_equal(seen.youngest, i % 256);
		assert_int_equal(ring->shared->produced, i);
		assert_int_equal(ring->shared->delivered, seen.samples);
		assert_int_equal(overwritten(), i - seen.samples);
		if (bytes < SIZE)
			continue;
		/* The ring is used fully: at most a pad and a record are missing. */
		assert_true(ring->shared->head - ring->shared->oldest <= SIZE);
		assert_true(ring->shared->head - ring->shared->oldest >
			    SIZE - 600);
	}
	assert_true(overwritten() > 10000);
	assert_int_equal(ring->shared->lost[LBRSCOPE_LOST_RING_FULL], 0);
}

/* A record that cannot fit drops no others. */
static void test_overwrite_too_large(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < SIZE / 64; i++)
		write_record(i, 64);
	assert_null(ls_ring_reserve(ring, SIZE / 2 + 8));
	assert_int_equal(overwritten(), 0);
	assert_int_equal(read_all().samples, SIZE / 64);
}

/* A record that was read counts as delivered, overwritten or not. */
static void test_overwrite_read(void **state)
{
	struct seen seen;
	u32 i;

	(void)state;
	for (i = 0; i < 100; i++)
		write_record(i, 64);
	consume();
	for (i = 0; i < SIZE / 64; i++)
		write_record(i, 64);
	assert_int_equal(overwritten(), 0);
	assert_int_equal(ring->shared->delivered, 100 + SIZE / 64);
	write_record(i, 64);
	assert_int_equal(overwritten(), 1);
	seen = read_all();
	assert_false(seen.bad);
	assert_int_equal(seen.samples, SIZE / 64);
	assert_int_equal(ring->shared->delivered, 100 + SIZE / 64);

	/* A tail that lies makes the counts a lie, and does no harm. */
	ring->tail->tail = -8ULL;
	for (i = 0; i < 3000; i++)
		assert_true(write_record(i, 72));
	ring->tail->tail = 0;
	seen = read_all();
	assert_false(seen.bad);
	assert_int_equal(ring->shared->produced, ring->shared->delivered +
			 overwritten());
}

static void write_offcpu(u64 ns)
{
	struct lbrscope_offcpu *rec = ls_ring_reserve(ring, sizeof(*rec));

	*rec = (struct lbrscope_offcpu){
		.rec = { .size = sizeof(*rec), .type = LBRSCOPE_RECORD_OFFCPU },
		.off = ns,
	};
	ls_ring_end_offcpu(ring, LBRSCOPE_OFFCPU_DELIVERED, ns);
	ls_ring_commit(ring);
}

static void expect_offcpu(enum lbrscope_offcpu_end end, u64 nr, u64 ns)
{
	assert_int_equal(ring->shared->offcpu[end].nr, nr);
	assert_int_equal(ring->shared->offcpu[end].ns, ns);
}

/* Times off the CPU are counted apart from samples, and go over alike. */
static void test_overwrite_offcpu(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 10; i++)
		write_offcpu(1000 + i);
	consume();
	write_offcpu(300000000000);
	write_offcpu(5);
	write_offcpu(6);
	ls_ring_end_offcpu(ring, LBRSCOPE_OFFCPU_SHORT, 4);
	expect_offcpu(LBRSCOPE_OFFCPU_DELIVERED, 13, 300000010056);
	for (i = 0; overwritten() == 0; i++)
		write_record(i, 64);
	expect_offcpu(LBRSCOPE_OFFCPU_DELIVERED, 10, 10045);
	expect_offcpu(LBRSCOPE_OFFCPU_OVERWRITTEN, 3, 300000000011);
	expect_offcpu(LBRSCOPE_OFFCPU_SHORT, 1, 4);
	assert_int_equal(ring->shared->produced, i);
	assert_int_equal(ring->shared->delivered, i - 1);
}

static void test_frozen(void **state)
{
	struct seen seen;
	u64 oldest, head;
	u32 i;

	(void)state;
	for (i = 0; i < 3000; i++)
		write_record(i, 64);
	assert_false(ls_ring_readable(ring));
	assert_int_equal(waiters.woken, 0);
	frozen = true;
	assert_true(ls_ring_readable(ring));
	oldest = ring->shared->oldest;
	head = ring->shared->head;
	for (i = 0; i < 10; i++)
		assert_false(write_record(i, 64));
	ls_ring_report_lost(ring);
	assert_int_equal(ring->shared->oldest, oldest);
	assert_int_equal(ring->shared->head, head);
	assert_int_equal(ring->shared->lost[LBRSCOPE_LOST_FROZEN], 10);
	assert_int_equal(ring->shared->produced, 3010);
	frozen = false;
	assert_true(write_record(7, 64));
	ls_ring_report_lost(ring);
	seen = read_all();
	assert_int_equal(seen.youngest, 7);
	assert_int_equal(seen.lost_records, 0);
}

/* A writer that is interrupted while it holds most of the ring is not overwritten. */
static void test_overwrite_held(void **state)
{
	struct lbrscope_record *held;
	struct seen seen;
	u32 i, refused = 0;

	(void)state;
	for (i = 0; i < 3000; i++)
		write_record(i, 64);
	held = ls_ring_reserve(ring, 1024);
	memset(held + 1, 0x55, 1024 - sizeof(*held));
	for (i = 0; i < 3000; i++)
		refused += !write_record(i, 64);
	assert_true(refused > 3000 - SIZE / 64);
	assert_int_equal(ring->shared->lost[LBRSCOPE_LOST_RING_FULL], refused);
	*held = (struct lbrscope_record){ .size = 1024, .nr = 0x55,
		.type = LBRSCOPE_RECORD_SAMPLE };
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
	seen = read_all();
	assert_false(seen.bad);
	assert_int_equal(seen.samples, ring->shared->delivered);
	assert_int_equal(ring->shared->produced,
			 ring->shared->delivered + overwritten() + refused);
	assert_true(write_record(1, 64));
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
	write_in_place(0xbb, 600, 120);
	write_in_place(0xcc, 600, 48);
	nmi_saw_torn = read_all().bad;
}

#define TRAP_FLAG_ON()	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" \
					 : : : "memory", "cc")
#define TRAP_FLAG_OFF()	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" \
					 : : : "memory", "cc")

static void write_and_trim(void)
{
	write_trimmed(0xaa, 144, 72);
}

/* One writer, interrupted before instruction number `at`. */
static void interrupted_writer(void (*write)(void), long at, bool lost_before)
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
	write();
	TRAP_FLAG_OFF();
}

/*
 * At no instruction may the interruption cost a record, tear one, publish one
 * too early or leave the ring such that the next is not published.
 */
static void interrupt_everywhere(void (*write)(void))
{
	struct sigaction action = { .sa_handler = nmi };
	long at;

	sigaction(SIGTRAP, &action, NULL);
	for (at = 0; ; at++) {
		bool lost = at % 2;
		u64 delivered = ring->shared->delivered;
		struct seen seen;

		interrupted_writer(write, at / 2, lost);
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
	/* The writer was interrupted, and more than once or twice. */
	assert_true(at > 100);
	signal(SIGTRAP, SIG_DFL);
}

static void test_interrupted_everywhere(void **state)
{
	(void)state;
	interrupt_everywhere(write_and_trim);
}

/* Nothing interrupts the NMI but an exception in the middle of its record. */
static void test_in_place_interrupted(void **state)
{
	struct lbrscope_record *rec;
	u64 end;

	(void)state;
	write_record(0x11, 48);		/* reads the tail */
	consume();
	rec = ls_ring_open(ring, 144, &end);
	assert_non_null(rec);
	write_record(0xbb, 120);
	write_record(0xcc, 48);
	assert_int_equal(read_all().samples, 0);
	memset(rec + 1, 0xaa, 144 - sizeof(*rec));
	*rec = (struct lbrscope_record){ .size = 72, .nr = 0xaa,
		.type = LBRSCOPE_RECORD_SAMPLE };
	ls_ring_deliver(ring);
	ls_ring_close(ring, rec, end, 144, 72);
	assert_false(read_all().bad);
	assert_int_equal(read_all().samples, 3);
	assert_int_equal(read_all().pads, 1);
	assert_int_equal(ring->shared->delivered, 4);
	assert_int_equal(local_read(&ring->nest), 0);
	assert_int_equal(ring->shared->head, local_read(&ring->head));
}

/* The same for a writer and an interrupting writer that both have to overwrite. */
static void test_overwrite_interrupted(void **state)
{
	struct sigaction action = { .sa_handler = nmi };
	long at;

	(void)state;
	sigaction(SIGTRAP, &action, NULL);
	nmi_fired = 1;
	for (at = 0; nmi_fired; at++) {
		struct seen seen;
		u64 written;
		u32 i;

		/* Records of other sizes each time, wherever the end is. */
		for (i = at ? 1500 : 0; i < 1700; i++)
			write_record(i, 24 + 8 * ((at + i) % 7));
		written = ring->shared->produced;
		nmi_at = at;
		nmi_step = nmi_fired = 0;
		TRAP_FLAG_ON();
		write_record(0xaa, 200);
		TRAP_FLAG_OFF();
		written = ring->shared->produced - written;
		assert_int_equal(written, nmi_fired ? 3 : 1);
		assert_false(nmi_saw_torn);
		seen = read_all();
		assert_false(seen.bad);
		assert_int_equal(seen.samples, ring->shared->delivered);
		assert_int_equal(ring->shared->produced,
				 ring->shared->delivered + overwritten());
		assert_int_equal(local_read(&ring->nest), 0);
		assert_int_equal(ring->shared->head, local_read(&ring->head));
	}
	assert_true(at > 100);
	signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_in_place_interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupted_everywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_too_large, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_read, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_offcpu, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_frozen, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_held, setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_interrupted, setup_overwriting, teardown),
	};

	return cmocka_run_group_tests_name("kmod/ring_overwrite", tests, NULL, NULL);
}
