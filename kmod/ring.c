// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of records, one a CPU; <linux/lbrscope_ring.h> is its contract.
 *
 * One reader, in user space, and several producers on the one CPU: the NMI,
 * and the scheduler's hooks, which the NMI interrupts at any instruction.  So
 * space is taken by one local_cmpxchg() on the private head, and made visible
 * by whichever producer is outermost, once no record below its head is still
 * being written:
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
 * A ring that overwrites waits for no reader.  Who reserves makes room himself,
 * by moving oldest past whole records: by the sizes they tell, which nobody but
 * the kernel writes, and never past the published head, behind which there may
 * be a record that is still being written.  Each step is one local_cmpxchg() as
 * well, so that a record is dropped, and counted, by exactly one of those who
 * interrupt one another.
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

#include "charge.h"
#include "compat/mm.h"
#include "ring.h"

static void ring_wake(struct irq_work *work)
{
	struct ring *ring = container_of(work, struct ring, wake);

	wake_up_interruptible(ring->wait);
}

/* As CHARGE_GFP, where the kernel can charge what is mapped. */
#define RING_GFP	((CHARGE_GFP & ~__GFP_ACCOUNT) | \
			 COMPAT_GFP_MAPPED_ACCOUNT | __GFP_ZERO)

/*
 * May sleep.  NULL: no memory.  frozen: NULL for a ring that waits for its
 * reader; for one that overwrites, whether it must not be written now.
 */
struct ring *ls_ring_alloc(int cpu, u32 size, const bool *frozen,
			   wait_queue_head_t *wait)
{
	struct ring *ring = kzalloc(sizeof(*ring), CHARGE_GFP);

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
	/* More than half of it would find none in its middle, even if it is empty. */
	ring->largest = min_t(u32, size / 2, U16_MAX);
	/* Of an overwriting ring nobody reads while it is written. */
	ring->watermark = frozen ? U32_MAX : size / 4;
	ring->wake_at = ring->watermark;
	ring->frozen = frozen;
	ring->wait = wait;
	init_irq_work(&ring->wake, ring_wake);
	return ring;
}

/* Only when nothing writes it any more and no mapping of it is left. */
void ls_ring_free(struct ring *ring)
{
	if (!ring)
		return;
	irq_work_sync(&ring->wake);
	vfree(ring->tail);
	vfree(ring->shared);
	kfree(ring);
}

/* Is there enough to read to be worth waking up for? */
bool ls_ring_readable(const struct ring *ring)
{
	if (ring->frozen)
		return READ_ONCE(*ring->frozen);
	return READ_ONCE(ring->shared->head) - READ_ONCE(ring->tail->tail) >=
	       ring->watermark;
}

/* Wakes pollers, from any context of this CPU. */
void ls_ring_wake(struct ring *ring)
{
	irq_work_queue(&ring->wake);
}
NOKPROBE_SYMBOL(ls_ring_wake);

/* remap_vmalloc_range(), which takes no memory that was charged (no VM_USERMAP). */
static int ring_map(struct vm_area_struct *vma, u8 *memory, unsigned long size)
{
	unsigned long at;
	int err = 0;

	for (at = 0; at < size && !err; at += PAGE_SIZE)
		err = vm_insert_page(vma, vma->vm_start + at, vmalloc_to_page(memory + at));
	return err;
}

/*
 * The records are mapped read-only for good, so that the counts in the first
 * page are the kernel's own; the tail has a page to itself.
 */
int ls_ring_mmap(struct ring *ring, struct vm_area_struct *vma, bool tail)
{
	unsigned long size = tail ? PAGE_SIZE : PAGE_SIZE + ring->size;

	if (vma->vm_end - vma->vm_start != size || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC || (!tail && vma->vm_flags & VM_WRITE))
		return -EPERM;
	compat_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
			    tail ? VM_MAYEXEC : VM_MAYEXEC | VM_MAYWRITE);
	return ring_map(vma, tail ? (u8 *)ring->tail : (u8 *)ring->shared, size);
}

/* The session begins on the ring's CPU. */
void ls_ring_begin(struct ring *ring)
{
	local_inc((local_t *)&ring->shared->begun);
}

static void ring_add_offcpu(struct ring *ring, enum lbrscope_offcpu_end end,
			    long nr, long ns)
{
	struct lbrscope_offcpu_count *count = &ring->shared->offcpu[end];

	local_add(nr, (local_t *)&count->nr);
	local_add(ns, (local_t *)&count->ns);
}

/*
 * What the reader has consumed remains delivered; what he has not is lost.  Of a
 * tail that lies, only the reader's own counts suffer.
 */
static void ring_count_dropped(struct ring *ring, u64 at, u8 type, u64 off)
{
	if (at < smp_load_acquire(&ring->tail->tail))		/* A */
		return;
	if (type == LBRSCOPE_RECORD_SAMPLE || type == LBRSCOPE_RECORD_TRIGGER) {
		ls_ring_count(&ring->shared->lost[LBRSCOPE_LOST_OVERWRITTEN]);
		local_dec((local_t *)&ring->shared->delivered);
	} else if (type == LBRSCOPE_RECORD_OFFCPU) {
		ring_add_offcpu(ring, LBRSCOPE_OFFCPU_OVERWRITTEN, 1, off);
		ring_add_offcpu(ring, LBRSCOPE_OFFCPU_DELIVERED, -1, -off);
	}
}

