// SPDX-License-Identifier: GPL-2.0
/*
 * What belongs to a task and not to a CPU: its branch state, what is left of
 * its period, whether it is sampled at all.
 *
 * The branch registers are saved when a task goes off a CPU and restored when
 * it comes back, on whichever, so that its stack survives and is never seen in
 * another task's sample.  Kernel threads have no user-mode stack and leave the
 * registers alone; if the same task follows them, they still hold its state.
 * That is told by a stamp, unique to each save, which the task and the CPU
 * both keep: a pointer would not do, for the task may have run elsewhere
 * meanwhile, or have died and left its address to another.
 *
 * Nodes are made where sleeping or at least allocating is possible (start,
 * fork), found under RCU in the scheduler, and freed after a grace period.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "compat/sched.h"
#include "cpu.h"
#include "ring.h"
#include "session.h"
#include "task.h"

static struct hlist_head *task_bucket(struct task_table *table,
				      const struct task_struct *task)
{
	return &table->buckets[hash_ptr((void *)task, ilog2(TASK_BUCKETS))];
}

/* Under RCU, or with the table's lock held. */
static struct task_node *task_find(struct task_table *table,
				   const struct task_struct *task)
{
	struct task_node *node;

	hlist_for_each_entry_rcu(node, task_bucket(table, task), link,
				 lockdep_is_held(&table->lock))
		if (node->task == task)
			return node;
	return NULL;
}

static void task_insert(struct task_table *table, struct task_node *node)
{
	struct task_node *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&table->lock, flags);
	old = task_find(table, node->task);
	if (old)
		hlist_replace_rcu(&old->link, &node->link);
	else
		hlist_add_head_rcu(&node->link, task_bucket(table, node->task));
	raw_spin_unlock_irqrestore(&table->lock, flags);
	if (old)
		kfree_rcu(old, rcu);
}

static void task_remove(struct task_table *table,
			const struct task_struct *task)
{
	struct task_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&table->lock, flags);
	node = task_find(table, task);
	if (node)
		hlist_del_rcu(&node->link);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	if (node)
		kfree_rcu(node, rcu);
}

static struct task_node *task_node_new(const struct session *session,
				       const struct task_struct *task, gfp_t gfp)
{
	struct task_node *node = kzalloc(sizeof(*node), gfp);

	if (!node)
		return NULL;
	node->task = task;
	node->enabled = !session->config.on_exec;
	ls_pace_init(&node->pace, &session->config.pace, task->pid);
	node->left = node->pace.period;
	return node;
}

/*
 * Moves the branch registers to what the task left behind: its open calls, or
 * an empty history.  They are no task's meanwhile, as far as the NMI can see,
 * so that it leaves them alone.
 */
static void task_restore_lbr(struct cpu_ctx *cpu, const struct task_node *node)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;
	bool held = node->stamp && node->stamp == cpu->stamp;

	cpu->stamp = 0;
	if (mode->history) {
		if (!held)
			ls_lbr_clear();
	} else if (!held || !ls_lbr_holds(&node->lbr)) {
		ls_lbr_restore(&node->lbr);
	}
}

static void task_save_lbr(struct cpu_ctx *cpu, struct task_node *node)
{
	if (cpu->session->config.branches.call_stack)
		ls_lbr_read_calls(&node->lbr);
	cpu->stamp = ++cpu->stamps * nr_cpu_ids + smp_processor_id();
	node->stamp = cpu->stamp;
}

static void task_switch_out(struct cpu_ctx *cpu)
{
	const struct session *session = cpu->session;
	struct task_node *node = cpu->cur;

	cpu->lbr_task = NULL;
	cpu->cur = NULL;
	barrier();
	if (!node)
		return;
	if (session->target && cpu->counting)
		node->left = ls_cpu_pause(cpu);
	if (ls_lbr_wanted(&session->config.branches))
		task_save_lbr(cpu, node);
}

/* A task without user code: its branches are of interest, or there are none. */
static void task_switch_in_kernel(struct cpu_ctx *cpu,
				  const struct task_struct *next)
{
	if (!ls_lbr_of_kernel(&cpu->session->config.branches))
		return;
	cpu->stamp = 0;
	ls_lbr_clear();
	barrier();
	cpu->lbr_task = next;
}

