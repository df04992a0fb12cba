// SPDX-License-Identifier: GPL-2.0
/*
 * Arms and disarms the triggers of a session, each by the functions of its kind.  What
 * happens when one fires is in trigger/fire.c.
 */
#include <linux/cpu.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/netlink.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "session/session.h"
#include "trigger/kinds.h"

/* The triggers of the running session.  Locks: CPU hotplug lock. */
static struct ls_triggers *trigger_armed;

/* By kind.  Kinds without functions need no arming: nmi.c and offcpu.c fire them. */
static const struct {
	int (*arm)(struct ls_trigger *trigger, const char **why);
	void (*disarm)(struct ls_trigger *trigger);
} trigger_kinds[] = {
	[LBRSCOPE_TRIGGER_WATCHPOINT] = {
		ls_trigger_watch_arm, ls_trigger_watch_disarm },
	[LBRSCOPE_TRIGGER_UPROBE] = {
		ls_trigger_uprobe_arm, ls_trigger_uprobe_disarm },
	[LBRSCOPE_TRIGGER_KPROBE] = {
		ls_trigger_kprobe_arm, ls_trigger_kprobe_disarm },
	[LBRSCOPE_TRIGGER_KRETPROBE] = {
		ls_trigger_kretprobe_arm, ls_trigger_kretprobe_disarm },
	[LBRSCOPE_TRIGGER_EXEC] = {
		ls_trigger_task_arm, ls_trigger_task_disarm },
	[LBRSCOPE_TRIGGER_EXIT] = {
		ls_trigger_task_arm, ls_trigger_task_disarm },
	[LBRSCOPE_TRIGGER_SIGNAL] = {
		ls_trigger_task_arm, ls_trigger_task_disarm },
	[LBRSCOPE_TRIGGER_EVENT] = { NULL, NULL },
	[LBRSCOPE_TRIGGER_OFFCPU] = { NULL, NULL },
};

static void ls_trigger_set_armed(struct ls_triggers *triggers)
{
	cpus_read_lock();
	trigger_armed = triggers;
	cpus_read_unlock();
}

/*
 * Disarms the first nr triggers, which are all that are armed.  The hotplug callbacks
 * skip them from here on, so that they find none that is half disarmed.
 */
static void ls_trigger_disarm_first(struct ls_triggers *triggers, u32 nr)
{
	ls_trigger_set_armed(NULL);
	while (nr--)
		if (trigger_kinds[triggers->list[nr].kind].disarm)
			trigger_kinds[triggers->list[nr].kind].disarm(
				&triggers->list[nr]);
}

/* CPUs must not come and go while a watchpoint is armed; probes take that lock themselves. */
static int ls_trigger_arm(const struct ls_session *session, struct ls_trigger *trigger,
			  const char **why)
{
	int err;

	if (!trigger_kinds[trigger->kind].arm)
		return 0;
	if (trigger->kind != LBRSCOPE_TRIGGER_WATCHPOINT)
		return trigger_kinds[trigger->kind].arm(trigger, why);
	trigger->watch.cpus = session->cpus;
	cpus_read_lock();
	err = ls_trigger_watch_arm(trigger, why);
	cpus_read_unlock();
	return err;
}

int ls_triggers_arm(struct ls_session *session, struct ls_extack *extack)
{
	struct ls_triggers *triggers = session->triggers;
	const char *why = "the kernel refuses it";
	u32 i;
	int err;

	lockdep_assert_held(&ls_session_lock);
	if (!triggers)
		return 0;
	ls_trigger_set_armed(triggers);
	for (i = 0; i < triggers->nr; i++) {
		err = ls_trigger_arm(session, &triggers->list[i], &why);
		if (err)
			goto err_arm;
	}
	return 0;

err_arm:
	ls_extack_set(extack, "trigger %u: %s", i, why);
	ls_trigger_disarm_first(triggers, i);
	return err;
}

void ls_triggers_disarm(struct ls_session *session)
{
	lockdep_assert_held(&ls_session_lock);
	if (session->triggers)
		ls_trigger_disarm_first(session->triggers, session->triggers->nr);
}

int ls_triggers_look(const struct ls_session *session, struct ls_extack *extack)
{
	const struct ls_triggers *triggers = session->triggers;
	const char *why = "the kernel refuses it";
	u32 i, late = 0;
	int err, ret = 0;

	lockdep_assert_held(&ls_session_lock);
	for (i = 0; triggers && i < triggers->nr; i++) {
		if (triggers->list[i].kind != LBRSCOPE_TRIGGER_UPROBE)
			continue;
		err = ls_trigger_uprobe_look(&triggers->list[i], &why);
		if (err && err != -EINPROGRESS) {
			ls_extack_set(extack, "trigger %u: %s", i, why);
			return err;
		}
		if (err && !ret) {
			ret = err;
			late = i;
		}
	}
	if (ret)
		ls_extack_set(extack, "trigger %u: Linux waits for a process that has mapped the file and keeps its memory locked", late);
	return ret;
}

u64 ls_triggers_missed(const struct ls_triggers *triggers)
{
	const struct ls_trigger *trigger;
	u64 missed = 0;
	u32 i;

	for (i = 0; triggers && i < triggers->nr; i++) {
		trigger = &triggers->list[i];
		if (trigger->kind == LBRSCOPE_TRIGGER_KPROBE ||
		    trigger->kind == LBRSCOPE_TRIGGER_KRETPROBE)
			missed += READ_ONCE(trigger->kprobe.missed);
	}
	return missed;
}

/* Calls act for each armed watchpoint.  Locks: CPU hotplug lock. */
static void ls_trigger_each_watch(void (*act)(struct ls_trigger *trigger, u32 cpu),
				  u32 cpu)
{
	struct ls_triggers *triggers = trigger_armed;
	struct ls_trigger *trigger;
	u32 i;

	for (i = 0; triggers && i < triggers->nr; i++) {
		trigger = &triggers->list[i];
		if (trigger->kind == LBRSCOPE_TRIGGER_WATCHPOINT &&
		    trigger->watch.events)
			act(trigger, cpu);
	}
}

void ls_triggers_cpu_up(u32 cpu)
{
	ls_trigger_each_watch(ls_trigger_watch_cpu_up, cpu);
}

void ls_triggers_cpu_down(u32 cpu)
{
	ls_trigger_each_watch(ls_trigger_watch_cpu_down, cpu);
}

void ls_triggers_free(struct ls_triggers *triggers)
{
	u32 i;

	for (i = 0; triggers && i < triggers->nr; i++)
		if (triggers->list[i].kind == LBRSCOPE_TRIGGER_UPROBE)
			ls_trigger_uprobe_free(&triggers->list[i]);
	kvfree(triggers);
}
