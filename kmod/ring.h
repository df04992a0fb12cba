/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_RING_H
#define LBRSCOPE_RING_H

#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>

#include <linux/lbrscope_ring.h>

struct vm_area_struct;

/*
 * The records of one CPU.  All but the shared pages is private to the kernel.
 * Written on its own CPU only, in NMI and with interrupts off, or while that
 * CPU is not sampling.
 */
struct ring {
	struct lbrscope_ring *shared;	/* first page, and the records after it */
	struct lbrscope_ring_tail *tail;	/* the reader's page */
	u8 *data;
	u32 size;		/* bytes of data, a power of two */
	u32 largest;		/* bytes of a record that always finds a place */
	u32 watermark;		/* wake pollers each time this many are new */
	/*
	 * The session's: the ring must not be written now.  NULL: it never
	 * overwrites, and is never frozen.
	 */
	const bool *frozen;
	local_t head;		/* bytes reserved, ever */
	local_t nest;		/* writers between reserve and commit */
	/*
	 * So far head may go and nobody need look: by the reader's tail as it was
	 * when it was looked at, which never goes back, and to where the buffer ends.
	 * 0 while a loss is to be told of, and of a ring that overwrites.
	 */
	u64 room;
	u64 wake_at;		/* head when pollers are woken next */
	u64 task;		/* of the newest sample, as the reader knows it:
				 * ls_ring_knows()
				 */
	local_t unreported;	/* losses that no LOST record told yet */
	bool reporting;		/* a LOST record is being written */
	u64 reported[LBRSCOPE_LOST_NR];	/* of shared->lost, by LOST records */
	struct irq_work wake;
	wait_queue_head_t *wait;	/* where pollers sleep */
};

struct ring *ls_ring_alloc(int cpu, u32 size, const bool *frozen,
			   wait_queue_head_t *wait);
void ls_ring_free(struct ring *ring);
bool ls_ring_readable(const struct ring *ring);
void ls_ring_wake(struct ring *ring);
int ls_ring_mmap(struct ring *ring, struct vm_area_struct *vma, bool tail);

/* Writers: on the ring's CPU, preemption off. */
void ls_ring_begin(struct ring *ring);
enum lbrscope_lost ls_ring_refusal(const struct ring *ring, u32 size);
void ls_ring_trim(struct ring *ring, void *record, u32 reserved, u32 size);
void ls_ring_lose_many(struct ring *ring, enum lbrscope_lost cause, u64 nr);

static inline void ls_ring_lose(struct ring *ring, enum lbrscope_lost cause)
{
	ls_ring_lose_many(ring, cause, 1);
}
void ls_ring_end_offcpu(struct ring *ring, enum lbrscope_offcpu_end end,
			u64 ns);
void ls_ring_tell_lost(struct ring *ring);

/* What is rare of those below, which are inline for the NMI's sake. */
void *ls_ring_find(struct ring *ring, u32 size);
void ls_ring_wake_at(struct ring *ring, u64 head);
void ls_ring_skip(void *record, u32 size);

/* true: nobody has interrupted and moved it meanwhile. */
static __always_inline bool ring_move_head(struct ring *ring, u64 from, u64 to)
{
	bool moved;

	/* local_cmpxchg(), whose flags the compiler does not see. */
	asm volatile("cmpxchgq %[to], %[head]"
		     : "=@ccz" (moved), [head] "+m" (ring->head), "+a" (from)
		     : [to] "r" (to)
		     : "memory");
	return moved;
}

/*
 * Room for size bytes (a multiple of 8), to be written and then committed;
 * NULL if there is none: ls_ring_refusal() says why.
 */
static __always_inline void *ls_ring_reserve(struct ring *ring, u32 size)
{
	u64 head, next;
	void *record;

	local_inc(&ring->nest);
	head = local_read(&ring->head);
	next = head + size;
	if (unlikely(next > ring->room || size > ring->largest ||
		     !ring_move_head(ring, head, next)))
		return ls_ring_find(ring, size);
	record = ring->data + (head & (ring->size - 1));
	if (!record)		/* which the caller need not ask then */
		__builtin_unreachable();
	return record;
}

/* Ends what ls_ring_reserve() began. */
static __always_inline void ls_ring_commit(struct ring *ring)
{
	u64 head;

	do {
		if (unlikely(local_read(&ring->nest) > 1)) {
			local_dec(&ring->nest);
			return;
		}
		head = local_read(&ring->head);
		smp_store_release(&ring->shared->head, head);	/* B */
		if (unlikely(head >= ring->wake_at))
			ls_ring_wake_at(ring, head);
		local_set(&ring->nest, 0);
		barrier();
		/*
		 * An NMI before nest became 0 has left its records to us, and
		 * we have read head before it: once more.
		 */
		if (likely(head == (u64)local_read(&ring->head)))
			return;
		local_inc(&ring->nest);
	} while (true);
}

/*
 * Room for so many bytes, if that is simple, to be written, cut to what was needed, and
 * then committed.  NULL: ls_ring_reserve() may find a place.
 */
static __always_inline void *ls_ring_open(struct ring *ring, u32 most, u64 *end)
{
	u64 head = local_read(&ring->head);
	void *record;

	*end = head + most;
	if (unlikely(*end > ring->room))
		return NULL;
	local_inc(&ring->nest);
	if (unlikely(!ring_move_head(ring, head, *end))) {
		ls_ring_commit(ring);
		return NULL;
	}
	record = ring->data + (head & (ring->size - 1));
	if (!record)		/* as above */
		__builtin_unreachable();
	return record;
}

/* All but the first size bytes of what ends there is given back. */
static __always_inline void ls_ring_cut(struct ring *ring, void *record, u64 end,
					u32 most, u32 size)
{
	if (unlikely(!ring_move_head(ring, end, end - most + size)))
		ls_ring_skip(record + size, most - size);
}

/*
 * Tells the reader what was lost since it was last told, once there is room.
 * An NMI that interrupts the scheduler here leaves it to the scheduler.
 */
static __always_inline void ls_ring_report_lost(struct ring *ring)
{
	if (unlikely(local_read(&ring->unreported)))
		ls_ring_tell_lost(ring);
}

/*
 * One instruction, so that the NMI cannot come between the load and the store
 * of a count that the code it interrupts is just raising.
 */
static __always_inline void ls_ring_count(u64 *count)
{
	local_inc((local_t *)count);
}

/*
 * Has the newest sample told its reader of this task already?  One that overwrites
 * may have lost that sample by then: its task stays 0, which is the idle task's.
 */
static __always_inline bool ls_ring_knows(const struct ring *ring, u64 task)
{
	return ring->task == task;
}

/* Samples, which the NMI alone writes: once there is room for the one that tells. */
static __always_inline void ls_ring_learn(struct ring *ring, u64 task)
{
	if (!ring->frozen)
		ring->task = task;
}

/* A sample fell due and is in the ring: before its ls_ring_commit(). */
static __always_inline void ls_ring_deliver(struct ring *ring)
{
	struct lbrscope_ring *shared = ring->shared;

	ls_ring_count(&shared->delivered);
	ls_ring_count(&shared->produced);
}

#endif
