// SPDX-License-Identifier: GPL-2.0
/*
 * The context switch: the counters and the branch records pass from task to task.
 *
 * The branch records are saved when a task leaves a CPU and restored when it comes to one,
 * so that its call stack survives and no other task's sample shows it.  Kernel threads and
 * the idle task have no user code and leave the registers alone; if the same task follows
 * them, the registers still hold its state, unless a deep C-state has cleared them.  A
 * stamp, unique to each save and kept by both the
 * task and the CPU, tells that.  A pointer to the task would not: the task may have run
 * elsewhere meanwhile, or have ended and left its address to another one.
 *
 * In call-stack mode the registers follow the calls and returns of user code, so their
 * content belongs to the task.  At each switch the valid entries are read into the task's
 * node.  Those of the next task are written, and all others cleared: a task that returns
 * from its oldest frame reaches them.  Where there is XSAVES, the node keeps all registers
 * as XSAVES wrote them (an image), and XRSTORS puts them back.  Which of them are open
 * calls is worked out only for the record of a time off the CPU, since most tasks come
 * back without one.
 *
 * - With BRANCH_CALLERS only FROM is read, written and recorded.  TO keeps the value of
 *   some task, and is not delivered.
 * - With BRANCH_RESET nothing is saved: the registers are cleared for each task, and a
 *   stack begins anew with each switch.
 * - A new thread begins with no entries.  A child on a copy of its parent's stack (fork),
 *   or on the stack itself (vfork), begins with its parent's entries.  The user stack
 *   pointer tells the two cases apart.
 * - exec clears the entries.
 * - A task without a node (no memory at fork) is counted (UNTRACKED).  Its samples have no
 *   branches.
 * - A task that runs on a CPU that is not sampled loses its entries, since its calls and
 *   returns are not seen there.  The same holds for a CPU whose PMU another program has
 *   taken.
 * - The NMI reads the registers only if they belong to the current task.  The idle task
 *   and kernel threads run with the registers of the task before them.  Between the
 *   scheduler's hook and the switch itself, the current task is still the old one, and the
 *   registers are the next one's.  In a session with targets the counts are the next one's
 *   as well, and so is a sample taken there.
 * - A signal handler is not called, but it returns.  Its return removes an entry that is
 *   not its own: the youngest call of the interrupted code.  So the module adds an entry
 *   when a signal is delivered to a handler, from the interrupted address to the handler
 *   (ls_hooks_signal()).  This costs one RDMSR and three WRMSR; with the architectural
 *   records, as many as there are entries.  On the way out of the kernel the registers do
 *   not change, since ring 0 is not recorded.
 *
 * A sample of a call stack can state the depth of the user stack
 * (LBRSCOPE_FORMAT_USER_DEPTH): the stack pointer that the task began with, less the
 * current one.  The first is kept in the task's node.  It is taken from the task's
 * registers at exec and clone(), and from mm->start_stack for processes that existed
 * before the session.  A stack that reaches the entry of its thread has been followed from
 * there.  A stack that was entered before sampling began never reaches it.
 *
 * In a history the registers are cleared for each task, except for one that comes back
 * after kernel threads only.  With kernel branches they are cleared at every switch; the
 * next task's history then contains the few branches of the scheduler between the hook and
 * the switch.
 */
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "compat/sched.h"
#include "counters/budget.h"
#include "counters/counters.h"
#include "cpu/cpu.h"
#include "ring/ring.h"
#include "session/session.h"
#include "task/hooks.h"
#include "task/offcpu.h"
#include "task/rights.h"
#include "task/switch.h"
#include "task/task.h"

/*
 * Loads the branch records of a task: its open calls, or none, with which a history
 * begins.  Meanwhile cpu->lbr_task is NULL, so that the NMI does not read them.
 */
static void ls_switch_restore_lbr(struct ls_cpu_ctx *cpu, const struct ls_task_node *node)
{
	const struct ls_lbr_mode *mode = &cpu->session->config.branches;
	bool held = node->stamp && node->stamp == cpu->stamp;

	/* A task that was not followed may have switched the records off. */
	if (!cpu->stamp && unlikely(ls_lbr_stopped()))
		ls_lbr_reassert();
	cpu->stamp = 0;
	if (mode->history || mode->reset) {
		if (!held)
			ls_lbr_clear();
	} else if (!held || !ls_lbr_holds(&node->lbr)) {
		ls_lbr_restore(&node->lbr, mode->targets);
	}
}

/*
 * From here on the registers mix calls of several tasks: forget this task's saved copy, it
 * no longer matches.
 */
static void ls_switch_unfollow(struct ls_cpu_ctx *cpu, struct ls_task_node *node)
{
	cpu->stamp = 0;
	node->lbr.nr = 0;
	node->stamp = 0;
}

