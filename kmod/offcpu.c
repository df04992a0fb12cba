// SPDX-License-Identifier: GPL-2.0
/*
 * How long a task was off the CPU, where it had left it, and why.
 *
 * When it leaves, only the time and its state are noted: most tasks come back
 * soon, and what else there is to say does not change until they do.  Its open
 * calls have been saved by hooks.c, and its kernel stack stands still.  So it is
 * when a task comes back, and only if it was away for long enough and the rate
 * allows a record, that its stack is walked.  It is not the current task yet,
 * no CPU runs it, and the walk begins in __schedule(), where it was switched
 * away from.
 *
 * A node's leaving is written on the CPU that is left and read on the one that
 * it comes to; the run queues' locks order the two, as they do with all that a
 * task takes along.  The waker is another matter: it is written on whichever
 * CPU wakes the task, perhaps while the task is still on its way off, so it is
 * one word, never reset, and the last writer wins.  A task that has blocked is
 * woken exactly once before it comes back, after it blocked and under a lock
 * that the switch takes later; so what is found then is of that waking.  One that
 * was still able to run needs nobody to wake it, and the word is an old one.
 */
#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/ptrace.h>

#include "chain.h"
#include "cpu.h"
#include "offcpu.h"
#include "ring.h"
#include "session.h"
#include "task.h"
#include "trigger.h"

#define OFFCPU_BY_INTERRUPT	U64_MAX

/* Records that were not written may be made up for in so long a time. */
#define OFFCPU_BURST_NS		(NSEC_PER_SEC / 10)

void ls_offcpu_leave(struct task_node *node, u64 now, char state)
{
	if (!node->enabled)
		return;
	node->offcpu.since = now;
	node->offcpu.state = state;
}

void ls_offcpu_forget(struct task_node *node)
{
	node->offcpu.since = 0;
}

void ls_offcpu_waking(const struct session *session, struct task_node *node)
{
	u64 waker = OFFCPU_BY_INTERRUPT;

	/* The idle task does the work of interrupts that found it. */
	if (in_task() && !is_idle_task(current))
		waker = (u64)task_tgid_nr_ns(current, session->pid_ns) << 32 |
			task_pid_nr_ns(current, session->pid_ns);
	WRITE_ONCE(node->offcpu.waker, waker);
}

/* A second earns a second's credit, and a record costs its share of one. */
static bool ls_offcpu_allowed(struct cpu_ctx *cpu, u32 rate, u64 now)
{
	struct offcpu_cpu *offcpu = &cpu->offcpu;
	u64 cost = NSEC_PER_SEC / rate;
	u64 earned = now > offcpu->filled ? now - offcpu->filled : 0;

	offcpu->credit = min_t(u64, offcpu->credit + earned,
			       max_t(u64, cost, OFFCPU_BURST_NS));
	offcpu->filled = now;
	if (offcpu->credit < cost)
		return false;
	offcpu->credit -= cost;
	return true;
}

static u64 ls_offcpu_user_ip(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	return task->mm && user_mode(regs) ? regs->ip : 0;
}

static void ls_offcpu_set_waker(struct lbrscope_offcpu *record,
				const struct task_node *node)
{
	u64 waker = READ_ONCE(node->offcpu.waker);

	if (waker == OFFCPU_BY_INTERRUPT) {
		record->rec.flags = LBRSCOPE_OFFCPU_BY_INTERRUPT;
		return;
	}
	record->waker_pid = waker >> 32;
	record->waker_tid = (u32)waker;
}

/* What user mode and the kernel left behind; returns the end. */
static u64 *ls_offcpu_put(u64 *word, u16 format, struct task_struct *task,
			  const struct task_node *node, u64 user_ip)
{
	const struct lbr_stack *lbr = &node->lbr;
	u32 words = lbr->nr * (format & LBRSCOPE_FORMAT_LBR_TO ? 2 : 1);

	if (user_ip)
		*word++ = user_ip;
	memcpy(word, lbr->words, words * sizeof(*word));
	word += words;
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word = ls_chain_put(word, task, NULL);
	if (format & LBRSCOPE_FORMAT_USER_DEPTH)
		*word++ = node->stack - task_pt_regs(task)->sp;
	return word;
}

