// SPDX-License-Identifier: GPL-2.0
/*
 * The session that runs: START and STOP, and the other causes of its end.  session/set.c
 * configures sessions, session/file.c is their open file.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/workqueue.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "counters/own.h"
#include "cpu/cpu.h"
#include "pmu/kvm.h"
#include "ring/ring.h"
#include "session/memory.h"
#include "session/owner.h"
#include "session/person.h"
#include "session/session.h"
#include "task/hooks.h"
#include "task/select.h"
#include "task/target.h"
#include "trigger/debug.h"
#include "trigger/trigger.h"

/* Locks: ls_session_lock. */
static struct ls_session *session_running;
/*
 * The machine goes down.  Written without the lock, so that STARTs which wait for the lock
 * one after the other do not keep ls_session_shutdown() from it.
 */
static bool session_no_more;
static bool session_owns;	/* the PMU is reserved, for one session or the next */

static int ls_session_claim(const struct ls_session *session, struct ls_extack *extack)
{
	int err;

	lockdep_assert_held(&ls_session_lock);
	if (!session->pmu)
		return 0;
	if (ls_kvm_takes_counters()) {
		ls_extack_set(extack, "KVM gives the counters to virtual machines although they are reserved: load kvm_intel or kvm_amd with enable_mediated_pmu=0");
		return -EOPNOTSUPP;
	}
	/* A running session may have the reservation already. */
	if (session_owns)
		return 0;
	err = ls_own_claim();
	if (err)
		ls_extack_set(extack, "the PMU is in use: perf events, the NMI watchdog (kernel.nmi_watchdog) or a virtual machine's vPMU");
	session_owns = !err;
	return err;
}

/* Releases the PMU, unless the running session uses it. */
static void ls_session_unclaim(void)
{
	if (!session_owns || (session_running && session_running->pmu))
		return;
	ls_own_release();
	session_owns = false;
}

/* From here on the tasks of the session have nodes; no CPU samples for it yet. */
static int ls_session_follow_tasks(struct ls_session *session,
				   struct ls_extack *extack)
{
	int err = ls_hooks_start(session);

	if (err == -ESRCH)
		ls_extack_set(extack, "the targets have exited");
	else if (err)
		ls_extack_set(extack, "no memory for the state of tasks");
	return err;
}

static void ls_session_stopped(struct ls_session *session)
{
	lockdep_assert_held(&ls_session_lock);
	ls_hooks_stop(session);
	session->arming = false;
	WRITE_ONCE(session->state, SESSION_STOPPED);
	wake_up_interruptible(&session->wait);
}

/* NULL: none. */
static void ls_session_set_running(struct ls_session *session)
{
	lockdep_assert_held(&ls_session_lock);
	session_running = session;
	ls_session_owner_set(session ? task_tgid(current) : NULL, session && session->cred);
}

/*
 * Preemption: the running session keeps its hooks and waits without its CPUs, until it is
 * known whether the other one starts.  The hooks of both may be registered at the same
 * time, since each ignores a CPU that samples for another session.
 */
static void ls_session_suspend(struct ls_session *session)
{
	WRITE_ONCE(session->ended, LBRSCOPE_ENDED_PREEMPTED);
	ls_cpu_stop_all();
}

/*
 * The other session has not started: this one goes on.  The ring of each CPU has a loss
 * PMU_TAKEN for the time in between.  If the CPUs cannot start any more, the session ends.
 */
static void ls_session_resume(struct ls_session *session)
{
	WRITE_ONCE(session->ended, LBRSCOPE_ENDED_NOT);
	if (!ls_cpu_start_all(session, NULL))
		return;
	WRITE_ONCE(session->ended, LBRSCOPE_ENDED_PREEMPTED);
	ls_debug_stop();
	ls_session_stopped(session);
	ls_session_set_running(NULL);
}

/* The CPUs pass from the running session, if any, to this one. */
static int ls_session_take_cpus(struct ls_session *session,
				struct ls_extack *extack)
{
	struct ls_session *before = session_running;
	int err;

	if (before)
		ls_session_suspend(before);
	else
		ls_debug_start();
	err = ls_cpu_start_all(session, extack);
	if (err)
		goto err_cpu;
	err = ls_triggers_arm(session, extack);
	if (err)
		goto err_triggers;
	if (before)
		ls_session_stopped(before);
	ls_session_set_running(session);
	return 0;

err_triggers:
	ls_cpu_stop_all();
err_cpu:
	if (before)
		ls_session_resume(before);
	else
		ls_debug_stop();
	return err;
}

/* ls_session_stop_locked() undoes each step in reverse order. */
static int ls_session_begin(struct ls_session *session,
			    struct ls_extack *extack)
{
	int err = ls_session_claim(session, extack);