/*
 * Saves the open calls, for the return of the task and for its off-CPU record.
 * Returns: false if somebody else has switched the recording off meanwhile.
 */
static bool ls_switch_save_calls(struct ls_task_node *node, const struct ls_session_config *config)
{
	if (config->branches.call_stack &&
	    (!config->branches.reset || config->offcpu.wanted))
		return ls_lbr_save(&node->lbr, ls_caps.lbr_depth, config->branches.targets);
	if (likely(!ls_lbr_stopped()))
		return true;
	ls_lbr_reassert();
	return false;
}

static void ls_switch_save_lbr(struct ls_cpu_ctx *cpu, struct ls_task_node *node)
{
	if (unlikely(!ls_switch_save_calls(node, &cpu->session->config))) {
		ls_switch_unfollow(cpu, node);
		return;
	}
	cpu->stamp = ++cpu->stamps * nr_cpu_ids + smp_processor_id();
	node->stamp = cpu->stamp;
}

void ls_switch_set_cur(struct ls_cpu_ctx *cpu, struct ls_task_node *node)
{
	cpu->cur = node;
	cpu->stack = node ? node->stack : 0;
}

/* If the counters do not belong to tasks, they continue if the next task is admitted. */
static void ls_switch_out(struct ls_cpu_ctx *cpu, bool next_admitted)
{
	const struct ls_session *session = cpu->session;
	struct ls_task_node *node = cpu->cur;
	bool followed = cpu->lbr_task;

	cpu->lbr_task = NULL;
	ls_switch_set_cur(cpu, NULL);
	barrier();
	if (cpu->running &&
	    (ls_target_by_task(&session->target) || !next_admitted))
		ls_counters_halt(cpu);
	if (node && followed && ls_lbr_wanted(&session->config.branches))
		ls_switch_save_lbr(cpu, node);
}

/*
 * Lets the branch records follow the next task.  It costs nothing if the registers still
 * hold its branches.
 * Returns: false if the budget does not afford it; the branches then belong to no task.
 */
static bool ls_switch_follow(struct ls_cpu_ctx *cpu, struct ls_task_node *node,
			     const struct task_struct *next, bool affords)
{
	if (ls_lbr_wanted(&cpu->session->config.branches)) {
		if (!affords && !(node->stamp && node->stamp == cpu->stamp)) {
			ls_switch_unfollow(cpu, node);
			return false;
		}
		ls_switch_restore_lbr(cpu, node);
	}
	barrier();
	cpu->lbr_task = next;
	return true;
}

/* Switches to a task without user code. */
static void ls_switch_in_kernel(struct ls_cpu_ctx *cpu,
				const struct task_struct *next, bool affords)
{
	if (!ls_lbr_of_kernel(&cpu->session->config.branches))
		return;
	cpu->stamp = 0;
	if (!affords) {
		ls_budget_leave_out(cpu);
		return;
	}
	ls_lbr_clear();
	barrier();
	cpu->lbr_task = next;
}

bool ls_switch_hides(struct ls_session *session, struct ls_task_node *node,
		     const struct task_struct *task)
{
	if (likely(!session->cred) || node->hidden)
		return node->hidden;
	if (ls_rights_over(session->cred, task))
		return false;
	node->hidden = true;
	atomic64_inc(&session->tasks.hidden);
	return true;
}

/*
 * ls_switch_hides() for a task that comes to the CPU and may be in the middle of exec.
 * During exec (since 7.2) the task can lack dumpable for a moment, before ls_hooks_exec()
 * decides at its end.  Until then it is not measured, and runs no user code.
 */
static bool ls_switch_hides_next(struct ls_session *session, struct ls_task_node *node,
				 const struct task_struct *next)
{
	if (session->cred && next->in_execve)
		return node->hidden || !ls_rights_over(session->cred, next);
	return ls_switch_hides(session, node, next);
}

/*
 * A task comes to a CPU that is not sampled, or is not in the measured cgroup: its calls
 * and returns are not recorded, so that its saved calls become wrong.
 */
static void ls_switch_forget(struct ls_task_node *node)
{
	if (!node)
		return;
	node->lbr.nr = 0;
	node->stamp = 0;
	ls_offcpu_forget(node);
}

static bool ls_switch_has_user_code(const struct task_struct *task)
{
	return !(task->flags & PF_KTHREAD || is_idle_task(task));
}