/*
 * Drops the oldest records until those that remain, and the new ones up to
 * next, fit.  It takes as many steps as there are records in what is written
 * over: a few for a sample.
 */
static noinline bool ring_drop_oldest(struct ring *ring, u64 next)
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
		/* If not, an NMI has dropped it, and may have written over it. */
		if ((u64)local_cmpxchg(oldest, at, at + size) == at)
			ring_count_dropped(ring, at, type, off);
	}
}
NOKPROBE_SYMBOL(ring_drop_oldest);

/* How far records may go, for some that would go from head to next. */
static u64 ring_limit(struct ring *ring, u64 head, u64 next)
{
	u64 tail;

	if (unlikely(ring->frozen))
		return ring_drop_oldest(ring, next) ? next : 0;
	tail = smp_load_acquire(&ring->tail->tail);		/* A */
	return head - tail > ring->size ? 0 : tail + ring->size;
}

/*
 * Whoever comes next need not look before the limit, and the end of the buffer that is
 * behind next.  What an interruption has found meanwhile may be forgotten here: then
 * somebody looks once more.
 */
static void ring_set_room(struct ring *ring, u64 limit, u64 next)
{
	if (ring->frozen)
		return;
	ring->room = min(limit, round_up(next, (u64)ring->size));
	barrier();
	if (local_read(&ring->unreported))
		ring->room = 0;
}

/* Marks that many bytes, if any, as to be skipped. */
void ls_ring_skip(void *record, u32 size)
{
	if (size)
		*(struct lbrscope_record *)record = (struct lbrscope_record){
			.size = size,
			.type = LBRSCOPE_RECORD_PAD,
		};
}
NOKPROBE_SYMBOL(ls_ring_skip);

/* ls_ring_reserve(), whose writer is counted already, wherever the head is. */
void *ls_ring_find(struct ring *ring, u32 size)
{
	u64 head, next, limit;
	u32 offset, pad;

	do {
		head = local_read(&ring->head);
		offset = head & (ring->size - 1);
		pad = offset + size > ring->size ? ring->size - offset : 0;
		next = head + pad + size;
		limit = size > ring->largest ? 0 : ring_limit(ring, head, next);
		if (next > limit) {
			ls_ring_commit(ring);
			return NULL;
		}
	} while (!ring_move_head(ring, head, next));
	ring_set_room(ring, limit, next);

	ls_ring_skip(ring->data + offset, pad);
	return ring->data + (pad ? 0 : offset);
}
NOKPROBE_SYMBOL(ls_ring_find);

/*
 * What a sample is lost by that ls_ring_reserve() refused: it is too large; the
 * reader was too slow, or lies; or the ring is frozen.  One that overwrites is
 * full as well where an interrupted writer holds too much of it.
 */
enum lbrscope_lost ls_ring_refusal(const struct ring *ring, u32 size)
{
	if (size > ring->largest)
		return LBRSCOPE_LOST_TOO_LARGE;
	return ring->frozen && READ_ONCE(*ring->frozen) ?
	       LBRSCOPE_LOST_FROZEN : LBRSCOPE_LOST_RING_FULL;
}
NOKPROBE_SYMBOL(ls_ring_refusal);

/*
 * Gives back what is not needed of the room for reserved bytes, beyond the
 * size of the record: after ls_ring_reserve(), before ls_ring_commit().  Once
 * an interruption has taken the room behind it, it can only be skipped.
 */
void ls_ring_trim(struct ring *ring, void *record, u32 reserved, u32 size)
{
	u64 head = local_read(&ring->head);
	u32 end = (u8 *)record - ring->data + reserved;

	if ((head - end) & (ring->size - 1) ||
	    !ring_move_head(ring, head, head - reserved + size))
		ls_ring_skip(record + size, reserved - size);
}
NOKPROBE_SYMBOL(ls_ring_trim);

/* A watermark's worth of records is new. */
void ls_ring_wake_at(struct ring *ring, u64 head)
{
	ring->wake_at = head + ring->watermark;
	ls_ring_wake(ring);
}
NOKPROBE_SYMBOL(ls_ring_wake_at);

/*
 * So many samples fell due and will not be delivered.  A ring that overwrites has no
 * LOST records, for they would be overwritten as well.
 */
void ls_ring_lose_many(struct ring *ring, enum lbrscope_lost cause, u64 nr)
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

/* A time off the CPU ended so; one that is delivered: before its commit. */
void ls_ring_end_offcpu(struct ring *ring, enum lbrscope_offcpu_end end, u64 ns)
{
	ring_add_offcpu(ring, end, 1, ns);
}

static void ring_write_lost(struct ring *ring)
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
void ls_ring_tell_lost(struct ring *ring)
{
	if (ring->reporting)
		return;
	ring->reporting = true;
	barrier();
	ring_write_lost(ring);
	barrier();
	ring->reporting = false;
}
NOKPROBE_SYMBOL(ls_ring_tell_lost);
