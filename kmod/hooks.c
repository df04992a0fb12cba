// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's hooks: a task goes on a CPU or off it, is born, becomes
 * another program, gets a signal, ends.
 *
 * The branch registers are saved when a task goes off a CPU and restored when
 * it comes back, on whichever, so that its stack survives and is never seen in
 * another task's sample.  Kernel threads have no user-mode stack and leave the
 * registers alone; if the same task follows them, they still hold its state.
 * That is told by a stamp, unique to each save, which the task and the CPU
 * both keep: a pointer would not do, for the task may have run elsewhere
 * meanwhile, or have died and left its address to another.
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
 * Moves the branch registers to what the task left behind: its open calls, or
 * none, which is how a history begins.  They are no task's meanwhile, as far as
 * the NMI can see, so that it leaves them alone.
 */
static void hooks_restore_lbr(struct cpu_ctx *cpu, const struct task_node *node)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;
	bool held = node->stamp && node->stamp == cpu->stamp;

	/* Nobody has looked since who ran here switched it off. */
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
 * What the registers hold from here on is a mixture of the calls of several tasks
 * and nobody's, and what is kept of this one is its own no longer.
 */
static void hooks_unfollow(struct cpu_ctx *cpu, struct task_node *node)
{
	cpu->stamp = 0;
	node->lbr.nr = 0;
	node->stamp = 0;
}

/*
 * The open calls are for the task's return, and for what is told of it then; but not
 * where a debug exception has ended the recording meanwhile (debug.c).
 */
static void hooks_save_lbr(struct cpu_ctx *cpu, struct task_node *node)
{
	const struct session_config *config = &cpu->session->config;

	if (unlikely(ls_lbr_stopped())) {
		hooks_unfollow(cpu, node);
		ls_lbr_reassert();
		return;
	}
	if (config->branches.call_stack &&
	    (!config->branches.reset || config->offcpu.wanted))
		ls_lbr_save(&node->lbr, config->branches.targets);
	cpu->stamp = ++cpu->stamps * nr_cpu_ids + smp_processor_id();
	node->stamp = cpu->stamp;
}

/* What the NMI is to know of the task that comes; NULL: of none. */
static void hooks_set_cur(struct cpu_ctx *cpu, struct task_node *node)
{
	cpu->cur = node;
	cpu->stack = node ? node->stack : 0;
}

/* Where nothing is counted for a task in particular, the counters may go on. */
static void hooks_switch_out(struct cpu_ctx *cpu, bool next_admitted)
{
	const struct session *session = cpu->session;
	struct task_node *node = cpu->cur;
	bool followed = cpu->lbr_task;

	cpu->lbr_task = NULL;
	hooks_set_cur(cpu, NULL);
	barrier();
	if (cpu->counting &&
	    (ls_target_by_task(&session->target) || !next_admitted))
		ls_counters_halt(cpu);
	if (node && followed && ls_lbr_wanted(&session->config.branches))
		hooks_save_lbr(cpu, node);
}

/*
 * The branches of the task that comes are its own from here on; or, where the
 * budget does not afford that, nobody's: false.  A task whose branches the registers
 * still hold costs nothing.
 */
static bool hooks_follow(struct cpu_ctx *cpu, struct task_node *node,
			 const struct task_struct *next, bool affords)
{
	if (ls_lbr_wanted(&cpu->session->config.branches)) {
		if (!affords && !(node->stamp && node->stamp == cpu->stamp)) {
			hooks_unfollow(cpu, node);
			return false;
		}
		hooks_restore_lbr(cpu, node);
	}
	barrier();
	cpu->lbr_task = next;
	return true;
}

