// SPDX-License-Identifier: GPL-2.0
/*
 * The module's hooks in the kernel: which tracepoints a session needs, and what it does at
 * fork, exec, signal delivery, waking and exit.  switch.c has the context switch.
 *
 * Linux patches its code when the first probe of a tracepoint is registered and when the
 * last one is unregistered, and interrupts all CPUs for that, some 75 times for a START and
 * its STOP.  So the probes are registered with a place for a session (struct
 * ls_hooks_place), and stay for a second after its STOP: then another START finds them, and
 * a user who starts and stops without a pause interrupts nobody.  perf does the same
 * (perf_sched_delayed() in kernel/events/core.c).
 *
 * Locks: a probe reads the session of its place and uses it in one RCU read-side critical
 * section, or with interrupts off.  START and STOP change it and wait for a grace period.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/tracepoint.h>
#include <trace/events/signal.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "base/session_lock.h"
#include "compat/sched.h"
#include "counters/budget.h"
#include "counters/counters.h"
#include "cpu/cpu.h"
#include "session/session.h"
#include "task/counts.h"
#include "task/hooks.h"
#include "task/offcpu.h"
#include "task/switch.h"
#include "task/task.h"

/*
 * Whether a child continues on a copy of its parent's stack (fork) or on the stack itself
 * (vfork), and is not a thread with a stack of its own.
 */
static bool ls_hooks_shares_stack(const struct task_struct *child)
{
	return task_pt_regs(child)->sp == task_pt_regs(current)->sp;
}

/* The child inherits its parent's open calls, since it returns from them. */
static void ls_hooks_inherit(const struct ls_session *session, struct ls_task_node *node)
{
	struct ls_cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	/* What the budget left out cannot be inherited. */
	if (cpu->session == session && cpu->lbr_task == current)
		ls_lbr_save(&node->lbr, ls_caps.lbr_depth, session->config.branches.targets);
	local_irq_restore(flags);
}

static void ls_hooks_follow_child(struct ls_session *session, struct task_struct *parent,
				  struct task_struct *child)
{
	const struct ls_task_node *from;
	struct ls_task_node *node;
	bool inherits, enabled, shares = ls_hooks_shares_stack(child);
	unsigned long stack;

	from = ls_task_find(&session->tasks, parent);
	inherits = from ? !from->hidden : !ls_target_by_task(&session->target);
	enabled = from && from->enabled;
	stack = from ? from->stack : 0;
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
		ls_hooks_inherit(session, node);
	ls_task_insert(&session->tasks, node, parent);
}

/* Context: the parent, before the child runs for the first time. */
static void ls_hooks_fork(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct ls_session *session;

	if (child->flags & PF_KTHREAD)
		return;
	rcu_read_lock();
	session = ls_hooks_session(data);
	if (session)
		ls_hooks_follow_child(session, parent, child);
	rcu_read_unlock();
}

/* Context: the task itself, which is not measured from here on. */
static void ls_hooks_leave(struct ls_cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	ls_switch_set_cur(cpu, NULL);
	if (ls_target_by_task(&cpu->session->target) && cpu->running)
		ls_counters_halt(cpu);
}

/* The saved calls belong to the old program. */
static void ls_hooks_begin(struct ls_cpu_ctx *cpu, struct ls_task_node *node,
			   const struct task_struct *task)
{
	cpu->lbr_task = NULL;
	ls_switch_set_cur(cpu, node);
	barrier();
	if (ls_lbr_wanted(&cpu->session->config.branches))
		ls_lbr_clear();
	barrier();
	cpu->lbr_task = task;
	if (ls_target_by_task(&cpu->session->target) && !cpu->running)
		ls_counters_run(cpu, &node->counts);
}

/* Context: the task itself, interrupts off. */
static void ls_hooks_change_program(struct ls_session *session, struct task_struct *task)
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct ls_task_node *node;

	rcu_read_lock();
	node = ls_task_find(&session->tasks, task);
	if (node) {
		node->stack = task_pt_regs(task)->sp;
		node->enabled = true;	/* also on a CPU that is not sampled */
		/* The selection was that of the old program, and so was what it had mapped. */
		WRITE_ONCE(node->selected, session->config.sample.selects_new);
		ls_task_forget_ranges(&session->tasks, node);
	}
	if (cpu->session != session || !ls_target_admits(&session->target, task))
		node = NULL;
	if (node && !ls_switch_hides(session, node, task))
		ls_hooks_begin(cpu, node, task);
	else if (node)
		ls_hooks_leave(cpu);
	rcu_read_unlock();
}

