// SPDX-License-Identifier: GPL-2.0
/*
 * Times off the CPU: how long a task was away, where it left, and why.
 *
 * When a task leaves, only the time and its state are stored: most tasks come back soon,
 * and the rest does not change until then.  switch.c has saved its branch records, and its
 * kernel stack does not move.  The stack is walked when the task comes back, if it was
 * away long enough and the rate allows a record.  At that moment the task is not the
 * current one yet and no CPU runs it; the walk begins in __schedule().
 *
 * The user stack is another matter: other threads may change it, and only before the switch is
 * the task's memory loaded.  So with CALLERS it is unwound when the task leaves, if the rate and
 * the budget would allow a record then, and only such a time has a record: under load, some
 * with callers instead of more without.
 *
 * So a time off the CPU without a record costs two readings of the clock.  A session
 * without OFFCPU pays one comparison a switch.
 *
 * Each return on a sampled CPU is counted once: as a record, as too short, or as lost with
 * its cause.  These counts are separate from those of samples.  A time off the CPU is seen
 * if the task left and came back on sampled CPUs while the session ran.  A task that was
 * off the CPU before the start leaves no record.  A task that is off at the end leaves no
 * record either, and is counted.  A task cannot end while it is off the CPU: it comes back
 * first.
 *
 * The state R (ready to run) means: preempted, gave way, or found a signal when it
 * wanted to sleep.  Linux 5.10 does not pass the state to the hook.  The module reads it
 * from the task, and may find that another CPU is already waking the task; the state is
 * '?' then.
 *
 * The waker of a task comes from the tracepoint sched_waking, which is hooked only for
 * this.  If an interrupt wakes the task, the record says so: the task that the interrupt
 * found running has nothing to do with it.
 *
 * Locks: the time and state of a node are written on the CPU that the task leaves and read
 * on the CPU that it comes to; the locks of the run queues order the two.  The waker is
 * written on any CPU, perhaps while the task is still leaving: it is one word, is never
 * reset, and the last writer wins.  A task that blocked is woken exactly once before it
 * comes back, after it blocked and under a lock that the later switch takes, so that the
 * word belongs to that wakeup.  A task that stayed runnable has no waker, and the word is
 * an old one.
 */
#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/ptrace.h>

#include "counters/budget.h"
#include "cpu/cpu.h"
#include "ring/ring.h"
#include "sample/chain.h"
#include "session/session.h"
#include "task/offcpu.h"
#include "task/task.h"
#include "trigger/trigger.h"
#include "unwind/unwind.h"

#define OFFCPU_BY_INTERRUPT	U64_MAX

/* The credit of records that were not written is kept for this time. */
#define OFFCPU_BURST_NS		(NSEC_PER_SEC / 10)

static u64 ls_offcpu_user_ip(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	return task->mm && user_mode(regs) ? regs->ip : 0;
}

/* A second earns a second of credit; a record costs 1/rate seconds. */
static bool ls_offcpu_has_credit(struct ls_cpu_ctx *cpu, u32 rate, u64 now)
{
	struct ls_offcpu_cpu *offcpu = &cpu->offcpu;
	u64 cost = NSEC_PER_SEC / rate;
	u64 earned = now > offcpu->filled ? now - offcpu->filled : 0;

	offcpu->credit = min_t(u64, offcpu->credit + earned,
			       max_t(u64, cost, OFFCPU_BURST_NS));
	offcpu->filled = now;
	return offcpu->credit >= cost;
}

static bool ls_offcpu_allowed(struct ls_cpu_ctx *cpu, u32 rate, u64 now)
{
	if (!ls_offcpu_has_credit(cpu, rate, now))
		return false;
	cpu->offcpu.credit -= NSEC_PER_SEC / rate;
	return true;
}

/*
 * Unwinds the user stack of the leaving task.  In exec() its registers are those of the old
 * program, and its memory may be the new one's, which the user may have no right to read.
 */
static void ls_offcpu_walk(struct ls_cpu_ctx *cpu, struct ls_task_node *node, u64 now)
{
	const struct ls_offcpu_config *config = &cpu->session->config.offcpu;
	const struct ls_unwind_ranges *ranges = rcu_dereference_sched(node->ranges);

	node->offcpu.kept = ls_budget_affords(&cpu->budget) &&
			    ls_offcpu_has_credit(cpu, config->rate, now);
	node->offcpu.walked = ranges && (node->offcpu.kept || config->freezes) &&
			      !current->in_execve && ls_offcpu_user_ip(current);
	if (node->offcpu.walked)
		ls_unwind_walk(ranges, task_pt_regs(current), node->stack, node->chain,
			       &cpu->walkers->hook);
}

void ls_offcpu_leave(struct ls_cpu_ctx *cpu, struct ls_task_node *node, u64 now, char state)
{
	if (!node->enabled)
		return;
	node->offcpu.since = now;
	node->offcpu.state = state;
	if (node->chain)
		ls_offcpu_walk(cpu, node, now);
}

void ls_offcpu_forget(struct ls_task_node *node)
{
	node->offcpu.since = 0;
}

void ls_offcpu_waking(const struct ls_session *session, struct ls_task_node *node)
{
	u64 waker = OFFCPU_BY_INTERRUPT;

	/* While the idle task is current, an interrupt has woken the task. */
	if (in_task() && !is_idle_task(current))
		waker = (u64)task_tgid_nr_ns(current, session->pid_ns) << 32 |
			task_pid_nr_ns(current, session->pid_ns);
	WRITE_ONCE(node->offcpu.waker, waker);
}

