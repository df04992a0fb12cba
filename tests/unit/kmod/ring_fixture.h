/* SPDX-License-Identifier: GPL-2.0 */
/* A ring of kmod/ring/ring.c in user space, its writers, and a reader. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/ring/ring.c"

enum { SIZE = 64 << 10 };

static wait_queue_head_t waiters;
static struct ls_ring *ring;
static bool frozen;

u64 ktime_get_mono_fast_ns(void)
{
	return 1;
}

static inline int setup_ring(const bool *freezes)
{
	waiters.woken = 0;
	frozen = false;
	ring = ls_ring_alloc(3, SIZE, freezes, &waiters);
	return !ring;
}

static inline int setup(void **state)
{
	(void)state;
	return setup_ring(NULL);
}

static inline int setup_overwriting(void **state)
{
	(void)state;
	return setup_ring(&frozen);
}

static inline int teardown(void **state)
{
	(void)state;
	ls_ring_free(ring);
	return 0;
}

/*
 * Writes a record whose bytes all state its number.  Reserves `reserved` bytes; those above
 * the record's size are given back.
 */
static inline bool write_trimmed(u8 mark, u32 reserved, u32 size)
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

static inline bool write_record(u8 mark, u32 size)
{
	return write_trimmed(mark, size, size);
}

static u32 written_in_place;

/* The same for a writer that learns the size while it writes. */
static inline bool write_in_place(u8 mark, u32 most, u32 size)
{
	struct lbrscope_record *rec;
	u64 end;

	rec = ls_ring_open(ring, most, &end);
	if (!rec)
		return write_record(mark, size);
	memset(rec + 1, mark, most - sizeof(*rec));
	*rec = (struct lbrscope_record){ .size = size, .nr = mark,
		.type = LBRSCOPE_RECORD_SAMPLE };
	written_in_place++;
	ls_ring_deliver(ring);
	ls_ring_close(ring, rec, end, most, size);
	return true;
}

struct seen {
	u32 samples, lost_records, pads;
	u64 lost;
	u8 youngest;		/* mark of the last sample */
	bool bad;
};

/* Everything that is published, not yet consumed, and not overwritten. */
static inline struct seen read_all(void)
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

static inline void consume(void)
{
	ring->tail->tail = ring->shared->head;
}

/* Returns the number of samples, all complete, and consumes them. */
static inline u32 take_all(void)
{
	struct seen seen = read_all();

	assert_false(seen.bad);
	consume();
	return seen.samples;
}
