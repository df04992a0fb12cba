// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of records of a CPU; <linux/lbrscope_ring.h> is its contract.
 *
 * There is one reader, in user space, and there are several producers on the CPU: the NMI,
 * and the scheduler's hooks, which the NMI interrupts at any instruction.  Space is
 * reserved by one local_cmpxchg() on the private head; for a plain sample of the NMI, which
 * no producer interrupts, by a store (ls_ring_open()).  The outermost producer publishes it,
 * when no record below its head is being written any more:
 *
 *	scheduler	NMI
 *	reserve [0,48)
 *			reserve [48,168), write, commit: nest is 2, leave it
 *	write
 *	commit: nest is 1, publish 168
 *
 * Ordering, against the reader: the acquire of tail (A) keeps our stores into
 * the freed space after the reader's loads from it; the release of head (B)
 * keeps it after the stores of the records and of the counts.
 *
 * A ring that overwrites does not wait for a reader.  A producer makes room by moving
 * oldest past whole records, by their sizes, which only the kernel writes, and never past
 * the published head, behind which a record may still be written.  Each step is one
 * local_cmpxchg(), so that exactly one of the producers that interrupt each other drops
 * and counts a record.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat/mm.h"
#include "ring/ring.h"
#include "session/charge.h"

static void ls_ring_wake_work(struct irq_work *work)
{
	struct ls_ring *ring = container_of(work, struct ls_ring, wake);

	wake_up_interruptible(ring->wait);
}

/* As CHARGE_GFP, where the kernel can charge what is mapped. */
#define RING_GFP	((CHARGE_GFP & ~__GFP_ACCOUNT) | \
			 COMPAT_GFP_MAPPED_ACCOUNT | __GFP_ZERO)

/*
 * frozen: NULL for a ring that waits for its reader; for a ring that overwrites, the
 * session's flag that it must not be written.
 * Context: process, may sleep.
 * Returns: NULL without memory.
 */
struct ls_ring *ls_ring_alloc(int cpu, u32 size, const bool *frozen,
			      wait_queue_head_t *wait)
{
	struct ls_ring *ring = kzalloc(sizeof(*ring), CHARGE_GFP);

	if (!ring)
		return NULL;
	ring->shared = __vmalloc(PAGE_SIZE + size, RING_GFP);
	ring->tail = __vmalloc(PAGE_SIZE, RING_GFP);
	if (!ring->shared || !ring->tail) {
		vfree(ring->tail);
		vfree(ring->shared);
		kfree(ring);
		return NULL;
	}
	ring->shared->magic = LBRSCOPE_RING_MAGIC;
	ring->shared->version = LBRSCOPE_RING_VERSION;
	ring->shared->cpu = cpu;
	ring->shared->data_offset = PAGE_SIZE;
	ring->shared->data_size = size;
	ring->data = (u8 *)ring->shared + PAGE_SIZE;
	ring->size = size;
	/* A larger record would not fit from the middle of an empty ring. */
	ring->largest = min_t(u32, size / 2, U16_MAX);
	/* A ring that overwrites is not read while it is written. */
	ring->watermark = frozen ? U32_MAX : size / 4;
	ring->wake_at = ring->watermark;
	ring->frozen = frozen;
	ring->wait = wait;
	init_irq_work(&ring->wake, ls_ring_wake_work);
	return ring;
}

/* Context: process; nothing writes the ring any more and no mapping of it is left. */
void ls_ring_free(struct ls_ring *ring)
{
	if (!ring)
		return;
	irq_work_sync(&ring->wake);
	vfree(ring->tail);
	vfree(ring->shared);
	kfree(ring);
}

/* Whether there is enough to read to wake a poller. */
bool ls_ring_readable(const struct ls_ring *ring)
{
	if (ring->frozen)
		return READ_ONCE(*ring->frozen);
	return READ_ONCE(ring->shared->head) - READ_ONCE(ring->tail->tail) >=
	       ring->watermark;
}

/*
 * Whether the reader is so far behind that what is left of the ring is for the samples that
 * matter most.  A ring that overwrites has no reader to wait for.  A wrong tail spoils only
 * the reader's own samples.
 */
bool ls_ring_crowded(const struct ls_ring *ring)
{
	return !ring->frozen &&
	       (u64)local_read(&ring->head) - READ_ONCE(ring->tail->tail) > ring->size / 2;
}
NOKPROBE_SYMBOL(ls_ring_crowded);

/* Wakes pollers.  Context: any, on this CPU. */
void ls_ring_wake(struct ls_ring *ring)
{
	irq_work_queue(&ring->wake);
}
NOKPROBE_SYMBOL(ls_ring_wake);

/* remap_vmalloc_range(), which takes no memory that was charged (no VM_USERMAP). */
static int ls_ring_map(struct vm_area_struct *vma, u8 *memory, unsigned long size)
{
	unsigned long at;
	int err = 0;

	for (at = 0; at < size && !err; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at, vmalloc_to_page(memory + at));
	return err;
}