static void ls_hooks_exec(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct ls_session *session;
	unsigned long flags;

	local_irq_save(flags);
	session = ls_hooks_session(data);
	if (session)
		ls_hooks_change_program(session, task);
	local_irq_restore(flags);
}

/* Context: the task itself, interrupts off. */
static void ls_hooks_end(struct ls_session *session, struct task_struct *task)
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);

	if (cpu->session == session && cpu->cur)
		ls_hooks_leave(cpu);
	if (session->config.task_counts)
		ls_task_counts_end(session);
	/* The task must not be switched out and in again meanwhile, and be found. */
	ls_task_remove(&session->tasks, task);
}

/* Context: the task itself, which runs no more user code. */
static void ls_hooks_exit(void *data,
			  COMPAT_SCHED_EXIT_LAST(struct task_struct *task))
{
	struct ls_session *session;
	unsigned long flags;

	local_irq_save(flags);
	session = ls_hooks_session(data);
	if (session)
		ls_hooks_end(session, task);
	local_irq_restore(flags);
}

/* Context: the waker of the task, with the lock that makes it the only one. */
static void ls_hooks_waking(void *data, struct task_struct *task)
{
	struct ls_session *session;
	struct ls_task_node *node;

	rcu_read_lock();
	session = ls_hooks_session(data);
	node = session && session->config.offcpu.waker ?
	       ls_task_find(&session->tasks, task) : NULL;
	if (node)
		ls_offcpu_waking(session, node);
	rcu_read_unlock();
}

/*
 * Whether the signal leads to a handler in user mode.  The user chooses both addresses; a
 * branch register may refuse one that no branch can have.
 */
static bool ls_hooks_is_handled(const struct k_sigaction *action)
{
	return action->sa.sa_handler != SIG_DFL && action->sa.sa_handler != SIG_IGN &&
	       (unsigned long)action->sa.sa_handler < TASK_SIZE_MAX &&
	       task_pt_regs(current)->ip < TASK_SIZE_MAX;
}

/*
 * Adds a call from the interrupted code to the handler.  The delivery of a signal executes
 * no call, but the handler returns: without the entry that return would remove the youngest
 * call of the interrupted code, and shift all later samples of this task.  The budget is
 * charged, but does not prevent the entry: it costs less than the kernel's own part of the
 * signal.
 */
static void ls_hooks_push_signal(struct ls_cpu_ctx *cpu, const struct k_sigaction *action)
{
	const struct task_struct *task = cpu->lbr_task;

	/* For the NMI the registers belong to no task meanwhile. */
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
	struct ls_cpu_ctx *cpu;
	unsigned long flags;
	u64 begin;

	if (!ls_hooks_is_handled(action))
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	begin = rdtsc();
	if (cpu->session && cpu->session == ls_hooks_session(data) &&
	    cpu->session->config.branches.call_stack && cpu->cur &&
	    cpu->lbr_task == current && !ls_lbr_stopped()) {
		ls_hooks_push_signal(cpu, action);
		ls_budget_switch(cpu, begin);
	}
	local_irq_restore(flags);
}

static bool ls_hooks_wants_always(const struct ls_session *session)
{
	return true;
}

static bool ls_hooks_wants_waker(const struct ls_session *session)
{
	return session->config.offcpu.waker;
}

static bool ls_hooks_wants_signals(const struct ls_session *session)
{
	return session->config.branches.call_stack;
}

/* The probes, in the order in which they are needed. */
static struct ls_hooks_probe {
	const char *name;
	void *probe;
	bool (*wanted)(const struct ls_session *session);
	struct tracepoint *tp;	/* tracepoints are not exported by name */
} hooks_probes[] = {
	{ "sched_process_exit", ls_hooks_exit, ls_hooks_wants_always },
	{ "sched_process_exec", ls_hooks_exec, ls_hooks_wants_always },
	{ "sched_process_fork", ls_hooks_fork, ls_hooks_wants_always },
	{ "sched_switch", ls_switch_probe, ls_hooks_wants_always },
	{ "sched_waking", ls_hooks_waking, ls_hooks_wants_waker },
	{ "signal_deliver", ls_hooks_signal, ls_hooks_wants_signals },
};

