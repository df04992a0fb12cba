// SPDX-License-Identifier: GPL-2.0
/*
 * A session: the open file, its life, and the one that runs.
 *
 * session_lock covers the state of every session and which one runs.  It is
 * outside of the hotplug lock, which cpu.c takes, and not inside, because
 * hooking a tracepoint takes the hotplug lock too.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "counters.h"
#include "cpu.h"
#include "debug.h"
#include "events.h"
#include "extack.h"
#include "hooks.h"
#include "kvm.h"
#include "own.h"
#include "ring.h"
#include "session.h"
#include "target.h"
#include "task_counts.h"
#include "trigger.h"

static DEFINE_MUTEX(session_lock);
/* Under session_lock: who runs; those that are set by users without privilege. */
static struct session *session_running;
static LIST_HEAD(session_restricted);

static bool session_is_set(const struct session *session)
{
	/* Pairs with session_set_locked(): rings and config are there. */
	return smp_load_acquire(&session->state) >= SESSION_SET;
}

static int session_open(struct inode *inode, struct file *file)
{
	struct session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	init_waitqueue_head(&session->wait);
	INIT_LIST_HEAD(&session->link);
	file->private_data = session;
	return 0;
}

static void session_free_rings(struct session *session)
{
	int cpu;

	if (!session->rings)
		return;
	for_each_possible_cpu(cpu)
		ls_ring_free(session->rings[cpu]);
	kfree(session->rings);
	session->rings = NULL;
}

static int session_alloc_rings(struct session *session,
			       const struct session_config *config)
{
	const bool *frozen = config->overwrite ? &session->frozen : NULL;
	int cpu;

	session->rings = kcalloc(nr_cpu_ids, sizeof(*session->rings),
				 GFP_KERNEL);
	if (!session->rings)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		session->rings[cpu] = ls_ring_alloc(cpu, config->ring_size,
						    frozen, &session->wait);
		if (!session->rings[cpu]) {
			session_free_rings(session);
			return -ENOMEM;
		}
	}
	return 0;
}

static void session_free_totals(struct session *session)
{
	int cpu;

	if (!session->totals)
		return;
	for_each_possible_cpu(cpu) {
		if (session->totals[cpu])
			kfree(session->totals[cpu]->parts);
		kfree(session->totals[cpu]);
	}
	kfree(session->totals);
	session->totals = NULL;
}

static struct event_totals *session_new_totals(const struct events *events,
					       int node)
{
	struct event_totals *totals;

	totals = kzalloc_node(struct_size(totals, all.events, events->nr),
			      GFP_KERNEL, node);
	if (!totals || events->nr_sets < 2)
		return totals;
	totals->parts = kcalloc_node(events->nr, sizeof(*totals->parts),
				     GFP_KERNEL, node);
	if (totals->parts)
		return totals;
	kfree(totals);
	return NULL;
}