/*
 * Maps the records, which can never become writable, so that the counts in the first page
 * stay the kernel's; or the tail, which has a page of its own.
 */
int ls_ring_mmap(struct ls_ring *ring, struct vm_area_struct *vma, bool tail)
{
	unsigned long size = tail ? PAGE_SIZE : PAGE_SIZE + ring->size;

	if (vma->vm_end - vma->vm_start != size || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC || (!tail && vma->vm_flags & VM_WRITE))
		return -EPERM;
	compat_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
			    tail ? VM_MAYEXEC : VM_MAYEXEC | VM_MAYWRITE);
	return ls_ring_map(vma, tail ? (u8 *)ring->tail : (u8 *)ring->shared, size);
}

/* Context: on the ring's CPU, when the session begins there. */
void ls_ring_begin(struct ls_ring *ring)
{
	local_inc((local_t *)&ring->shared->begun);
}

static void ls_ring_add_offcpu(struct ls_ring *ring, enum lbrscope_offcpu_end end,
			       long nr, long ns)
{
	struct lbrscope_offcpu_count *count = &ring->shared->offcpu[end];

	local_add(nr, (local_t *)&count->nr);
	local_add(ns, (local_t *)&count->ns);
}

/*
 * Counts a dropped record: it stays delivered if the reader has consumed it, else it is
 * lost.  A wrong tail spoils only the reader's own counts.
 */
static void ls_ring_count_dropped(struct ls_ring *ring, u64 at, u8 type, u64 off)
{
	if (at < smp_load_acquire(&ring->tail->tail))		/* A */
		return;
	if (type == LBRSCOPE_RECORD_SAMPLE || type == LBRSCOPE_RECORD_TRIGGER) {
		ls_ring_count(&ring->shared->lost[LBRSCOPE_LOST_OVERWRITTEN]);
		local_dec((local_t *)&ring->shared->delivered);
	} else if (type == LBRSCOPE_RECORD_OFFCPU) {
		ls_ring_add_offcpu(ring, LBRSCOPE_OFFCPU_OVERWRITTEN, 1, off);
		ls_ring_add_offcpu(ring, LBRSCOPE_OFFCPU_DELIVERED, -1, -off);
	}
}

/*
 * Drops the oldest records until the others, and new ones up to next, fit: a step for each
 * record that is overwritten, a few for a sample.
 */
static noinline bool ls_ring_drop_oldest(struct ls_ring *ring, u64 next)
{
	local_t *oldest = (local_t *)&ring->shared->oldest;
	const struct lbrscope_offcpu *offcpu;
	const struct lbrscope_record *rec;
	u64 at, size, off;
	u8 type;

	if (READ_ONCE(*ring->frozen))
		return false;
	for (;;) {
		at = local_read(oldest);
		if (next - at <= ring->size)
			return true;
		if (at == READ_ONCE(ring->shared->head))
			return false;
		rec = (void *)(ring->data + (at & (ring->size - 1)));
		size = READ_ONCE(rec->size);
		type = READ_ONCE(rec->type);
		offcpu = container_of(rec, struct lbrscope_offcpu, rec);
		off = type == LBRSCOPE_RECORD_OFFCPU ? READ_ONCE(offcpu->off) :
						       0;
		/* Otherwise an NMI has dropped it and may have overwritten it. */
		if ((u64)local_cmpxchg(oldest, at, at + size) == at)
			ls_ring_count_dropped(ring, at, type, off);
	}
}
NOKPROBE_SYMBOL(ls_ring_drop_oldest);

/* Returns: the limit of head, for records that would go from head to next. */
static u64 ls_ring_limit(struct ls_ring *ring, u64 head, u64 next)
{
	u64 tail;

	if (unlikely(ring->frozen))
		return ls_ring_drop_oldest(ring, next) ? next : 0;
	tail = smp_load_acquire(&ring->tail->tail);		/* A */
	return head - tail > ring->size ? 0 : tail + ring->size;
}

/*
 * Sets room to the limit, or the end of the buffer behind next.  This may overwrite the
 * value that an interrupting NMI has stored: the tail is read once more then.
 */
static void ls_ring_set_room(struct ls_ring *ring, u64 limit, u64 next)
{
	if (ring->frozen)
		return;
	ring->room = min(limit, round_up(next, (u64)ring->size));
	barrier();
	if (local_read(&ring->unreported))
		ring->room = 0;
}

/* Makes size bytes, if any, a record that the reader skips. */
void ls_ring_skip(void *record, u32 size)
{
	if (size)
		*(struct lbrscope_record *)record = (struct lbrscope_record){
			.size = size,
			.type = LBRSCOPE_RECORD_PAD,
		};
}
NOKPROBE_SYMBOL(ls_ring_skip);

