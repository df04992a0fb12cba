// SPDX-License-Identifier: GPL-2.0
/*
 * Configures a session: CPUs, targets, counters for the events, rings.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/tick.h>

#include "base/extack.h"
#include "events/cores.h"
#include "events/events.h"
#include "sample/sample.h"
#include "session/memory.h"
#include "session/session.h"
#include "task/target.h"

/* Parses the requested CPUs; *cpus is NULL for all. */
static int ls_session_set_cpus(const char *list, struct cpumask **cpus,
			       struct ls_extack *extack)
{
	*cpus = NULL;
	if (!list)
		return 0;
	*cpus = kzalloc(cpumask_size(), CHARGE_GFP);
	if (!*cpus)
		return -ENOMEM;
	if (cpulist_parse(list, *cpus)) {
		ls_extack_set(extack, "CPUS is not a list of CPUs, such as 0-3,8");
	} else if (!cpumask_subset(*cpus, cpu_possible_mask) ||
		   !cpumask_intersects(*cpus, cpu_online_mask)) {
		ls_extack_set(extack, "CPUS has a CPU that cannot exist, or none that is online");
	} else {
		return 0;
	}
	kfree(*cpus);
	return -EINVAL;
}

/*
 * A user without privilege interrupts no CPU that is kept free of interrupts (nohz_full), and
 * START, STOP and the wake-up of a reader would.
 */
static int ls_session_set_leave_out(struct cpumask **cpus, struct ls_extack *extack)
{
	int cpu;

	if (!tick_nohz_full_enabled())
		return 0;
	if (!*cpus) {
		*cpus = kzalloc(cpumask_size(), CHARGE_GFP);
		if (!*cpus)
			return -ENOMEM;
		for_each_possible_cpu(cpu)
			if (!tick_nohz_full_cpu(cpu))
				cpumask_set_cpu(cpu, *cpus);
		return 0;
	}
	for_each_cpu(cpu, *cpus)
		if (tick_nohz_full_cpu(cpu)) {
			ls_extack_set(extack, "CAP_PERFMON or CAP_SYS_ADMIN is needed for CPU %d, which is isolated (nohz_full)",
				      cpu);
			return -EPERM;
		}
	return 0;
}

static int ls_session_set_config(struct ls_session *session,
				 const struct ls_session_config *config,
				 struct ls_events *events, struct ls_triggers *triggers,
				 struct ls_extack *extack)
{
	struct cpumask *cpus;
	int err;

	err = ls_session_set_cpus(config->cpus, &cpus, extack);
	if (err)
		return err;
	if (session->cred)
		err = ls_session_set_leave_out(&cpus, extack);
	if (err)
		goto err_target;
	err = ls_target_open(&session->target, &config->target,
			     session->cred, extack);
	if (err)
		goto err_target;
	if (session->cred) {
		err = ls_charge_take(&session->charge, session->cred,
				     ls_memory_of_cpus(config, cpus), extack);
		if (err)
			goto err_charge;
	}
	err = ls_cores_schedule(events, cpus, extack);
	if (err)
		goto err_memory;
	err = ls_memory_alloc(session, config, events, cpus);
	if (err) {
		ls_extack_set(extack, "no memory for the session, here or in your cgroup (memory.max); ask for smaller rings (RING_SIZE), or for fewer CPUs (CPUS)");
		goto err_memory;
	}
	session->events = events;
	session->triggers = triggers;
	session->config = *config;
	session->config.cpus = NULL;
	session->config.target = (struct ls_target_config){};
	session->cpus = cpus;
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	session->pmu = events->counters || ls_lbr_wanted(&config->branches);
	ls_sample_prepare(session);
	/* Pairs with ls_session_is_set(). */
	smp_store_release(&session->state, SESSION_SET);
	return 0;

err_memory:
	ls_charge_drop(&session->charge);
err_charge:
	ls_target_close(&session->target);
err_target:
	kfree(cpus);
	return err;
}

int ls_session_set_check_new(const struct ls_session *session, struct ls_extack *extack)
{
	lockdep_assert_held(&session->lock);
	if (session->state == SESSION_NEW)
		return 0;
	ls_extack_set(extack, "this file is configured already; open another one");
	return -EALREADY;
}

int ls_session_set(struct ls_session *session,
		   const struct ls_session_config *config, struct ls_events *events,
		   struct ls_triggers *triggers, const struct cred *cred,
		   struct ls_extack *extack)
{
	int err;

	lockdep_assert_held(&session->lock);
	session->cred = cred;
	err = ls_session_set_config(session, config, events, triggers, extack);
	if (err)
		session->cred = NULL;
	else if (cred)
		get_cred(cred);
	return err;
}
