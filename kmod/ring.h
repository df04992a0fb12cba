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
	u32 watermark;		/* wake pollers each time this many are new */
	/*
	 * The session's: the ring must not be written now.  NULL: it never
	 * overwrites, and is never frozen.
	 */
	const bool *frozen;
	local_t head;		/* bytes reserved, ever */
	local_t nest;		/* writers between reserve and commit */
	u64 woken;		/* head when pollers were last woken */
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
void *ls_ring_reserve(struct ring *ring, u32 size);
enum lbrscope_lost ls_ring_refusal(const struct ring *ring, u32 size);
void ls_ring_trim(struct ring *ring, void *record, u32 reserved, u32 size);
void ls_ring_commit(struct ring *ring);
void ls_ring_lose(struct ring *ring, enum lbrscope_lost cause);
void ls_ring_end_offcpu(struct ring *ring, enum lbrscope_offcpu_end end,
			u64 ns);
void ls_ring_tell_lost(struct ring *ring);

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

/* A sample fell due and is in the ring: before its ls_ring_commit(). */
static __always_inline void ls_ring_deliver(struct ring *ring)
{
	ls_ring_count(&ring->shared->delivered);
	ls_ring_count(&ring->shared->produced);
}

#endif
