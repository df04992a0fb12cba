/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of records of a CPU: reserve, write, publish. */
#ifndef LBRSCOPE_RING_H
#define LBRSCOPE_RING_H

#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>

#include <linux/lbrscope_ring.h>

struct vm_area_struct;

/*
 * The ring of records of one CPU.  Everything but the shared pages is private to the
 * kernel.
 * Locks: written on its CPU only, in the NMI or with interrupts off, or while that CPU
 * does not sample.
 */
struct ls_ring {
	struct lbrscope_ring *shared;	/* first page, followed by the records */
	struct lbrscope_ring_tail *tail;	/* the reader's page */
	u8 *data;
	u32 size;		/* bytes of data, a power of two */
	u32 largest;		/* bytes of the largest record that is accepted */
	u32 watermark;		/* new bytes that wake pollers */
	/*
	 * The session's flag: the ring must not be written.  NULL: the ring does
	 * not overwrite and is never frozen.
	 */
	const bool *frozen;
	local_t head;		/* bytes reserved, ever */
	local_t nest;		/* writers between reserve and commit */
	/*
	 * head may go up to here without a look at the reader's tail: the limit from the
	 * tail when it was read last, and the end of the buffer.  0 while a loss has to be
	 * reported first, and in a ring that overwrites.
	 */
	u64 room;
	u64 wake_at;		/* head at which pollers are woken next */
	u64 task;		/* the task of the newest sample: ls_ring_knows() */
	local_t unreported;	/* losses that no LOST record has stated yet */
	bool reporting;		/* a LOST record is being written */
	u64 reported[LBRSCOPE_LOST_NR];	/* stated by LOST records, of shared->lost */
	struct irq_work wake;
	wait_queue_head_t *wait;	/* where pollers sleep */
};

struct ls_ring *ls_ring_alloc(int cpu, u32 size, const bool *frozen,
			      wait_queue_head_t *wait);
void ls_ring_free(struct ls_ring *ring);
bool ls_ring_readable(const struct ls_ring *ring);
void ls_ring_wake(struct ls_ring *ring);
int ls_ring_mmap(struct ls_ring *ring, struct vm_area_struct *vma, bool tail);

/* Writers.  Context: on the ring's CPU, preemption off. */
void ls_ring_begin(struct ls_ring *ring);
bool ls_ring_crowded(const struct ls_ring *ring);
enum lbrscope_lost ls_ring_refusal(const struct ls_ring *ring, u32 size);
void ls_ring_trim(struct ls_ring *ring, void *record, u32 reserved, u32 size);
void ls_ring_lose_many(struct ls_ring *ring, enum lbrscope_lost cause, u64 nr);

static inline void ls_ring_lose(struct ls_ring *ring, enum lbrscope_lost cause)
{
	ls_ring_lose_many(ring, cause, 1);
}
void ls_ring_end_offcpu(struct ls_ring *ring, enum lbrscope_offcpu_end end,
			u64 ns);
void ls_ring_tell_lost(struct ls_ring *ring);

/* The rare parts of the functions below, which are inline for the NMI. */
void *ls_ring_find(struct ls_ring *ring, u32 size);
void ls_ring_wake_at(struct ls_ring *ring, u64 head);
void ls_ring_skip(void *record, u32 size);
void ls_ring_publish(struct ls_ring *ring);

/* Moves head.  Returns false if an interruption has moved it meanwhile. */
static __always_inline bool ls_ring_move_head(struct ls_ring *ring, u64 from, u64 to)
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
 * Reserves size bytes, a multiple of 8, which are written and then committed.
 * Returns: NULL if there is no room; ls_ring_refusal() tells why.
 */
static __always_inline void *ls_ring_reserve(struct ls_ring *ring, u32 size)
{
	u64 head, next;
	void *record;

	local_inc(&ring->nest);
	head = local_read(&ring->head);
	next = head + size;
	if (unlikely(next > ring->room || size > ring->largest ||
		     !ls_ring_move_head(ring, head, next)))
		return ls_ring_find(ring, size);
	record = ring->data + (head & (ring->size - 1));
	if (!record)		/* so that the caller need not check this */
		__builtin_unreachable();
	return record;
}

/* Ends a reservation: the outermost writer publishes the records. */
static __always_inline void ls_ring_commit(struct ls_ring *ring)
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
		 * An NMI before nest became 0 has left its records to this writer, which
		 * had read head before: repeat.
		 */
		if (likely(head == (u64)local_read(&ring->head)))
			return;
		local_inc(&ring->nest);
	} while (true);
}

/*
 * Reserves most bytes if the common case applies.  The caller writes them, and publishes
 * them by ls_ring_close().
 * Context: NMI, which no other writer interrupts, since the caller calls nothing in between
 * that can be probed.  Only an exception that the kernel repairs can lead to another writer;
 * ls_ring_close() takes its records into account.
 * Returns: NULL if it does not apply; ls_ring_reserve() may still find room.
 */
static __always_inline void *ls_ring_open(struct ls_ring *ring, u32 most, u64 *end)
{
	u64 head = local_read(&ring->head);
	void *record;

	*end = head + most;
	if (unlikely(*end > ring->room))
		return NULL;
	local_inc(&ring->nest);
	local_set(&ring->head, *end);
	record = ring->data + (head & (ring->size - 1));
	if (!record)		/* so that the caller need not check this */
		__builtin_unreachable();
	return record;
}

/*
 * Publishes the first size bytes of a reservation of most bytes up to end, and gives back
 * the others.
 */
static __always_inline void ls_ring_close(struct ls_ring *ring, void *record, u64 end,
					  u32 most, u32 size)
{
	u64 head = end - most + size;

	if (likely((u64)local_read(&ring->head) == end)) {
		local_set(&ring->head, head);
	} else {
		ls_ring_skip(record + size, most - size);
		head = U64_MAX;
	}
	if (unlikely(local_read(&ring->nest) > 1 || head >= ring->wake_at)) {
		ls_ring_publish(ring);
		return;
	}
	smp_store_release(&ring->shared->head, head);		/* B */
	local_set(&ring->nest, 0);
}

/*
 * Writes a LOST record of the losses that were not reported yet, if there is room.  An NMI
 * that interrupts this leaves the report to the interrupted code.
 */
static __always_inline void ls_ring_report_lost(struct ls_ring *ring)
{
	if (unlikely(local_read(&ring->unreported)))
		ls_ring_tell_lost(ring);
}

/* Increments a count in one instruction, which the NMI cannot interrupt in the middle. */
static __always_inline void ls_ring_count(u64 *count)
{
	local_inc((local_t *)count);
}

/*
 * Whether the newest sample belongs to the same task, so that the task need not be stated
 * again.  A ring that overwrites may have dropped that sample: its task stays 0, which is
 * that of the idle task.
 */
static __always_inline bool ls_ring_knows(const struct ls_ring *ring, u64 task)
{
	return ring->task == task;
}

/* Context: NMI, when there is room for the sample that states the task. */
static __always_inline void ls_ring_learn(struct ls_ring *ring, u64 task)
{
	if (!ring->frozen)
		ring->task = task;
}

/* Counts a sample that is in the ring.  Called before its ls_ring_commit(). */
static __always_inline void ls_ring_deliver(struct ls_ring *ring)
{
	struct lbrscope_ring *shared = ring->shared;

	ls_ring_count(&shared->delivered);
	ls_ring_count(&shared->produced);
}

#endif
