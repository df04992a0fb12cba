// SPDX-License-Identifier: GPL-2.0
/*
 * The module's hooks in the kernel: context switch, fork, exec, signal delivery, exit.
 *
 * The branch records are saved when a task leaves a CPU and restored when it comes to one,
 * so that its call stack survives and no other task's sample shows it.  Kernel threads
 * have no user-mode stack and leave the registers alone; if the same task follows them,
 * the registers still hold its state.  A stamp, unique to each save and kept by both the
 * task and the CPU, tells that.  A pointer to the task would not: the task may have run
 * elsewhere meanwhile, or have ended and left its address to another one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <trace/events/signal.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "budget.h"
#include "compat/sched.h"
#include "counters.h"
#include "cpu.h"
#include "hooks.h"
#include "offcpu.h"
#include "ring.h"
#include "rights.h"
#include "session.h"
#include "task.h"
#include "task_counts.h"

/*
 * Loads the branch records of a task: its open calls, or none, with which a history
 * begins.  Meanwhile cpu->lbr_task is NULL, so that the NMI does not read them.
 */
static void ls_hooks_restore_lbr(struct cpu_ctx *cpu, const struct task_node *node)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;
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
static void ls_hooks_unfollow(struct cpu_ctx *cpu, struct task_node *node)
{
	cpu->stamp = 0;
	node->lbr.nr = 0;
	node->stamp = 0;
}

/*
 * Saves the open calls, for the return of the task and for its off-CPU record; not if a
 * debug exception has stopped the recording meanwhile (debug.c).
 */
static void ls_hooks_save_lbr(struct cpu_ctx *cpu, struct task_node *node)
{
	const struct session_config *config = &cpu->session->config;

	if (unlikely(ls_lbr_stopped())) {
		ls_hooks_unfollow(cpu, node);
		ls_lbr_reassert();
		return;
	}
	if (config->branches.call_stack &&
	    (!config->branches.reset || config->offcpu.wanted))
		ls_lbr_save(&node->lbr, config->branches.targets);
	cpu->stamp = ++cpu->stamps * nr_cpu_ids + smp_processor_id();
	node->stamp = cpu->stamp;
}

/* Tells the NMI which task is on the CPU; NULL: none. */
static void ls_hooks_set_cur(struct cpu_ctx *cpu, struct task_node *node)
{
	cpu->cur = node;
	cpu->stack = node ? node->stack : 0;
}

/* If the counters do not belong to tasks, they continue if the next task is admitted. */
static void ls_hooks_switch_out(struct cpu_ctx *cpu, bool next_admitted)
{
	const struct session *session = cpu->session;
	struct task_node *node = cpu->cur;
	bool followed = cpu->lbr_task;

	cpu->lbr_task = NULL;
	ls_hooks_set_cur(cpu, NULL);
	barrier();
	if (cpu->counting &&
	    (ls_target_by_task(&session->target) || !next_admitted))
		ls_counters_halt(cpu);
	if (node && followed && ls_lbr_wanted(&session->config.branches))
		ls_hooks_save_lbr(cpu, node);
}

/*
 * Lets the branch records follow the next task.  It costs nothing if the registers still
 * hold its branches.
 * Returns: false if the budget does not afford it; the branches then belong to no task.
 */
static bool ls_hooks_follow(struct cpu_ctx *cpu, struct task_node *node,
			    const struct task_struct *next, bool affords)
{
	if (ls_lbr_wanted(&cpu->session->config.branches)) {
		if (!affords && !(node->stamp && node->stamp == cpu->stamp)) {
			ls_hooks_unfollow(cpu, node);
			return false;
		}
		ls_hooks_restore_lbr(cpu, node);
	}
	barrier();
	cpu->lbr_task = next;
	return true;
}