static void task_switch_in(struct cpu_ctx *cpu, const struct task_struct *next)
{
	struct session *session = cpu->session;
	struct task_node *node;

	if (next->flags & PF_KTHREAD || is_idle_task(next)) {
		task_switch_in_kernel(cpu, next);
		return;
	}
	node = task_find(&session->tasks, next);
	if (!node) {
		/* Its branches run over what the registers hold. */
		cpu->stamp = 0;
		return;
	}
	if (ls_lbr_wanted(&session->config.branches))
		task_restore_lbr(cpu, node);
	barrier();
	cpu->lbr_task = next;
	cpu->cur = node;
	if (session->target && node->enabled)
		ls_cpu_resume(cpu, &node->pace, node->left);
}

/*
 * A task goes on a CPU that is not sampled: what it calls and returns from there
 * nobody sees, so that the calls that are kept of it are its own no longer.
 */
static void task_forget_calls(struct session *session,
			      const struct task_struct *task)
{
	struct task_node *node;

	if (!session->config.branches.call_stack)
		return;
	node = task_find(&session->tasks, task);
	if (node) {
		node->lbr.nr = 0;
		node->stamp = 0;
	}
}

/* The scheduler, with interrupts off and a run queue locked. */
static void task_sched_switch(void *data, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next COMPAT_SCHED_SWITCH_MORE)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);

	rcu_read_lock();
	if (cpu->session) {
		task_switch_out(cpu);
		task_switch_in(cpu, next);
		ls_ring_report_lost(cpu->ring);
	} else {
		task_forget_calls(data, next);
	}
	rcu_read_unlock();
}

/*
 * A child that goes on in a copy of its parent's stack (fork), or in the stack
 * itself (vfork), returns out of its parent's calls; a thread with a stack of
 * its own begins with none.
 */
static void task_inherit(struct task_node *node,
			 const struct task_struct *child)
{
	struct cpu_ctx *cpu;
	unsigned long flags;

	if (task_pt_regs(child)->sp != task_pt_regs(current)->sp)
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && cpu->cur)
		ls_lbr_read_calls(&node->lbr);
	local_irq_restore(flags);
}

/* In the parent, before the child runs for the first time. */
static void task_sched_fork(void *data, struct task_struct *parent,
			    struct task_struct *child)
{
	struct session *session = data;
	const struct task_node *from;
	struct task_node *node;
	bool inherits, enabled;

	if (child->flags & PF_KTHREAD)
		return;
	rcu_read_lock();
	from = task_find(&session->tasks, parent);
	inherits = from || !session->target;
	enabled = from && from->enabled;
	rcu_read_unlock();
	if (!inherits)
		return;
	node = task_node_new(session, child, GFP_ATOMIC | __GFP_NOWARN);
	if (!node) {
		atomic64_inc(&session->tasks.untracked);
		return;
	}
	node->enabled |= enabled;
	if (session->config.branches.call_stack)
		task_inherit(node, child);
	task_insert(&session->tasks, node);
}

/* The calls of the old program mean nothing in the new one. */
static void task_sched_exec(void *data, struct task_struct *task, pid_t old_pid,
			    struct linux_binprm *bprm)
{
	struct task_node *node;
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	node = cpu->session ? cpu->cur : NULL;
	if (node) {
		cpu->lbr_task = NULL;
		barrier();
		if (ls_lbr_wanted(&cpu->session->config.branches))
			ls_lbr_clear();
		barrier();
		cpu->lbr_task = task;
		if (!node->enabled)
			ls_cpu_resume(cpu, &node->pace, node->left);
		node->enabled = true;
	}
	local_irq_restore(flags);
}

/* In the task itself, which runs no more user code. */
static void task_sched_exit(void *data,
			    struct task_struct *task COMPAT_SCHED_EXIT_MORE)
{
	struct session *session = data;
	struct cpu_ctx *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && cpu->cur) {
		cpu->lbr_task = NULL;
		cpu->cur = NULL;
		if (session->target && cpu->counting)
			ls_cpu_pause(cpu);
	}
	/* It must not be switched out and in again meanwhile, and be found. */
	task_remove(&session->tasks, task);
	local_irq_restore(flags);
}

/* The probes, in the order in which they are needed. */
static struct task_probe {
	const char *name;
	void *probe;
	struct tracepoint *tp;	/* tracepoints are not exported by name */
} task_probes[] = {
	{ "sched_process_exit", task_sched_exit },
	{ "sched_process_exec", task_sched_exec },
	{ "sched_process_fork", task_sched_fork },
	{ "sched_switch", task_sched_switch },
};