/* A task without user code: its branches are of interest, or there are none. */
static void hooks_switch_in_kernel(struct cpu_ctx *cpu,
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
 * A task that has got rights which the session's user does not reach is not looked
 * at any more, nor are its children: as with perf_event_exit_task() in exec.
 */
static bool hooks_hides(struct session *session, struct task_node *node,
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
 * without dumpable for a moment (since 7.2), before hooks_exec() sees at the end what it
 * has become; until then it is not looked at, and runs no user code.
 */
static bool hooks_hides_next(struct session *session, struct task_node *node,
			     const struct task_struct *next)
{
	if (session->cred && next->in_execve)
		return node->hidden || !ls_rights_over(session->cred, next);
	return hooks_hides(session, node, next);
}

/*
 * A task goes on a CPU that is not sampled, or is not in the cgroup that is: what
 * it calls and returns from meanwhile nobody sees, so that the calls that are
 * kept of it are its own no longer.
 */
static void hooks_forget(struct task_node *node)
{
	if (!node)
		return;
	node->lbr.nr = 0;
	node->stamp = 0;
	ls_offcpu_forget(node);
}

static bool hooks_has_user_code(const struct task_struct *task)
{
	return !(task->flags & PF_KTHREAD || is_idle_task(task));
}

/* A task with user code; what is known of it. */
static void hooks_switch_in_user(struct cpu_ctx *cpu, struct task_struct *next,
				 struct task_node *node, bool admitted,
				 bool affords, u64 now)
{
	struct session *session = cpu->session;

	if (!node || !admitted || hooks_hides_next(session, node, next)) {
		/* Its branches run over what the registers hold. */
		cpu->stamp = 0;
		hooks_forget(node);
		return;
	}
	ls_offcpu_return(cpu, node, next, now, affords);
	if (!hooks_follow(cpu, node, next, affords) ||
	    (!affords && session->config.offcpu.wanted))
		ls_budget_leave_out(cpu);
	hooks_set_cur(cpu, node);
	if (ls_target_by_task(&session->target) && node->enabled)
		ls_counters_run(cpu, &node->counts);
}

static void hooks_switch_in(struct cpu_ctx *cpu, struct task_struct *next,
			    struct task_node *node, bool admitted, u64 now)
{
	bool affords = ls_budget_affords(&cpu->budget);

	if (hooks_has_user_code(next))
		hooks_switch_in_user(cpu, next, node, admitted, affords, now);
	else
		hooks_switch_in_kernel(cpu, next, affords);
	if (cpu->session->target.cgroup && admitted && !cpu->counting)
		ls_counters_run(cpu, &cpu->totals->all);
}

/*
 * What a task leaves in, as in /proc/PID/stat.  A task that was preempted on its
 * way to sleep, or had a signal waiting for it there, can go on; '?': it is
 * being woken, and which state it was in is gone.
 */
static char hooks_state(const struct task_struct *prev, bool preempt,
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
static bool hooks_passes_by(const struct cpu_ctx *cpu, const struct task_node *node)
{
	const struct session *session = cpu->session;

	return !node && !cpu->cur && !session->target.cgroup &&
	       !ls_lbr_of_kernel(&session->config.branches);
}

static noinline void hooks_switch_sampled(struct cpu_ctx *cpu, bool preempt,
					  struct task_struct *prev, unsigned int state,
					  struct task_struct *next,
					  struct task_node *node)
{
	struct session *session = cpu->session;
	u64 begin = rdtsc();
	u64 now = session->config.offcpu.wanted ? ktime_get_mono_fast_ns() : 0;
	bool admitted;

	if (now && cpu->cur)
		ls_offcpu_leave(cpu->cur, now, hooks_state(prev, preempt, state));
	/* Once, for it may change meanwhile. */
	admitted = ls_target_admits(&session->target, next);
	hooks_switch_out(cpu, admitted);
	hooks_switch_in(cpu, next, node, admitted, now);
	ls_ring_report_lost(cpu->ring);
	if (ls_budget_switch(cpu, begin))
		ls_counters_look(cpu);
}

/*
 * The scheduler, with interrupts off, which is being in RCU, and a run queue locked.
 */
static void hooks_switch(void *data, bool preempt, struct task_struct *prev,
			 COMPAT_SCHED_SWITCH_LAST(struct task_struct *next))
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct session *session = data;
	struct task_node *node = ls_task_find(&session->tasks, next);

	if (!cpu->session)
		hooks_forget(node);
	else if (!hooks_passes_by(cpu, node))
		hooks_switch_sampled(cpu, preempt, prev,
				     COMPAT_SCHED_SWITCH_STATE(prev), next, node);
	else if (hooks_has_user_code(next))
		cpu->stamp = 0;		/* it runs over what the registers hold */
}

/*
 * A child goes on in a copy of its parent's stack (fork), or in the stack
 * itself (vfork); or it is a thread with a stack of its own.
 */
static bool hooks_shares_stack(const struct task_struct *child)
{
	return task_pt_regs(child)->sp == task_pt_regs(current)->sp;
}

/* It returns out of its parent's calls. */
static void hooks_inherit(struct task_node *node)
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

/* In the parent, before the child runs for the first time. */
static void hooks_fork(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct session *session = data;
	const struct task_node *from;
	struct task_node *node;
	bool inherits, enabled, shares = hooks_shares_stack(child);
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
		hooks_inherit(node);
	ls_task_insert(&session->tasks, node);
}

/* In the task itself, which is not to be looked at from here on. */
static void hooks_leave(struct cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	hooks_set_cur(cpu, NULL);
	if (ls_target_by_task(&cpu->session->target) && cpu->counting)
		ls_counters_halt(cpu);
}

/* The calls of the old program mean nothing in the new one. */
static void hooks_begin(struct cpu_ctx *cpu, struct task_node *node,
			const struct task_struct *task)
{
	cpu->lbr_task = NULL;
	hooks_set_cur(cpu, node);
	barrier();
	if (ls_lbr_wanted(&cpu->session->config.branches))
		ls_lbr_clear();
	barrier();
	cpu->lbr_task = task;
	node->enabled = true;
	if (ls_target_by_task(&cpu->session->target) && !cpu->counting)
		ls_counters_run(cpu, &node->counts);
}

static void hooks_exec(void *data, struct task_struct *task, pid_t old_pid,
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
	if (node && !hooks_hides(session, node, task))
		hooks_begin(cpu, node, task);
	else if (node)
		hooks_leave(cpu);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* In the task itself, which runs no more user code. */
static void hooks_exit(void *data,
		       COMPAT_SCHED_EXIT_LAST(struct task_struct *task))
{
	struct session *session = data;
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && cpu->cur)
		hooks_leave(cpu);
	if (session->config.task_counts)
		ls_task_counts_end(session);
	/* It must not be switched out and in again meanwhile, and be found. */
	ls_task_remove(&session->tasks, task);
	local_irq_restore(flags);
}

/* In whatever wakes the task, with the lock held that makes it one. */
static void hooks_waking(void *data, struct task_struct *task)
{
	struct session *session = data;
	struct task_node *node;

	rcu_read_lock();
	node = ls_task_find(&session->tasks, task);
	if (node)
		ls_offcpu_waking(session, node);
	rcu_read_unlock();
}

static bool hooks_is_handled(const struct k_sigaction *action)
{
	return action->sa.sa_handler != SIG_DFL && action->sa.sa_handler != SIG_IGN;
}

/*
 * The handler is not called, but it returns, which would remove the youngest call of
 * what was interrupted from the registers, and shift all that is seen of this task from
 * then on.  So there is an entry for it.  The budget is charged, but does not prevent
 * it: this costs less than the kernel's own part of the signal.
 */
static void hooks_push_signal(struct cpu_ctx *cpu, const struct k_sigaction *action)
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

/* In the task itself, on its way back to user mode. */
static void hooks_signal(void *data, int sig, struct kernel_siginfo *info,
			 struct k_sigaction *action)
{
	struct cpu_ctx *cpu;
	unsigned long flags;
	u64 begin;

	if (!hooks_is_handled(action))
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	begin = rdtsc();
	if (cpu->session && cpu->cur && cpu->lbr_task == current &&
	    !ls_lbr_stopped()) {
		hooks_push_signal(cpu, action);
		ls_budget_switch(cpu, begin);
	}
	local_irq_restore(flags);
}

static bool hooks_wants_always(const struct session *session)
{
	return true;
}

static bool hooks_wants_waker(const struct session *session)
{
	return session->config.offcpu.waker;
}

static bool hooks_wants_signals(const struct session *session)
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
	{ "sched_process_exit", hooks_exit, hooks_wants_always },
	{ "sched_process_exec", hooks_exec, hooks_wants_always },
	{ "sched_process_fork", hooks_fork, hooks_wants_always },
	{ "sched_switch", hooks_switch, hooks_wants_always },
	{ "sched_waking", hooks_waking, hooks_wants_waker },
	{ "signal_deliver", hooks_signal, hooks_wants_signals },
};

static void hooks_remove(struct session *session, size_t nr)
{
	while (nr--)
		if (hooks_probes[nr].wanted(session))
			tracepoint_probe_unregister(hooks_probes[nr].tp,
						    hooks_probes[nr].probe,
						    session);
	tracepoint_synchronize_unregister();
}

static int hooks_add(struct session *session)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!hooks_probes[i].wanted(session))
			continue;
		err = tracepoint_probe_register(hooks_probes[i].tp,
						hooks_probes[i].probe, session);
		if (err) {
			hooks_remove(session, i);
			return err;
		}
	}
	return 0;
}