/*
 * A session that replaces another one follows the tasks before that one stops.
 * Locks: ls_session_lock.
 */
static struct ls_hooks_place hooks_places[2];

/* Registers what the session needs and its place lacks. */
static int ls_hooks_register(struct ls_hooks_place *place, const struct ls_session *session)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (place->registered & BIT(i) || !hooks_probes[i].wanted(session))
			continue;
		err = tracepoint_probe_register(hooks_probes[i].tp,
						hooks_probes[i].probe, place);
		if (err)
			return err;
		place->registered |= BIT(i);
	}
	return 0;
}

/* Unregisters what the session of the place, if any, does not need. */
static void ls_hooks_unregister(struct ls_hooks_place *place)
{
	size_t i = ARRAY_SIZE(hooks_probes);

	while (i--) {
		if (!(place->registered & BIT(i)) ||
		    (place->session && hooks_probes[i].wanted(place->session)))
			continue;
		tracepoint_probe_unregister(hooks_probes[i].tp,
					    hooks_probes[i].probe, place);
		place->registered &= ~BIT(i);
	}
}

/* A second after the STOP at this place, whatever STOPs came at the other one. */
static void ls_hooks_clean(struct work_struct *work)
{
	mutex_lock(&ls_session_lock);
	ls_hooks_unregister(container_of(work, struct ls_hooks_place, clean.work));
	mutex_unlock(&ls_session_lock);
}

static struct ls_hooks_place *ls_hooks_find(const struct ls_session *session)
{
	return &hooks_places[hooks_places[0].session != session];
}

/*
 * Afterwards no probe runs that has not seen the change.  A child is in the list of tasks
 * before its probe runs, so that the walk over this list finds those whose probe came too
 * early.
 */
static void ls_hooks_set_session(struct ls_hooks_place *place, struct ls_session *session)
{
	/* The table of its tasks is complete before. */
	smp_store_release(&place->session, session);
	synchronize_rcu();
}

static void ls_hooks_vacate(struct ls_hooks_place *place)
{
	ls_hooks_set_session(place, NULL);
	cancel_delayed_work(&place->clean);
	schedule_delayed_work(&place->clean, HZ);
}

/*
 * Context: START, before any CPU samples.
 * Returns: 0; -ESRCH: the targets are gone; -ENOMEM.
 */
int ls_hooks_start(struct ls_session *session)
{
	struct ls_hooks_place *place = ls_hooks_find(NULL);
	int err;

	lockdep_assert_held(&ls_session_lock);
	/* The table of the session's previous run. */
	ls_task_free_table(&session->tasks);
	if (!ls_task_needed(session))
		return 0;
	err = ls_task_alloc_table(&session->tasks);
	if (err)
		return err;
	err = ls_hooks_register(place, session);
	if (err)
		goto err_place;
	ls_hooks_set_session(place, session);
	err = ls_task_add_existing(session);
	if (err)
		goto err_place;
	return 0;

err_place:
	ls_hooks_vacate(place);
	ls_task_free_table(&session->tasks);
	return err;
}

/* Context: STOP, after the last CPU has stopped. */
void ls_hooks_stop(struct ls_session *session)
{
	struct ls_task_table *tasks = &session->tasks;

	lockdep_assert_held(&ls_session_lock);
	if (!ls_task_needed(session))
		return;
	if (session->config.task_counts)
		ls_task_counts_name(session);
	ls_hooks_vacate(ls_hooks_find(session));
	tasks->open += ls_task_count_off(tasks);
	if (!session->config.task_counts)
		ls_task_free_table(tasks);
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
	check_trace_callback_type_sched_switch(ls_switch_probe);
	check_trace_callback_type_sched_waking(ls_hooks_waking);
	check_trace_callback_type_signal_deliver(ls_hooks_signal);

	for (i = 0; i < ARRAY_SIZE(hooks_places); i++)
		INIT_DELAYED_WORK(&hooks_places[i].clean, ls_hooks_clean);
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

/* Context: unload; no session is left. */
void ls_hooks_exit_module(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hooks_places); i++) {
		cancel_delayed_work_sync(&hooks_places[i].clean);
		ls_hooks_clean(&hooks_places[i].clean.work);
	}
	tracepoint_synchronize_unregister();
}