static int session_alloc_totals(struct session *session,
				const struct events *events)
{
	int cpu;

	session->totals = kcalloc(nr_cpu_ids, sizeof(*session->totals),
				  GFP_KERNEL);
	if (!session->totals)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		session->totals[cpu] = session_new_totals(events,
							  cpu_to_node(cpu));
		if (!session->totals[cpu]) {
			session_free_totals(session);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Counts begin with the session, and not with a CPU that comes later. */
static void session_clear_totals(struct session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct event_totals *totals = session->totals[cpu];

		totals->cost = (struct cost){};
		if (totals->parts)
			memset(totals->parts, 0, session->events->nr *
			       sizeof(*totals->parts));
		ls_counters_init(&totals->all, session->events, cpu);
	}
}

/*
 * Rings are memory of the kernel's, and one session runs at a time: a user without
 * privilege has one.
 */
static int session_restrict(struct session *session, const struct cred *cred,
			    struct netlink_ext_ack *extack)
{
	struct session *other;

	list_for_each_entry(other, &session_restricted, link)
		if (uid_eq(other->cred->uid, cred->uid)) {
			NL_SET_ERR_MSG(extack, "you have a session already; more than one needs CAP_PERFMON or CAP_SYS_ADMIN");
			return -EBUSY;
		}
	session->cred = get_cred(cred);
	list_add(&session->link, &session_restricted);
	return 0;
}

static void session_unrestrict(struct session *session)
{
	list_del_init(&session->link);
	if (session->cred)
		put_cred(session->cred);
	session->cred = NULL;
}

/* The CPUs that are asked for; *cpus is NULL for all. */
static int session_parse_cpus(const char *list, struct cpumask **cpus,
			      struct netlink_ext_ack *extack)
{
	*cpus = NULL;
	if (!list)
		return 0;
	*cpus = kzalloc(cpumask_size(), GFP_KERNEL);
	if (!*cpus)
		return -ENOMEM;
	if (cpulist_parse(list, *cpus)) {
		NL_SET_ERR_MSG(extack, "CPUS is no list of CPUs, as 0-3,8");
	} else if (!cpumask_subset(*cpus, cpu_possible_mask) ||
		   !cpumask_intersects(*cpus, cpu_online_mask)) {
		NL_SET_ERR_MSG(extack, "CPUS has a CPU that cannot exist, or none that is online");
	} else {
		return 0;
	}
	kfree(*cpus);
	return -EINVAL;
}

static int session_configure(struct session *session,
			     const struct session_config *config,
			     struct events *events, struct triggers *triggers,
			     struct netlink_ext_ack *extack)
{
	struct cpumask *cpus;
	int err;

	err = session_parse_cpus(config->cpus, &cpus, extack);
	if (err)
		return err;
	err = ls_target_open(&session->target, &config->target,
			     session->cred, extack);
	if (err)
		goto err_target;
	err = session_alloc_totals(session, events);
	if (err)
		goto err_totals;
	err = session_alloc_rings(session, config);
	if (err) {
		NL_SET_ERR_MSG(extack, "no memory for the rings; ask for smaller ones");
		goto err_rings;
	}
	session->events = events;
	session->triggers = triggers;
	session->config = *config;
	session->config.cpus = NULL;
	session->config.target = (struct target_config){};
	session->cpus = cpus;
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	ls_sample_prepare(session);
	/* Pairs with session_is_set(). */
	smp_store_release(&session->state, SESSION_SET);
	return 0;

err_rings:
	session_free_totals(session);
err_totals:
	ls_target_close(&session->target);
err_target:
	kfree(cpus);
	return err;
}

static int session_set_locked(struct session *session,
			      const struct session_config *config,
			      struct events *events,
			      struct triggers *triggers,
			      const struct cred *cred,
			      struct netlink_ext_ack *extack)
{
	int err = 0;

	if (session->state != SESSION_NEW) {
		NL_SET_ERR_MSG(extack, "this file is configured already; open another one");
		return -EALREADY;
	}
	if (cred)
		err = session_restrict(session, cred, extack);
	if (err)
		return err;
	err = session_configure(session, config, events, triggers, extack);
	if (err)
		session_unrestrict(session);
	return err;
}

int ls_session_set(struct session *session,
		   const struct session_config *config, struct events *events,
		   struct triggers *triggers, const struct cred *cred,
		   struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&session_lock);
	err = session_set_locked(session, config, events, triggers, cred,
				 extack);
	mutex_unlock(&session_lock);
	return err;
}

/* Every step is undone in reverse by session_stop_locked(). */
static int session_begin(struct session *session,
			 struct netlink_ext_ack *extack)
{
	int err;

	if (ls_kvm_takes_counters()) {
		NL_SET_ERR_MSG(extack, "KVM gives the counters to virtual machines, whoever has reserved them: load kvm_intel or kvm_amd with enable_mediated_pmu=0");
		return -EOPNOTSUPP;
	}
	err = ls_own_claim();
	if (err) {
		NL_SET_ERR_MSG(extack, "the PMU is in use: perf events, the NMI watchdog (kernel.nmi_watchdog) or a virtual machine's vPMU");
		return err;
	}
	session_clear_totals(session);
	err = ls_hooks_start(session);
	if (err) {
		if (err == -ESRCH)
			NL_SET_ERR_MSG(extack, "the targets have exited");
		else
			NL_SET_ERR_MSG(extack, "no memory to keep track of tasks");
		goto err_task;
	}
	ls_debug_start();
	err = ls_cpu_start_all(session, extack);
	if (err)
		goto err_cpu;
	err = ls_triggers_arm(session, extack);
	if (err)
		goto err_triggers;
	return 0;

err_triggers:
	ls_cpu_stop_all();
err_cpu:
	ls_debug_stop();
	ls_hooks_stop(session);
err_task:
	ls_own_release();
	return err;
}

static int session_start_locked(struct session *session,
				struct netlink_ext_ack *extack)
{
	int err;