static void ls_offcpu_set_waker(struct lbrscope_offcpu *record,
				const struct ls_task_node *node)
{
	u64 waker = READ_ONCE(node->offcpu.waker);

	if (waker == OFFCPU_BY_INTERRUPT) {
		record->rec.flags = LBRSCOPE_OFFCPU_BY_INTERRUPT;
		return;
	}
	record->waker_pid = waker >> 32;
	record->waker_tid = (u32)waker;
}

/* Writes the open calls of user mode and the kernel's call chain.  Returns: the end. */
static u64 *ls_offcpu_put(u64 *word, u16 format, struct task_struct *task,
			  const struct ls_task_node *node, u64 user_ip, u32 nr)
{
	const struct ls_lbr_stack *lbr = &node->lbr;
	u32 words = nr * (format & LBRSCOPE_FORMAT_LBR_TO ? 2 : 1);

	if (user_ip)
		*word++ = user_ip;
	memcpy(word, lbr->words, words * sizeof(*word));
	word += words;
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN)
		word = ls_chain_put(word, task, NULL);
	if (format & LBRSCOPE_FORMAT_USER_DEPTH)
		*word++ = node->stack - task_pt_regs(task)->sp;
	if (format & LBRSCOPE_FORMAT_USER_CHAIN)
		word = ls_unwind_chain_put(word, node->chain);
	return word;
}

static u16 ls_offcpu_format(const struct ls_session *session, const struct ls_task_node *node,
			    u64 user_ip)
{
	const struct ls_lbr_mode *mode = &session->config.branches;

	return (session->cred ? 0 : LBRSCOPE_FORMAT_KERNEL_CHAIN) |
	       (user_ip ? LBRSCOPE_FORMAT_USER_IP |
			  (session->config.sample.format &
			   LBRSCOPE_FORMAT_USER_DEPTH) |
			  (node->offcpu.walked ? LBRSCOPE_FORMAT_USER_CHAIN : 0) : 0) |
	       (mode->call_stack ? LBRSCOPE_FORMAT_LBR_FROM : 0) |
	       (mode->targets ? LBRSCOPE_FORMAT_LBR_TO : 0);
}

static void ls_offcpu_refused(struct ls_ring *ring, u32 room, u64 off)
{
	ls_ring_end_offcpu(ring, ls_ring_refusal(ring, room) ==
			   LBRSCOPE_LOST_FROZEN ? LBRSCOPE_OFFCPU_FROZEN :
			   LBRSCOPE_OFFCPU_RING_FULL, off);
}

/* Writes a record if there is room, and counts the time in any case. */
static void ls_offcpu_record(struct ls_cpu_ctx *cpu, struct ls_task_node *node,
			     struct task_struct *task, u64 now, u64 off)
{
	const struct ls_session *session = cpu->session;
	u64 user_ip = ls_offcpu_user_ip(task);
	u16 format = ls_offcpu_format(session, node, user_ip);
	struct lbrscope_offcpu *record;
	u32 room, nr;
	void *end;

	ls_lbr_unpack(&node->lbr, session->config.branches.targets);
	/* The filter leaves the kernel's branches out; a user's record does not rely on it. */
	if (unlikely(session->cred))
		ls_lbr_hide_kernel(&node->lbr, &session->config.branches);
	nr = min(node->lbr.nr, session->config.branches.depth);
	room = sizeof(*record) + (2 * !!user_ip + 2 * nr + 1 +
				  LBRSCOPE_KERNEL_CHAIN_MAX) * sizeof(u64);
	if (format & LBRSCOPE_FORMAT_USER_CHAIN)
		room += ls_unwind_chain_words(node->chain) * sizeof(u64);
	record = ls_ring_reserve(cpu->ring, room);
	if (!record) {
		ls_offcpu_refused(cpu->ring, room, off);
		return;
	}
	end = ls_offcpu_put((u64 *)(record + 1), format, task, node, user_ip, nr);
	*record = (struct lbrscope_offcpu){
		.rec = {
			.size = end - (void *)record,
			.type = LBRSCOPE_RECORD_OFFCPU,
			.format = format,
			.nr = nr,
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

static bool ls_offcpu_keeps(struct ls_cpu_ctx *cpu, const struct ls_task_node *node, u64 now)
{
	const struct ls_offcpu_config *config = &cpu->session->config.offcpu;

	return (!config->callers || node->offcpu.kept) && ls_offcpu_allowed(cpu, config->rate, now);
}

void ls_offcpu_return(struct ls_cpu_ctx *cpu, struct ls_task_node *node,
		      struct task_struct *task, u64 now, bool affords)
{
	const struct ls_offcpu_config *config = &cpu->session->config.offcpu;
	u64 since = node->offcpu.since;
	/* The clock may step back a little when it is adjusted. */
	u64 off = now > since ? now - since : 0;
	bool freezes;

	if (!since)
		return;
	node->offcpu.since = 0;
	freezes = config->freezes && off >= config->freezes;
	if (off < config->min && !freezes)
		ls_ring_end_offcpu(cpu->ring, LBRSCOPE_OFFCPU_SHORT, off);
	else if (!freezes && !(affords && ls_offcpu_keeps(cpu, node, now)))
		ls_ring_end_offcpu(cpu->ring, LBRSCOPE_OFFCPU_THROTTLED, off);
	else
		ls_offcpu_record(cpu, node, task, now, off);
	if (unlikely(freezes))
		ls_trigger_freeze(cpu);
}