/* The general case of ls_ring_reserve(), which has counted the writer. */
void *ls_ring_find(struct ls_ring *ring, u32 size)
{
	u64 head, next, limit;
	u32 offset, pad;

	do {
		head = local_read(&ring->head);
		offset = head & (ring->size - 1);
		pad = offset + size > ring->size ? ring->size - offset : 0;
		next = head + pad + size;
		limit = size > ring->largest ? 0 : ls_ring_limit(ring, head, next);
		if (next > limit) {
			ls_ring_commit(ring);
			return NULL;
		}
	} while (!ls_ring_move_head(ring, head, next));
	ls_ring_set_room(ring, limit, next);

	ls_ring_skip(ring->data + offset, pad);
	return ring->data + (pad ? 0 : offset);
}
NOKPROBE_SYMBOL(ls_ring_find);

/* ls_ring_commit() for the rare case of ls_ring_close(). */
void ls_ring_publish(struct ls_ring *ring)
{
	ls_ring_commit(ring);
}
NOKPROBE_SYMBOL(ls_ring_publish);

/*
 * Returns: why ls_ring_reserve() refused: the record is too large, the ring is frozen, or
 * it is full, because the reader is slow or its tail is wrong.  A ring that overwrites is
 * full if an interrupted writer holds too much of it.
 */
enum lbrscope_lost ls_ring_refusal(const struct ls_ring *ring, u32 size)
{
	if (size > ring->largest)
		return LBRSCOPE_LOST_TOO_LARGE;
	return ring->frozen && READ_ONCE(*ring->frozen) ?
	       LBRSCOPE_LOST_FROZEN : LBRSCOPE_LOST_RING_FULL;
}
NOKPROBE_SYMBOL(ls_ring_refusal);

/*
 * Shrinks a reservation to its first size bytes, between ls_ring_reserve() and
 * ls_ring_commit().  If an interrupting writer has reserved behind it, a record that the
 * reader skips fills the rest.
 */
void ls_ring_trim(struct ls_ring *ring, void *record, u32 reserved, u32 size)
{
	u64 head = local_read(&ring->head);
	u32 end = (u8 *)record - ring->data + reserved;

	if ((head - end) & (ring->size - 1) ||
	    !ls_ring_move_head(ring, head, head - reserved + size))
		ls_ring_skip(record + size, reserved - size);
}
NOKPROBE_SYMBOL(ls_ring_trim);

/* Wakes pollers: as many bytes as the watermark are new. */
void ls_ring_wake_at(struct ls_ring *ring, u64 head)
{
	ring->wake_at = head + ring->watermark;
	ls_ring_wake(ring);
}
NOKPROBE_SYMBOL(ls_ring_wake_at);

/*
 * Notes nr samples that fell due and will not be delivered.  A ring that overwrites has no
 * LOST records, for they would be overwritten as well.
 */
void ls_ring_lose_many(struct ls_ring *ring, enum lbrscope_lost cause, u64 nr)
{
	local_add(nr, (local_t *)&ring->shared->lost[cause]);
	local_add(nr, (local_t *)&ring->shared->produced);
	if (ring->frozen)
		return;
	local_add(nr, &ring->unreported);
	barrier();
	ring->room = 0;
}
NOKPROBE_SYMBOL(ls_ring_lose_many);

/* Counts a time off the CPU by how it ended; a delivered one before its commit. */
void ls_ring_end_offcpu(struct ls_ring *ring, enum lbrscope_offcpu_end end, u64 ns)
{
	ls_ring_add_offcpu(ring, end, 1, ns);
}

static void ls_ring_write_lost(struct ls_ring *ring)
{
	struct lbrscope_lost_record *rec;
	u32 size = struct_size(rec, lost, LBRSCOPE_LOST_NR);
	long told = 0;
	int i;

	rec = ls_ring_reserve(ring, size);
	if (!rec)
		return;
	rec->rec = (struct lbrscope_record){ .size = size,
		.type = LBRSCOPE_RECORD_LOST, .nr = LBRSCOPE_LOST_NR };
	rec->time = ktime_get_mono_fast_ns();
	for (i = 0; i < LBRSCOPE_LOST_NR; i++) {
		u64 lost = READ_ONCE(ring->shared->lost[i]);

		rec->lost[i] = lost - ring->reported[i];
		ring->reported[i] = lost;
		told += rec->lost[i];
	}
	local_sub(told, &ring->unreported);
	ls_ring_commit(ring);
}

/* See ls_ring_report_lost(). */
void ls_ring_tell_lost(struct ls_ring *ring)
{
	if (ring->reporting)
		return;
	ring->reporting = true;
	barrier();
	ls_ring_write_lost(ring);
	barrier();
	ring->reporting = false;
}
NOKPROBE_SYMBOL(ls_ring_tell_lost);