	if (session->state == SESSION_NEW) {
		NL_SET_ERR_MSG(extack, "the session is not configured");
		return -ENODATA;
	}
	if (session->state == SESSION_RUNNING) {
		NL_SET_ERR_MSG(extack, "the session runs already");
		return -EALREADY;
	}
	if (session_running) {
		NL_SET_ERR_MSG_FMT(extack, "process %d (%s) holds the PMU with a session of its own",
				   pid_vnr(session_running->owner),
				   session_running->owner_comm);
		return -EBUSY;
	}
	if (security_locked_down(LOCKDOWN_PERF)) {
		NL_SET_ERR_MSG(extack, "the kernel is locked down");
		return -EPERM;
	}
	/* They may have become others since SET. */
	err = ls_target_check(&session->target, session->cred, extack);
	if (err)
		return err;
	WRITE_ONCE(session->frozen, false);
	err = session_begin(session, extack);
	if (err)
		return err;
	put_pid(session->owner);
	session->owner = get_pid(task_tgid(current));
	get_task_comm(session->owner_comm, current);
	session_running = session;
	WRITE_ONCE(session->state, SESSION_RUNNING);
	return 0;
}

int ls_session_start(struct session *session, struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&session_lock);
	err = session_start_locked(session, extack);
	mutex_unlock(&session_lock);
	return err;
}

static void session_stop_locked(struct session *session)
{
	ls_triggers_disarm(session);
	ls_cpu_stop_all();
	ls_debug_stop();
	ls_hooks_stop(session);
	ls_own_release();
	session_running = NULL;
	WRITE_ONCE(session->state, SESSION_STOPPED);
	wake_up_interruptible(&session->wait);
}

int ls_session_stop(struct session *session, struct netlink_ext_ack *extack)
{
	int err = 0;

	mutex_lock(&session_lock);
	if (session->state == SESSION_RUNNING) {
		session_stop_locked(session);
	} else {
		NL_SET_ERR_MSG(extack, "the session does not run");
		err = -EINVAL;
	}
	mutex_unlock(&session_lock);
	return err;
}

static int session_check_flight(const struct session *session,
				struct netlink_ext_ack *extack)
{
	if (session->state != SESSION_RUNNING)
		NL_SET_ERR_MSG(extack, "the session does not run");
	else if (!session->config.overwrite)
		NL_SET_ERR_MSG(extack, "the session's rings do not overwrite: read them while they are written");
	else
		return 0;
	return -EINVAL;
}

/* Writers look at frozen with interrupts off, or in the NMI. */
int ls_session_freeze(struct session *session, struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&session_lock);
	err = session_check_flight(session, extack);
	if (!err) {
		WRITE_ONCE(session->frozen, true);
		ls_cpu_wait_all();
		wake_up_interruptible(&session->wait);
	}
	mutex_unlock(&session_lock);
	return err;
}

int ls_session_thaw(struct session *session, struct netlink_ext_ack *extack)
{
	int err;

	mutex_lock(&session_lock);
	err = session_check_flight(session, extack);
	if (!err)
		WRITE_ONCE(session->frozen, false);
	mutex_unlock(&session_lock);
	return err;
}

static void session_add_cost(struct cost *sum, const struct cost *cost)
{
	sum->nmi += READ_ONCE(cost->nmi);
	sum->switches += READ_ONCE(cost->switches);
	sum->time += READ_ONCE(cost->time);
}

static void session_add_ring(struct session_stats *stats,
			     const struct ring *ring)
{
	const struct lbrscope_ring *shared = ring->shared;
	int i;

	stats->produced += READ_ONCE(shared->produced);
	stats->delivered += READ_ONCE(shared->delivered);
	for (i = 0; i < LBRSCOPE_LOST_NR; i++)
		stats->lost[i] += READ_ONCE(shared->lost[i]);
	for (i = 0; i < LBRSCOPE_OFFCPU_NR; i++) {
		stats->offcpu[i] += READ_ONCE(shared->offcpu[i].nr);
		stats->offcpu_ns[i] += READ_ONCE(shared->offcpu[i].ns);
	}
}