/* Switches to a task without user code. */
static void ls_hooks_switch_in_kernel(struct cpu_ctx *cpu,
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

/*
 * Hides a task that has gained rights beyond those of the session's user: the task and its
 * children are not measured any more, as with perf_event_exit_task() in exec.
 */
static bool ls_hooks_hides(struct session *session, struct task_node *node,
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
 * The same of a task that comes, which may be in the middle of exec.  There it can be
 * without dumpable for a moment (since 7.2), before ls_hooks_exec() sees at the end what it
 * has become; until then it is not looked at, and runs no user code.
 */
static bool ls_hooks_hides_next(struct session *session, struct task_node *node,
				const struct task_struct *next)
{
	if (session->cred && next->in_execve)
		return node->hidden || !ls_rights_over(session->cred, next);
	return ls_hooks_hides(session, node, next);
}

/*
 * A task comes to a CPU that is not sampled, or is not in the measured cgroup: its calls
 * and returns are not recorded, so that its saved calls become wrong.
 */
static void ls_hooks_forget(struct task_node *node)
{
	if (!node)
		return;
	node->lbr.nr = 0;
	node->stamp = 0;
	ls_offcpu_forget(node);
}

static bool ls_hooks_has_user_code(const struct task_struct *task)
{
	return !(task->flags & PF_KTHREAD || is_idle_task(task));
}

/* Switches to a task with user code; node: its state, or NULL. */
static void ls_hooks_switch_in_user(struct cpu_ctx *cpu, struct task_struct *next,
				    struct task_node *node, bool admitted,
				    bool affords, u64 now)
{
	struct session *session = cpu->session;

	if (!node || !admitted || ls_hooks_hides_next(session, node, next)) {
		/* Its branches run over what the registers hold. */
		cpu->stamp = 0;
		ls_hooks_forget(node);
		return;
	}
	ls_offcpu_return(cpu, node, next, now, affords);
	if (!ls_hooks_follow(cpu, node, next, affords) ||
	    (!affords && session->config.offcpu.wanted))
		ls_budget_leave_out(cpu);
	ls_hooks_set_cur(cpu, node);
	if (ls_target_by_task(&session->target) && node->enabled)
		ls_counters_run(cpu, &node->counts);
}

static void ls_hooks_switch_in(struct cpu_ctx *cpu, struct task_struct *next,
			       struct task_node *node, bool admitted, u64 now)
{
	bool affords = ls_budget_affords(&cpu->budget);

	if (ls_hooks_has_user_code(next))
		ls_hooks_switch_in_user(cpu, next, node, admitted, affords, now);
	else
		ls_hooks_switch_in_kernel(cpu, next, affords);
	if (cpu->session->target.cgroup && admitted && !cpu->counting)
		ls_counters_run(cpu, &cpu->totals->all);
}

/*
 * Returns the state of a leaving task as a letter of /proc/PID/stat.  A task that was
 * preempted on its way to sleep, or has a pending signal, is runnable.  '?': the task is
 * being woken and its state is gone.
 */
static char ls_hooks_state(const struct task_struct *prev, bool preempt,
			   unsigned int state)
{
	char letter;

	if (preempt || compat_task_state(prev) == TASK_RUNNING)
		return 'R';
	letter = compat_state_char(state);
	return letter == 'R' ? '?' : letter;
}

/*
 * From one task that is not looked at to another: of a kernel thread only where its
 * branches are of interest, or what the counters do.
 */
static bool ls_hooks_passes_by(const struct cpu_ctx *cpu, const struct task_node *node)
{
	const struct session *session = cpu->session;

	return !node && !cpu->cur && !session->target.cgroup &&
	       !ls_lbr_of_kernel(&session->config.branches);
}

static noinline void ls_hooks_switch_sampled(struct cpu_ctx *cpu, bool preempt,
					     struct task_struct *prev, unsigned int state,
					     struct task_struct *next,
					     struct task_node *node)
{
	struct session *session = cpu->session;
	u64 begin = rdtsc();
	u64 now = session->config.offcpu.wanted ? ktime_get_mono_fast_ns() : 0;
	bool admitted;

	if (now && cpu->cur)
		ls_offcpu_leave(cpu->cur, now, ls_hooks_state(prev, preempt, state));
	/* Once, for it may change meanwhile. */
	admitted = ls_target_admits(&session->target, next);
	ls_hooks_switch_out(cpu, admitted);
	ls_hooks_switch_in(cpu, next, node, admitted, now);
	ls_ring_report_lost(cpu->ring);
	if (ls_budget_switch(cpu, begin))
		ls_counters_look(cpu);
}

/* Context: the scheduler, interrupts off (which includes RCU).  Locks: a run queue. */
static void ls_hooks_switch(void *data, bool preempt, struct task_struct *prev,
			    COMPAT_SCHED_SWITCH_LAST(struct task_struct *next))
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct session *session = data;
	struct task_node *node = ls_task_find(&session->tasks, next);

	if (!cpu->session)
		ls_hooks_forget(node);
	else if (!ls_hooks_passes_by(cpu, node))
		ls_hooks_switch_sampled(cpu, preempt, prev,
					COMPAT_SCHED_SWITCH_STATE(prev), next, node);
	else if (ls_hooks_has_user_code(next))
		cpu->stamp = 0;		/* it runs over what the registers hold */
}

/*
 * Whether a child continues on a copy of its parent's stack (fork) or on the stack itself
 * (vfork), and is not a thread with a stack of its own.
 */
static bool ls_hooks_shares_stack(const struct task_struct *child)
{
	return task_pt_regs(child)->sp == task_pt_regs(current)->sp;
}

/* The child inherits its parent's open calls, since it returns from them. */
static void ls_hooks_inherit(struct task_node *node)
{
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	/* What the budget left out cannot be inherited. */
	if (cpu->session && cpu->lbr_task == current && !ls_lbr_stopped())
		ls_lbr_save(&node->lbr, cpu->session->config.branches.targets);
	local_irq_restore(flags);
}

/* Context: the parent, before the child runs for the first time. */
static void ls_hooks_fork(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct session *session = data;
	const struct task_node *from;
	struct task_node *node;
	bool inherits, enabled, shares = ls_hooks_shares_stack(child);
	unsigned long stack;

	if (child->flags & PF_KTHREAD)
		return;
	rcu_read_lock();
	from = ls_task_find(&session->tasks, parent);
	inherits = from ? !from->hidden : !ls_target_by_task(&session->target);
	enabled = from && from->enabled;
	stack = from ? from->stack : 0;
	rcu_read_unlock();
	if (!inherits)
		return;
	node = ls_task_new(session, child, GFP_ATOMIC | __GFP_NOWARN);
	if (!node) {
		atomic64_inc(&session->tasks.untracked);
		return;
	}
	node->enabled |= enabled;
	node->stack = shares ? stack : task_pt_regs(child)->sp;
	if (shares && session->config.branches.call_stack &&
	    !session->config.branches.reset)
		ls_hooks_inherit(node);
	ls_task_insert(&session->tasks, node);
}

/* Context: the task itself, which is not measured from here on. */
static void ls_hooks_leave(struct cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	ls_hooks_set_cur(cpu, NULL);
	if (ls_target_by_task(&cpu->session->target) && cpu->counting)
		ls_counters_halt(cpu);
}

/* The calls of the old program mean nothing in the new one. */
static void ls_hooks_begin(struct cpu_ctx *cpu, struct task_node *node,
			   const struct task_struct *task)
{
	cpu->lbr_task = NULL;
	ls_hooks_set_cur(cpu, node);
	barrier();
	if (ls_lbr_wanted(&cpu->session->config.branches))
		ls_lbr_clear();
	barrier();
	cpu->lbr_task = task;
	node->enabled = true;
	if (ls_target_by_task(&cpu->session->target) && !cpu->counting)
		ls_counters_run(cpu, &node->counts);
}

static void ls_hooks_exec(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct session *session = data;
	struct task_node *node;
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	node = ls_task_find(&session->tasks, task);
	if (node)
		node->stack = task_pt_regs(task)->sp;
	if (!cpu->session || !ls_target_admits(&session->target, task))
		node = NULL;
	if (node && !ls_hooks_hides(session, node, task))
		ls_hooks_begin(cpu, node, task);
	else if (node)
		ls_hooks_leave(cpu);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Context: the task itself, which runs no more user code. */
static void ls_hooks_exit(void *data,
			  COMPAT_SCHED_EXIT_LAST(struct task_struct *task))
{
	struct session *session = data;
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && cpu->cur)
		ls_hooks_leave(cpu);
	if (session->config.task_counts)
		ls_task_counts_end(session);
	/* It must not be switched out and in again meanwhile, and be found. */
	ls_task_remove(&session->tasks, task);
	local_irq_restore(flags);
}

/* Context: the waker of the task, with the lock that makes it the only one. */
static void ls_hooks_waking(void *data, struct task_struct *task)
{
	struct session *session = data;
	struct task_node *node;

	rcu_read_lock();
	node = ls_task_find(&session->tasks, task);
	if (node)
		ls_offcpu_waking(session, node);
	rcu_read_unlock();
}

static bool ls_hooks_is_handled(const struct k_sigaction *action)
{
	return action->sa.sa_handler != SIG_DFL && action->sa.sa_handler != SIG_IGN;
}

/*
 * The handler is not called, but it returns, which would remove the youngest call of
 * what was interrupted from the registers, and shift all that is seen of this task from
 * then on.  So there is an entry for it.  The budget is charged, but does not prevent
 * it: this costs less than the kernel's own part of the signal.
 */
static void ls_hooks_push_signal(struct cpu_ctx *cpu, const struct k_sigaction *action)
{
	const struct task_struct *task = cpu->lbr_task;

	/* Meanwhile they are nobody's, as far as the NMI can see. */
	cpu->lbr_task = NULL;
	barrier();
	ls_lbr_push(task_pt_regs(current)->ip,
		    (unsigned long)action->sa.sa_handler,
		    cpu->session->config.branches.targets);
	barrier();
	cpu->lbr_task = task;
}

/* Context: the task itself, on its way back to user mode. */
static void ls_hooks_signal(void *data, int sig, struct kernel_siginfo *info,
			    struct k_sigaction *action)
{
	struct cpu_ctx *cpu;
	unsigned long flags;
	u64 begin;

	if (!ls_hooks_is_handled(action))
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	begin = rdtsc();
	if (cpu->session && cpu->cur && cpu->lbr_task == current &&
	    !ls_lbr_stopped()) {
		ls_hooks_push_signal(cpu, action);
		ls_budget_switch(cpu, begin);
	}
	local_irq_restore(flags);
}

static bool ls_hooks_wants_always(const struct session *session)
{
	return true;
}

static bool ls_hooks_wants_waker(const struct session *session)
{
	return session->config.offcpu.waker;
}

static bool ls_hooks_wants_signals(const struct session *session)
{
	return session->config.branches.call_stack;
}

/* The probes, in the order in which they are needed. */
static struct hooks_probe {
	const char *name;
	void *probe;
	bool (*wanted)(const struct session *session);
	struct tracepoint *tp;	/* tracepoints are not exported by name */
} hooks_probes[] = {
	{ "sched_process_exit", ls_hooks_exit, ls_hooks_wants_always },
	{ "sched_process_exec", ls_hooks_exec, ls_hooks_wants_always },
	{ "sched_process_fork", ls_hooks_fork, ls_hooks_wants_always },
	{ "sched_switch", ls_hooks_switch, ls_hooks_wants_always },
	{ "sched_waking", ls_hooks_waking, ls_hooks_wants_waker },
	{ "signal_deliver", ls_hooks_signal, ls_hooks_wants_signals },
};

static void ls_hooks_remove(struct session *session, size_t nr)
{
	while (nr--)
		if (hooks_probes[nr].wanted(session))
			tracepoint_probe_unregister(hooks_probes[nr].tp,
						    hooks_probes[nr].probe,
						    session);
	tracepoint_synchronize_unregister();
}

static int ls_hooks_add(struct session *session)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!hooks_probes[i].wanted(session))
			continue;
		err = tracepoint_probe_register(hooks_probes[i].tp,
						hooks_probes[i].probe, session);
		if (err) {
			ls_hooks_remove(session, i);
			return err;
		}
	}
	return 0;
}