static u16 ls_offcpu_format(const struct session *session, u64 user_ip)
{
	const struct lbr_mode *mode = &session->config.branches;

	return (session->cred ? 0 : LBRSCOPE_FORMAT_KERNEL_CHAIN) |
	       (user_ip ? LBRSCOPE_FORMAT_USER_IP |
			  (session->config.sample.format &
			   LBRSCOPE_FORMAT_USER_DEPTH) : 0) |
	       (mode->call_stack ? LBRSCOPE_FORMAT_LBR_FROM : 0) |
	       (mode->targets ? LBRSCOPE_FORMAT_LBR_TO : 0);
}

static void ls_offcpu_refused(struct ring *ring, u32 room, u64 off)
{
	ls_ring_end_offcpu(ring, ls_ring_refusal(ring, room) ==
			   LBRSCOPE_LOST_FROZEN ? LBRSCOPE_OFFCPU_FROZEN :
			   LBRSCOPE_OFFCPU_RING_FULL, off);
}

/* Writes a record, if there is room, and counts it in any case. */
static void ls_offcpu_record(struct cpu_ctx *cpu, const struct task_node *node,
			     struct task_struct *task, u64 now, u64 off)
{
	const struct session *session = cpu->session;
	const struct lbr_stack *lbr = &node->lbr;
	u64 user_ip = ls_offcpu_user_ip(task);
	u16 format = ls_offcpu_format(session, user_ip);
	struct lbrscope_offcpu *record;
	u32 room = sizeof(*record) + (2 * !!user_ip + 2 * lbr->nr + 1 +
				      LBRSCOPE_KERNEL_CHAIN_MAX) * sizeof(u64);
	void *end;

	record = ls_ring_reserve(cpu->ring, room);
	if (!record) {
		ls_offcpu_refused(cpu->ring, room, off);
		return;
	}
	end = ls_offcpu_put((u64 *)(record + 1), format, task, node, user_ip);
	*record = (struct lbrscope_offcpu){
		.rec = {
			.size = end - (void *)record,
			.type = LBRSCOPE_RECORD_OFFCPU,
			.format = format,
			.nr = lbr->nr,
		},
		.time = now,
		.off = off,
		.pid = task_tgid_nr_ns(task, session->pid_ns),
		.tid = task_pid_nr_ns(task, session->pid_ns),
		.state = node->offcpu.state,
	};
	if (session->config.offcpu.waker && record->state != 'R')
		ls_offcpu_set_waker(record, node);
	ls_ring_trim(cpu->ring, record, room, record->rec.size);
	ls_ring_end_offcpu(cpu->ring, LBRSCOPE_OFFCPU_DELIVERED, off);
	ls_ring_commit(cpu->ring);
}

void ls_offcpu_return(struct cpu_ctx *cpu, struct task_node *node,
		      struct task_struct *task, u64 now, bool affords)
{
	const struct offcpu_config *config = &cpu->session->config.offcpu;
	u64 since = node->offcpu.since;
	/* That clock may step back a little when it is adjusted. */
	u64 off = now > since ? now - since : 0;
	bool freezes;

	if (!since)
		return;
	node->offcpu.since = 0;
	freezes = config->freezes && off >= config->freezes;
	if (off < config->min && !freezes)
		ls_ring_end_offcpu(cpu->ring, LBRSCOPE_OFFCPU_SHORT, off);
	else if (!freezes &&
		 !(affords && ls_offcpu_allowed(cpu, config->rate, now)))
		ls_ring_end_offcpu(cpu->ring, LBRSCOPE_OFFCPU_THROTTLED, off);
	else
		ls_offcpu_record(cpu, node, task, now, off);
	if (unlikely(freezes))
		ls_trigger_freeze(cpu);
}