/* Switches to a task with user code; node: its state, or NULL. */
static void ls_switch_in_user(struct ls_cpu_ctx *cpu, struct task_struct *next,
			      struct ls_task_node *node, bool admitted,
			      bool affords, u64 now)
{
	struct ls_session *session = cpu->session;

	if (!node || !admitted || ls_switch_hides_next(session, node, next)) {
		/* The branches of this task replace those in the registers. */
		cpu->stamp = 0;
		ls_switch_forget(node);
		return;
	}
	ls_offcpu_return(cpu, node, next, now, affords);
	if (!ls_switch_follow(cpu, node, next, affords) ||
	    (!affords && session->config.offcpu.wanted))
		ls_budget_leave_out(cpu);
	ls_switch_set_cur(cpu, node);
	if (ls_target_by_task(&session->target) && node->enabled)
		ls_counters_run(cpu, &node->counts);
}

static void ls_switch_in(struct ls_cpu_ctx *cpu, struct task_struct *next,
			 struct ls_task_node *node, bool admitted, u64 now)
{
	bool affords = ls_budget_affords(&cpu->budget);

	if (ls_switch_has_user_code(next))
		ls_switch_in_user(cpu, next, node, admitted, affords, now);
	else
		ls_switch_in_kernel(cpu, next, affords);
	if (cpu->session->target.cgroup && admitted && !cpu->running)
		ls_counters_run(cpu, &cpu->totals->all);
}

/*
 * Returns the state of a leaving task as a letter of /proc/PID/stat.  A task that was
 * preempted on its way to sleep, or has a pending signal, is runnable.  '?': the task is
 * being woken and its state is gone.
 */
static char ls_switch_state(const struct task_struct *prev, bool preempt,
			    unsigned int state)
{
	char letter;

	if (preempt || compat_task_state(prev) == TASK_RUNNING)
		return 'R';
	letter = compat_state_char(state);
	return letter == 'R' ? '?' : letter;
}

/*
 * Whether both tasks of the switch are not measured: nothing is to be done then, unless the
 * session records kernel branches or has a target cgroup.
 */
static bool ls_switch_passes_by(const struct ls_cpu_ctx *cpu, const struct ls_task_node *node)
{
	const struct ls_session *session = cpu->session;

	return !node && !cpu->cur && !session->target.cgroup &&
	       !ls_lbr_of_kernel(&session->config.branches);
}

static noinline void ls_switch_sampled(struct ls_cpu_ctx *cpu, bool preempt,
				       struct task_struct *prev, unsigned int state,
				       struct task_struct *next,
				       struct ls_task_node *node)
{
	struct ls_session *session = cpu->session;
	u64 begin = rdtsc();
	u64 now = session->config.offcpu.wanted ? ktime_get_mono_fast_ns() : 0;
	bool admitted;

	if (now && cpu->cur)
		ls_offcpu_leave(cpu, cpu->cur, now,
				ls_switch_state(prev, preempt, state));
	/* Read once, because it may change meanwhile. */
	admitted = ls_target_admits(&session->target, next);
	ls_switch_out(cpu, admitted);
	ls_switch_in(cpu, next, node, admitted, now);
	ls_ring_report_lost(cpu->ring);
	if (ls_budget_switch(cpu, begin))
		ls_counters_look(cpu);
}

void ls_switch_probe(void *data, bool preempt, struct task_struct *prev,
		     COMPAT_SCHED_SWITCH_LAST(struct task_struct *next))
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct ls_session *session = ls_hooks_session(data);
	struct ls_task_node *node;

	lockdep_assert_irqs_disabled();
	if (unlikely(!session))
		return;
	node = ls_task_find(&session->tasks, next);
	/* The CPU is not sampled, or it samples for a session that replaces this one. */
	if (cpu->session != session)
		ls_switch_forget(node);
	else if (!ls_switch_passes_by(cpu, node))
		ls_switch_sampled(cpu, preempt, prev,
				  COMPAT_SCHED_SWITCH_STATE(prev), next, node);
	else if (ls_switch_has_user_code(next))
		cpu->stamp = 0;		/* its branches replace those in the registers */
}

void ls_switch_cpu_begin(struct ls_cpu_ctx *cpu)
{
	lockdep_assert_irqs_disabled();
	if (!ls_task_needed(cpu->session))
		return;
	rcu_read_lock();
	ls_switch_in(cpu, current,
		     ls_task_find(&cpu->session->tasks, current),
		     ls_target_admits(&cpu->session->target, current), 0);
	rcu_read_unlock();
}

/*
 * The task on the CPU runs on without being followed.  If the session goes on here, the
 * calls that were saved when this task left the CPU last are not its own any more.
 */
void ls_switch_cpu_end(struct ls_cpu_ctx *cpu)
{
	lockdep_assert_irqs_disabled();
	if (cpu->cur)
		ls_switch_unfollow(cpu, cpu->cur);
	cpu->lbr_task = NULL;
	ls_switch_set_cur(cpu, NULL);
}