static void task_unhook(struct session *session, size_t nr)
{
	while (nr--)
		tracepoint_probe_unregister(task_probes[nr].tp,
					    task_probes[nr].probe, session);
	tracepoint_synchronize_unregister();
}

static int task_hook(struct session *session)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(task_probes); i++) {
		err = tracepoint_probe_register(task_probes[i].tp,
						task_probes[i].probe, session);
		if (err) {
			task_unhook(session, i);
			return err;
		}
	}
	return 0;
}

static void task_add(struct session *session, struct task_struct *task)
{
	struct task_node *node;

	if (task->flags & PF_KTHREAD)
		return;
	node = task_node_new(session, task, GFP_ATOMIC | __GFP_NOWARN);
	if (!node) {
		atomic64_inc(&session->tasks.untracked);
		return;
	}
	task_insert(&session->tasks, node);
	/*
	 * A task that is past its exit probe would leave the node behind.  The
	 * flag is set before the probe runs, so either we see it here, or the
	 * probe finds the node.
	 */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING)
		task_remove(&session->tasks, task);
}

/*
 * The fork probe is there already: a task that this walk misses was created
 * by one that it has met, and the probe added it.
 */
static int task_add_existing(struct session *session)
{
	struct task_struct *process, *thread;
	int err = 0;

	rcu_read_lock();
	if (session->target) {
		process = pid_task(session->target, PIDTYPE_TGID);
		if (process)
			for_each_thread(process, thread)
				task_add(session, thread);
		else
			err = -ESRCH;
	} else {
		for_each_process_thread(process, thread)
			task_add(session, thread);
	}
	rcu_read_unlock();
	return err;
}

static void task_free_all(struct task_table *table)
{
	struct task_node *node;
	struct hlist_node *next;
	u32 i;

	for (i = 0; i < TASK_BUCKETS; i++)
		hlist_for_each_entry_safe(node, next, &table->buckets[i], link)
			kfree(node);
	kvfree(table->buckets);
	table->buckets = NULL;
}

/* Does the session need to know of tasks at all? */
static bool task_needed(const struct session *session)
{
	return session->target || ls_lbr_wanted(&session->config.branches);
}

/* Before any CPU samples.  -ESRCH: the target is gone; -ENOMEM. */
int ls_task_start(struct session *session)
{
	struct task_table *table = &session->tasks;
	int err;

	if (!task_needed(session))
		return 0;
	raw_spin_lock_init(&table->lock);
	table->buckets = kvcalloc(TASK_BUCKETS, sizeof(*table->buckets),
				  GFP_KERNEL);
	if (!table->buckets)
		return -ENOMEM;
	err = task_hook(session);
	if (!err) {
		err = task_add_existing(session);
		if (!err)
			return 0;
		task_unhook(session, ARRAY_SIZE(task_probes));
	}
	task_free_all(table);
	return err;
}

/* After the last CPU has stopped. */
void ls_task_stop(struct session *session)
{
	if (!task_needed(session))
		return;
	task_unhook(session, ARRAY_SIZE(task_probes));
	task_free_all(&session->tasks);
}

void ls_task_cpu_begin(struct cpu_ctx *cpu)
{
	if (!task_needed(cpu->session))
		return;
	rcu_read_lock();
	task_switch_in(cpu, current);
	rcu_read_unlock();
}

void ls_task_cpu_end(struct cpu_ctx *cpu)
{
	cpu->lbr_task = NULL;
	cpu->cur = NULL;
}

static void task_match_tracepoint(struct tracepoint *tp, void *priv)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(task_probes); i++)
		if (!strcmp(tp->name, task_probes[i].name))
			task_probes[i].tp = tp;
}

/* At load.  -ENOENT: a kernel without these tracepoints. */
int ls_task_init(void)
{
	size_t i;

	/* The tables above lose the types; the compiler checks them here. */
	check_trace_callback_type_sched_process_exit(task_sched_exit);
	check_trace_callback_type_sched_process_exec(task_sched_exec);
	check_trace_callback_type_sched_process_fork(task_sched_fork);
	check_trace_callback_type_sched_switch(task_sched_switch);

	for_each_kernel_tracepoint(task_match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(task_probes); i++) {
		if (!task_probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n",
			       task_probes[i].name);
			return -ENOENT;
		}
	}
	return 0;
}