/*
 * Context: START, before any CPU samples.
 * Returns: 0; -ESRCH: the targets are gone; -ENOMEM.
 */
int ls_hooks_start(struct session *session)
{
	int err;

	/* Of the time before. */
	ls_task_free_table(&session->tasks);
	if (!ls_task_needed(session))
		return 0;
	err = ls_task_alloc_table(&session->tasks);
	if (err)
		return err;
	err = ls_hooks_add(session);
	if (err)
		goto err_add;
	err = ls_task_add_existing(session);
	if (err)
		goto err_existing;
	return 0;

err_existing:
	ls_hooks_remove(session, ARRAY_SIZE(hooks_probes));
err_add:
	ls_task_free_table(&session->tasks);
	return err;
}

/* Context: STOP, after the last CPU has stopped. */
void ls_hooks_stop(struct session *session)
{
	struct task_table *tasks = &session->tasks;

	if (!ls_task_needed(session))
		return;
	if (session->config.task_counts)
		ls_task_counts_name(session);
	ls_hooks_remove(session, ARRAY_SIZE(hooks_probes));
	tasks->open += ls_task_count_off(tasks);
	if (!session->config.task_counts)
		ls_task_free_table(tasks);
}

void ls_hooks_cpu_begin(struct cpu_ctx *cpu)
{
	if (!ls_task_needed(cpu->session))
		return;
	rcu_read_lock();
	ls_hooks_switch_in(cpu, current,
			   ls_task_find(&cpu->session->tasks, current),
			   ls_target_admits(&cpu->session->target, current), 0);
	rcu_read_unlock();
}

void ls_hooks_cpu_end(struct cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	ls_hooks_set_cur(cpu, NULL);
}

static void ls_hooks_match_tracepoint(struct tracepoint *tp, void *priv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++)
		if (!strcmp(tp->name, hooks_probes[i].name))
			hooks_probes[i].tp = tp;
}

/* Context: load.  Returns: 0; -ENOENT: the kernel lacks a tracepoint. */
int ls_hooks_init(void)
{
	size_t i;

	/* The tables above lose the types; the compiler checks them here. */
	check_trace_callback_type_sched_process_exit(ls_hooks_exit);
	check_trace_callback_type_sched_process_exec(ls_hooks_exec);
	check_trace_callback_type_sched_process_fork(ls_hooks_fork);
	check_trace_callback_type_sched_switch(ls_hooks_switch);
	check_trace_callback_type_sched_waking(ls_hooks_waking);
	check_trace_callback_type_signal_deliver(ls_hooks_signal);

	for_each_kernel_tracepoint(ls_hooks_match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!hooks_probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n",
			       hooks_probes[i].name);
			return -ENOENT;
		}
	}
	return 0;
}
