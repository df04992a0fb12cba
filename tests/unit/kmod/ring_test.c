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
static bool frozen;

u64 ktime_get_mono_fast_ns(void)
{
	return 1;
}

static int setup_ring(const bool *freezes)
{
	waiters.woken = 0;
	frozen = false;
	ring = ls_ring_alloc(3, SIZE, freezes, &waiters);
	return !ring;
}

static int setup(void **state)
{
	(void)state;
	return setup_ring(NULL);
}

static int setup_overwriting(void **state)
{
	(void)state;
	return setup_ring(&frozen);
}

static int teardown(void **state)
{
	(void)state;
	ls_ring_free(ring);
	return 0;
}

/*
 * A record whose every byte after the head says which one it is.  Room is taken
 * for reserved bytes, what is more than the record's size is given back.
 */
static bool write_trimmed(u8 mark, u32 reserved, u32 size)
{
	struct lbrscope_record *rec = ls_ring_reserve(ring, reserved);

	if (!rec) {
		ls_ring_lose(ring, ls_ring_refusal(ring, reserved));
		return false;
	}
	memset(rec + 1, mark, reserved - sizeof(*rec));
	ls_ring_trim(ring, rec, reserved, size);
	*rec = (struct lbrscope_record){ .size = size, .nr = mark,
		.type = LBRSCOPE_RECORD_SAMPLE };
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
	return true;
}

static bool write_record(u8 mark, u32 size)
{
	return write_trimmed(mark, size, size);
}

static u32 written_in_place;

/* The same of a writer who learns the size while he writes. */
static bool write_in_place(u8 mark, u32 most, u32 size)
{
	struct lbrscope_record *rec;
	u64 end;

	rec = ls_ring_open(ring, most, &end);
	if (!rec)
		return write_record(mark, size);
	memset(rec + 1, mark, most - sizeof(*rec));
	*rec = (struct lbrscope_record){ .size = size, .nr = mark,
		.type = LBRSCOPE_RECORD_SAMPLE };
	ls_ring_cut(ring, rec, end, most, size);
	written_in_place++;
	ls_ring_deliver(ring);
	ls_ring_commit(ring);
	return true;
}

struct seen {
	u32 samples, lost_records, pads;
	u64 lost;
	u8 youngest;		/* mark of the last sample */
	bool bad;
};

/* Everything that is published, not yet consumed, and not overwritten. */
static struct seen read_all(void)
{
	struct seen seen = { 0 };
	u64 tail = ring->tail->tail;

	if (tail < ring->shared->oldest)
		tail = ring->shared->oldest;

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
			seen.youngest = rec->nr;
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

/* How many samples there were, all whole, which are consumed. */
static u32 take_all(void)
{
	struct seen seen = read_all();

	assert_false(seen.bad);
	consume();
	return seen.samples;
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
	assert_int_equal(offsetof(struct lbrscope_ring, oldest), 152);
	assert_int_equal(offsetof(struct lbrscope_ring, offcpu), 160);
	assert_int_equal(offsetof(struct lbrscope_ring, begun), 288);
	assert_int_equal(sizeof(struct lbrscope_sample), 24);
	assert_int_equal(sizeof(struct lbrscope_offcpu), 48);
}

/* How often the session has begun on the CPU, and nothing else. */
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
	/* But for the end of each lap, where so much would not have fitted. */
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

/* A reader that never reads: not a byte too many; and a loss is told of first. */
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

/* One that overwrites has to look each time. */
static void test_in_place_overwriting(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		assert_null(ls_ring_open(ring, 64, &(u64){ 0 }));
		write_record(i, 64);
	}
}

/* What fits nowhere in the ring is refused, what fits does wherever its end is. */
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

/* One that begins to lie gets no more than the room that it had given before. */
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

static u64 overwritten(void)
{
	return ring->shared->lost[LBRSCOPE_LOST_OVERWRITTEN];
}

/* Nobody reads: the youngest are there, whole, and all others are counted. */
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
		/* It holds what it can: at most a pad and a record are missing. */
		assert_true(ring->shared->head - ring->shared->oldest <= SIZE);
		assert_true(ring->shared->head - ring->shared->oldest >
			    SIZE - 600);
	}
	assert_true(overwritten() > 10000);
	assert_int_equal(ring->shared->lost[LBRSCOPE_LOST_RING_FULL], 0);
}

/* What finds no place anyway takes none of others. */
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

/* What has been read is delivered, whether it is overwritten or not. */
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

/* One who is interrupted while he holds most of it: he is not overwritten. */
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

static void write_there(void)
{
	write_in_place(0xaa, 144, 72);
}

/* One writer, interrupted before its instruction number at. */
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
	/* It was interrupted at all, and more than once or twice. */
	assert_true(at > 100);
	signal(SIGTRAP, SIG_DFL);
}

static void test_interrupted_everywhere(void **state)
{
	(void)state;
	interrupt_everywhere(write_and_trim);
}

static void test_in_place_interrupted(void **state)
{
	(void)state;
	interrupt_everywhere(write_there);
}

/* The same of one that has to overwrite, and so has the one who interrupts. */
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
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_begin, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_trim, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place_full, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_in_place_interrupted,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_place_overwriting,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_too_large, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_tail, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lying_later, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_wakeup, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mmap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupted_everywhere,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_too_large,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_read,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_offcpu,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_frozen,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_held,
						setup_overwriting, teardown),
		cmocka_unit_test_setup_teardown(test_overwrite_interrupted,
						setup_overwriting, teardown),
	};

	return cmocka_run_group_tests_name("kmod/ring", tests, NULL, NULL);
}
