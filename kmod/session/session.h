/* SPDX-License-Identifier: GPL-2.0 */
/* A session: its file, its configuration, its state. */
#ifndef LBRSCOPE_SESSION_H
#define LBRSCOPE_SESSION_H

#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "counters/pace.h"
#include "lbr/lbr.h"
#include "sample/sample.h"
#include "session/charge.h"
#include "task/offcpu.h"
#include "task/target.h"
#include "task/task.h"

struct cpumask;
struct cred;
struct ls_cpu_memory;
struct ls_events;
struct lbrscope_count;
struct ls_extack;
struct pid;
struct pid_namespace;
struct ls_triggers;

/* The request of LBRSCOPE_CMD_SESSION_SET. */
struct ls_session_config {
	struct ls_lbr_mode branches;
	struct ls_sample_config sample;
	struct ls_offcpu_config offcpu;
	bool on_exec;
	bool task_counts;	/* the counts of each task are delivered */
	u32 budget;	/* thousandths of a CPU's time for the measurement */
	u32 ring_size;	/* bytes */
	bool overwrite;	/* full rings drop the oldest records */
	struct ls_target_config target;
	const char *cpus;	/* a list in the kernel's format, NULL: all;
				 * belongs to the caller
				 */
};

enum ls_session_state {
	SESSION_NEW,		/* opened */
	SESSION_SET,		/* configured, with rings */
	SESSION_RUNNING,
	SESSION_STOPPED,	/* can be started again */
};

/*
 * An open LBRSCOPE_DEVICE.  The fields of SESSION_SET are written under lock and constant
 * from then on; a reader without the lock checks state >= SESSION_SET first (released
 * there, acquired by the reader).  All else is written under ls_session_lock.
 *
 * Lock order: lock, ls_session_lock of session_lock.h, the CPU hotplug lock.
 */
struct ls_session {
	/*
	 * One command at a time, from the check of the sender's rights to its end.
	 * netlink.c holds it; mapping, poll() and the last close do not take it.
	 */
	struct mutex lock;
	enum ls_session_state state;
	struct ls_session_config config;
	struct ls_events *events;
	bool pmu;			/* it uses counters or branch records; else it
					 * leaves the PMU alone
					 */
	struct ls_triggers *triggers;	/* NULL: none */
	struct cpumask *cpus;		/* the sampled CPUs; NULL: all */
	struct ls_target target;
	struct pid_namespace *pid_ns;	/* namespace of the pids in records */
	const struct cred *cred;	/* of an unprivileged user: only tasks that
					 * the user may read are measured, and only
					 * their user mode; NULL: privileged
					 */
	struct ls_charge charge;	/* of cred's user, under ls_session_lock */
	struct ls_cpu_memory *memory;	/* by CPU, for each possible one */
	u64 touched;			/* jiffies: the owner's last sign of life;
					 * written by any holder of the file
					 */
	u64 tails;			/* ls_session_tails() at the last check */
	enum lbrscope_ended ended;	/* why the module has stopped the session */
	bool frozen;			/* the rings must not be written */
	wait_queue_head_t wait;		/* pollers */
	struct ls_task_table tasks;	/* while RUNNING; with task_counts until the next
					 * START or the end
					 */
	bool arming;			/* it runs, and START has not ended: uprobes are
					 * being registered
					 */
};

/* Sums over all CPUs. */
struct ls_session_stats {
	bool running, frozen;
	u32 ended;		/* enum lbrscope_ended */
	u64 produced, delivered, lost[8], unwanted, untracked, hidden, missed;
	u64 tasks_lost, branches_off;
	struct ls_cost cost;	/* cycles of the TSC */
	bool offcpu_wanted;
	u64 offcpu[LBRSCOPE_OFFCPU_NR], offcpu_ns[LBRSCOPE_OFFCPU_NR];
	u64 offcpu_open;
};

extern const struct file_operations ls_session_file_ops;

/* If true, the fields of SESSION_SET may be read. */
static inline bool ls_session_is_set(const struct ls_session *session)
{
	/* Pairs with ls_session_set_config(), which has stored memory and config before. */
	return smp_load_acquire(&session->state) >= SESSION_SET;
}

/* Notes a sign of life of the owner. */
static inline void ls_session_touch(struct ls_session *session)
{
	WRITE_ONCE(session->touched, get_jiffies_64());
}

/*
 * The commands.
 * Locks: the caller holds session->lock of the session that it passes.
 */

/* Returns: 0 if the session was not configured yet, else -EALREADY. */
int ls_session_set_check_new(const struct ls_session *session, struct ls_extack *extack);

/*
 * Configures the session.  Finds counters for the events first; events->blame is an event
 * that has none.  On success the session owns events and triggers; triggers may be NULL.
 * cred: the unprivileged user, or NULL.
 * Returns: 0, or a negative errno with the reason in extack.
 */
int ls_session_set(struct ls_session *session,
		   const struct ls_session_config *config, struct ls_events *events,
		   struct ls_triggers *triggers, const struct cred *cred,
		   struct ls_extack *extack);
int ls_session_start(struct ls_session *session, struct ls_extack *extack);
int ls_session_stop(struct ls_session *session, struct ls_extack *extack);
int ls_session_freeze(struct ls_session *session, struct ls_extack *extack);
int ls_session_thaw(struct ls_session *session, struct ls_extack *extack);

/*
 * Reads the counts of each event on one CPU into counts, which has LBRSCOPE_EVENTS_MAX
 * elements.
 * Returns: the number of events, or -ENODATA, -ENXIO.
 */
int ls_session_stats_count(struct ls_session *session, u32 cpu,
			   struct lbrscope_count *counts,
			   struct ls_extack *extack);

/*
 * Fills a page of size bytes with the counts of tasks that have not ended, from *cursor
 * on.  *cursor moves behind these tasks; it is 0 after the last one.
 * Returns: the bytes that are filled, or -ENODATA, -EINVAL.
 */
int ls_session_stats_count_tasks(struct ls_session *session, u64 *cursor, void *page, u32 size,
				 struct ls_extack *extack);

/*
 * Selects processes, or ends their selection, as ls_task_select().
 * Returns: 0, -ENODATA, -EINVAL or -ESRCH.
 */
int ls_session_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		      struct ls_extack *extack);

/* Sums up the statistics; all 0 before the session is configured. */
void ls_session_stats_get(struct ls_session *session, struct ls_session_stats *stats);

/* Whether the current, unprivileged user may command this session. */
bool ls_session_file_is_mine(const struct ls_session *session, const struct file *file);

/* Stops the session if it runs.  Context: the last close. */
void ls_session_close(struct ls_session *session);
void ls_session_shutdown(void);
void ls_session_exit(void);

#endif