/* Before any CPU samples.  -ESRCH: the targets are gone; -ENOMEM. */
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
	err = hooks_add(session);
	if (err)
		goto err_add;
	err = ls_task_add_existing(session);
	if (err)
		goto err_existing;
	return 0;

err_existing:
	hooks_remove(session, ARRAY_SIZE(hooks_probes));
err_add:
	ls_task_free_table(&session->tasks);
	return err;
}

/* After the last CPU has stopped. */
void ls_hooks_stop(struct session *session)
{
	struct task_table *tasks = &session->tasks;

	if (!ls_task_needed(session))
		return;
	if (session->config.task_counts)
		ls_task_counts_name(session);
	hooks_remove(session, ARRAY_SIZE(hooks_probes));
	tasks->open += ls_task_count_off(tasks);
	if (!session->config.task_counts)
		ls_task_free_table(tasks);
}

void ls_hooks_cpu_begin(struct cpu_ctx *cpu)
{
	if (!ls_task_needed(cpu->session))
		return;
	rcu_read_lock();
	hooks_switch_in(cpu, current,
			ls_task_find(&cpu->session->tasks, current),
			ls_target_admits(&cpu->session->target, current), 0);
	rcu_read_unlock();
}

void ls_hooks_cpu_end(struct cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	hooks_set_cur(cpu, NULL);
}

static void hooks_match_tracepoint(struct tracepoint *tp, void *priv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++)
		if (!strcmp(tp->name, hooks_probes[i].name))
			hooks_probes[i].tp = tp;
}

/* At load.  -ENOENT: a kernel without these tracepoints. */
int ls_hooks_init(void)
{
	size_t i;

	/* The tables above lose the types; the compiler checks them here. */
	check_trace_callback_type_sched_process_exit(hooks_exit);
	check_trace_callback_type_sched_process_exec(hooks_exec);
	check_trace_callback_type_sched_process_fork(hooks_fork);
	check_trace_callback_type_sched_switch(hooks_switch);
	check_trace_callback_type_sched_waking(hooks_waking);
	check_trace_callback_type_signal_deliver(hooks_signal);

	for_each_kernel_tracepoint(hooks_match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!hooks_probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n",
			       hooks_probes[i].name);
			return -ENOENT;
		}
	}
	return 0;
}