	if (err)
		return err;
	ls_memory_clear_totals(session);
	err = ls_session_follow_tasks(session, extack);
	if (err)
		goto err_tasks;
	err = ls_session_take_cpus(session, extack);
	if (err)
		goto err_cpus;
	/* The one before may have used it. */
	ls_session_unclaim();
	return 0;

err_cpus:
	ls_hooks_stop(session);
err_tasks:
	ls_session_unclaim();
	return err;
}

static void ls_session_stop_locked(struct ls_session *session)
{
	lockdep_assert_held(&ls_session_lock);
	ls_triggers_disarm(session);
	ls_cpu_stop_all();
	ls_debug_stop();
	ls_session_stopped(session);
	ls_session_set_running(NULL);
	ls_session_unclaim();
}

/*
 * An unprivileged session is idle if its owner gives no sign of life: no command that
 * names it, no poll(), and no ring is read.  It is ended, so that a recorder that was
 * stopped and forgotten does not keep the PMU from all others.  A live owner keeps the
 * PMU until a privileged START preempts the session.
 */
static unsigned int session_idle_s = 60;
module_param_named(idle_seconds, session_idle_s, uint, 0644);
MODULE_PARM_DESC(idle_seconds, "a session without privilege ends when its owner was inactive for this time; 0: never");

/* Ends the session for its owner, who finds the cause in the stats. */
static void ls_session_end_locked(struct ls_session *session, enum lbrscope_ended why)
{
	WRITE_ONCE(session->ended, why);
	ls_session_stop_locked(session);
}

/* Returns: a sum that changes when the reader consumes; its value is not to be trusted. */
static u64 ls_session_tails(const struct ls_session *session)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		if (session->memory[cpu].ring)
			sum += READ_ONCE(session->memory[cpu].ring->tail->tail);
	return sum;
}

static void ls_session_look_idle(struct work_struct *work);
static DECLARE_DELAYED_WORK(session_idle_work, ls_session_look_idle);

/* Checks several times within the time that makes a session idle. */
static void ls_session_watch_idle(void)
{
	unsigned int s = READ_ONCE(session_idle_s);

	schedule_delayed_work(&session_idle_work, s ?
			      clamp_t(u64, (u64)s * HZ / 4, HZ / 4, 10 * HZ) : 10 * HZ);
}

static void ls_session_look_idle(struct work_struct *work)
{
	struct ls_session *session;
	unsigned int s = READ_ONCE(session_idle_s);
	u64 tails;

	mutex_lock(&ls_session_lock);
	session = session_running;
	if (session && session->cred) {
		tails = ls_session_tails(session);
		if (tails != session->tails)
			ls_session_touch(session);
		session->tails = tails;
		if (s && time_after64(get_jiffies_64(),
				      READ_ONCE(session->touched) + (u64)s * HZ))
			ls_session_end_locked(session, LBRSCOPE_ENDED_IDLE);
		else
			ls_session_watch_idle();
	}
	mutex_unlock(&ls_session_lock);
}

static int ls_session_refuse_second(const struct ls_session *session,
				    struct ls_extack *extack)
{
	struct ls_session_owner owner;

	if (ls_session_owner(!session->cred, &owner) && owner.pid)
		ls_extack_set(extack, "process %u (%s) holds the PMU with a session of its own",
			      owner.pid, owner.comm);
	else
		ls_extack_set(extack, "another user's process holds the PMU with a session of its own");
	return -EBUSY;
}

static bool ls_session_is_over(struct ls_extack *extack)
{
	bool over = READ_ONCE(session_no_more);

	if (over)
		ls_extack_set(extack, "the machine is going down");
	return over;
}

static int ls_session_start_locked(struct ls_session *session,
				   struct ls_extack *extack)
{
	int err;

	lockdep_assert_held(&ls_session_lock);
	if (session->state == SESSION_NEW) {
		ls_extack_set(extack, "the session is not configured");
		return -ENODATA;
	}
	if (session->state == SESSION_RUNNING) {
		ls_extack_set(extack, "the session runs already");
		return -EALREADY;
	}
	if (session_running && (session->cred || !session_running->cred))
		return ls_session_refuse_second(session, extack);
	if (ls_session_is_over(extack))
		return -ESHUTDOWN;
	if (security_locked_down(LOCKDOWN_PERF)) {
		ls_extack_set(extack, "the kernel is locked down");
		return -EPERM;
	}
	/* The targets may have gained rights since SET. */
	err = ls_target_check(&session->target, session->cred, extack);
	if (err)
		return err;
	if (session->cred) {
		err = ls_person_start(session->charge.person, extack);
		if (err)
			return err;
	}
	WRITE_ONCE(session->frozen, false);
	err = ls_session_begin(session, extack);
	if (err)
		return err;
	session->arming = session->triggers;
	WRITE_ONCE(session->ended, LBRSCOPE_ENDED_NOT);
	WRITE_ONCE(session->state, SESSION_RUNNING);
	if (session->cred) {
		ls_session_touch(session);
		ls_session_watch_idle();
	}
	return 0;
}