/* All 0 before the session is configured. */
void ls_session_get(struct session *session, struct session_stats *stats)
{
	int cpu;

	*stats = (struct session_stats){};
	if (!session_is_set(session))
		return;
	stats->running = READ_ONCE(session->state) == SESSION_RUNNING;
	stats->frozen = READ_ONCE(session->frozen);
	stats->untracked = atomic64_read(&session->tasks.untracked);
	stats->hidden = atomic64_read(&session->tasks.hidden);
	stats->tasks_lost = atomic64_read(&session->tasks.counts_lost);
	stats->missed = ls_triggers_missed(session->triggers);
	stats->offcpu_wanted = session->config.offcpu.wanted;
	stats->offcpu_open = READ_ONCE(session->tasks.open);
	for_each_possible_cpu(cpu) {
		session_add_ring(stats, session->rings[cpu]);
		session_add_cost(&stats->cost, &session->totals[cpu]->cost);
	}
}

int ls_session_count(struct session *session, u32 cpu,
		     struct lbrscope_count *counts,
		     struct netlink_ext_ack *extack)
{
	int nr;

	mutex_lock(&session_lock);
	if (session->state == SESSION_NEW) {
		NL_SET_ERR_MSG(extack, "the session is not configured");
		nr = -ENODATA;
	} else if (cpu >= nr_cpu_ids || !cpu_possible(cpu)) {
		NL_SET_ERR_MSG(extack, "there is no such CPU");
		nr = -ENXIO;
	} else {
		ls_cpu_count(session, cpu, counts);
		nr = session->events->nr;
	}
	mutex_unlock(&session_lock);
	return nr;
}

int ls_session_count_tasks(struct session *session, u64 *cursor, void *page, u32 size,
			   struct netlink_ext_ack *extack)
{
	int done = -ENODATA;

	mutex_lock(&session_lock);
	if (session->state < SESSION_RUNNING) {
		NL_SET_ERR_MSG(extack, "the session was not started");
	} else if (!session->config.task_counts) {
		NL_SET_ERR_MSG(extack, "the session was configured without TASK_COUNTS");
		done = -EINVAL;
	} else if (!session->tasks.buckets) {
		NL_SET_ERR_MSG(extack, "a START that failed has left nothing of what was counted before");
	} else {
		if (session->state == SESSION_RUNNING && !*cursor) {
			ls_cpu_add_up_all();
			ls_task_counts_name(session);
		}
		done = ls_task_counts_page(session, cursor, page, size);
	}
	mutex_unlock(&session_lock);
	return done;
}

/* May the current user do something with it, who has no privilege? */
bool ls_session_is_mine(const struct session *session, const struct file *file)
{
	return uid_eq(file->f_cred->uid, current_uid()) &&
	       (!session_is_set(session) || session->cred);
}

/* Who has the PMU through us; false: nobody.  The pid is the reader's view. */
bool ls_session_owner(u32 *pid, char comm[TASK_COMM_LEN])
{
	bool running;

	mutex_lock(&session_lock);
	running = session_running;
	if (running) {
		*pid = pid_vnr(session_running->owner);
		strscpy(comm, session_running->owner_comm, TASK_COMM_LEN);
	}
	mutex_unlock(&session_lock);
	return running;
}

static int session_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	mutex_lock(&session_lock);
	if (session->state == SESSION_RUNNING)
		session_stop_locked(session);
	session_unrestrict(session);
	mutex_unlock(&session_lock);

	session_free_rings(session);
	session_free_totals(session);
	ls_task_free_table(&session->tasks);
	kvfree(session->events);
	ls_triggers_free(session->triggers);
	put_pid(session->owner);
	ls_target_close(&session->target);
	kfree(session->cpus);
	if (session->pid_ns)
		put_pid_ns(session->pid_ns);
	kfree(session);
	return 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *session = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 cpu = offset >> 32;

	if (!session_is_set(session))
		return -ENODEV;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	if (offset == LBRSCOPE_RING_OFF(cpu))
		return ls_ring_mmap(session->rings[cpu], vma, false);
	if (offset == LBRSCOPE_RING_TAIL_OFF(cpu))
		return ls_ring_mmap(session->rings[cpu], vma, true);
	return -EINVAL;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct session *session = file->private_data;
	int cpu;

	poll_wait(file, &session->wait, wait);
	if (!session_is_set(session))
		return 0;
	if (READ_ONCE(session->state) == SESSION_STOPPED)
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	for_each_possible_cpu(cpu)
		if (ls_ring_readable(session->rings[cpu]))
			return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* .owner keeps the module while a descriptor or a mapping is there. */
const struct file_operations ls_session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.mmap = session_mmap,
	.poll = session_poll,
	.llseek = noop_llseek,
};