/* Ends the START if the triggers are armed, or if one of them could not be. */
static int ls_session_look_triggers(struct ls_session *session, struct ls_extack *extack)
{
	int err = ls_triggers_look(session, extack);

	lockdep_assert_held(&ls_session_lock);
	if (err == -EINPROGRESS)
		return err;
	session->arming = false;
	if (err)
		ls_session_stop_locked(session);
	return err;
}

int ls_session_start(struct ls_session *session, struct ls_extack *extack)
{
	int err = 0;

	lockdep_assert_held(&session->lock);
	if (ls_session_is_over(extack))
		return -ESHUTDOWN;
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	if (!session->arming)
		err = ls_session_start_locked(session, extack);
	if (!err && session->arming)
		err = ls_session_look_triggers(session, extack);
	mutex_unlock(&ls_session_lock);
	return err;
}

int ls_session_stop(struct ls_session *session, struct ls_extack *extack)
{
	bool running;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	running = session->state == SESSION_RUNNING;
	if (running)
		ls_session_stop_locked(session);
	mutex_unlock(&ls_session_lock);
	if (running)
		return 0;
	ls_extack_set(extack, "the session does not run");
	return -EINVAL;
}

/* Context: the module is unloaded; no session exists. */
void ls_session_exit(void)
{
	cancel_delayed_work_sync(&session_idle_work);
}

/* The longest wait of a shutdown for a command that does not end. */
#define SESSION_SHUTDOWN_TRIES	100
#define SESSION_SHUTDOWN_MS	50

/*
 * Stops the running session before a reboot or kexec: the next kernel must not find
 * running counters.  A command that is stuck delays the shutdown for a bounded time.
 */
void ls_session_shutdown(void)
{
	int i;

	WRITE_ONCE(session_no_more, true);
	for (i = 0; i < SESSION_SHUTDOWN_TRIES && !mutex_trylock(&ls_session_lock); i++)
		msleep(SESSION_SHUTDOWN_MS);
	if (i == SESSION_SHUTDOWN_TRIES) {
		pr_warn("a session is still being started or stopped: the counters are left running\n");
		return;
	}
	if (session_running)
		ls_session_end_locked(session_running, LBRSCOPE_ENDED_SHUTDOWN);
	mutex_unlock(&ls_session_lock);
}

static int ls_session_check_flight(const struct ls_session *session,
				   struct ls_extack *extack)
{
	if (session->state != SESSION_RUNNING)
		ls_extack_set(extack, "the session does not run");
	else if (!session->config.overwrite)
		ls_extack_set(extack, "the session's rings do not overwrite: read them while they are written");
	else
		return 0;
	return -EINVAL;
}

/*
 * Writers of the rings read frozen with interrupts off or in the NMI: a grace period waits for
 * those that have begun, and interrupts no CPU.
 */
int ls_session_freeze(struct ls_session *session, struct ls_extack *extack)
{
	int err;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	err = ls_session_check_flight(session, extack);
	if (!err) {
		WRITE_ONCE(session->frozen, true);
		synchronize_rcu();
		wake_up_interruptible(&session->wait);
	}
	mutex_unlock(&ls_session_lock);
	return err;
}

int ls_session_thaw(struct ls_session *session, struct ls_extack *extack)
{
	int err;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	err = ls_session_check_flight(session, extack);
	if (!err)
		WRITE_ONCE(session->frozen, false);
	mutex_unlock(&ls_session_lock);
	return err;
}

int ls_session_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		      struct ls_extack *extack)
{
	int err = -EINVAL;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	if (session->state == SESSION_NEW) {
		ls_extack_set(extack, "the session is not configured");
		err = -ENODATA;
	} else if (!session->config.sample.selects) {
		ls_extack_set(extack, "the session was configured without STACK_MODE LBRSCOPE_STACKS_SELECTED or _NEW");
	} else if (session->state != SESSION_RUNNING) {
		ls_extack_set(extack, "the session does not run");
	} else {
		err = ls_task_select(session, pids, nr, on, extack);
	}
	mutex_unlock(&ls_session_lock);
	return err;
}

void ls_session_close(struct ls_session *session)
{
	mutex_lock(&ls_session_lock);
	if (session->state == SESSION_RUNNING)
		ls_session_stop_locked(session);
	mutex_unlock(&ls_session_lock);
}
