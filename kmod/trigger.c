// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: arming what a session waits for, and what happens when it comes.
 *
 * A handler may run in any context that is not our own NMI's: in the debug
 * exception, in int3, under a tracepoint or an ftrace hook, in the task itself.
 * The NMI interrupts it, and may itself run into a probe; so what a trigger
 * writes to is its own, and one within another on the same CPU is left out.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "cpu.h"
#include "extack.h"
#include "ring.h"
#include "sample.h"
#include "session.h"
#include "task.h"
#include "trigger_kinds.h"

/* Written on the CPU, interrupts off. */
struct trigger_cpu {
	bool busy;
	struct lbr_stack branches;
};

static DEFINE_PER_CPU(struct trigger_cpu, trigger_cpus);

/* Of the session that runs; written with the hotplug lock. */
static struct triggers *trigger_armed;

/* Is the current task sampled? */
static nokprobe_inline bool trigger_concerns(const struct cpu_ctx *cpu)
{
	if (!ls_target_given(&cpu->session->target))
		return true;
	return cpu->cur && cpu->cur->task == current && cpu->cur->enabled;
}

/*
 * Where kernel branches are recorded, the recording would run over what is to be
 * read; and a debug exception has switched it off already (debug.c).
 */
static nokprobe_inline bool trigger_pauses(const struct cpu_ctx *cpu,
					  const struct trigger *trigger)
{
	const struct lbr_mode *mode = &cpu->session->config.branches;

	return ls_lbr_of_kernel(mode) ||
	       (ls_lbr_wanted(mode) &&
		trigger->kind == LBRSCOPE_TRIGGER_WATCHPOINT);
}

void ls_trigger_freeze(struct cpu_ctx *cpu)
{
	WRITE_ONCE(cpu->session->frozen, true);
	ls_ring_wake(cpu->ring);
}
NOKPROBE_SYMBOL(ls_trigger_freeze);

static nokprobe_inline void trigger_take(struct cpu_ctx *cpu,
					const struct trigger *trigger,
					const struct pt_regs *regs, u64 ip,
					u64 value)
{
	if (!trigger_concerns(cpu))
		return;
	ls_sample_trigger(cpu, this_cpu_ptr(&trigger_cpus.branches), trigger,
			  regs, ip, value);
	if (trigger->freezes)
		ls_trigger_freeze(cpu);
}

static void trigger_lose(struct cpu_ctx *cpu, const struct trigger *trigger)
{
	if (trigger_concerns(cpu))
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_THROTTLED);
	if (trigger_pauses(cpu, trigger))
		ls_lbr_reassert();
}
NOKPROBE_SYMBOL(trigger_lose);

/*
 * Is it the trigger of the session that samples here?  A uprobe may outlive its session's
 * STOP, and meet another session.
 */
static nokprobe_inline bool trigger_belongs(const struct cpu_ctx *cpu,
					    const struct trigger *trigger)
{
	return cpu->session && cpu->session->triggers ==
		container_of(trigger - trigger->index, struct triggers, list[0]);
}

/* Each branch before the pause is one in place of another. */
void ls_trigger_fire(const struct trigger *trigger, const struct pt_regs *regs,
		     u64 ip, u64 value)
{
	struct cpu_ctx *cpu;
	unsigned long flags;
	bool pauses;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (unlikely(!trigger_belongs(cpu, trigger)))
		goto out;
	if (likely(!this_cpu_read(trigger_cpus.busy))) {
		this_cpu_write(trigger_cpus.busy, true);
		pauses = trigger_pauses(cpu, trigger);
		if (likely(pauses))
			ls_lbr_pause();
		trigger_take(cpu, trigger, regs, ip, value);
		if (pauses)
			ls_lbr_resume();
		this_cpu_write(trigger_cpus.busy, false);
	} else {
		trigger_lose(cpu, trigger);
	}
out:
	local_irq_restore(flags);
}
NOKPROBE_SYMBOL(ls_trigger_fire);

/* By kind; those without are of who calls ls_trigger_freeze(). */
static const struct {
	int (*arm)(struct trigger *trigger, const char **why);
	void (*disarm)(struct trigger *trigger);
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

static void trigger_set_armed(struct triggers *triggers)
{
	cpus_read_lock();
	trigger_armed = triggers;
	cpus_read_unlock();
}

/*
 * The first nr of them, which are all that are armed.  No CPU that comes or goes is
 * looked after from here on, so that it meets none that is half gone.
 */
static void trigger_disarm_first(struct triggers *triggers, u32 nr)
{
	trigger_set_armed(NULL);
	while (nr--)
		if (trigger_kinds[triggers->list[nr].kind].disarm)
			trigger_kinds[triggers->list[nr].kind].disarm(
				&triggers->list[nr]);
}

/* The CPUs of a watchpoint must not come and go; a probe takes that lock itself. */
static int trigger_arm(const struct session *session, struct trigger *trigger,
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

int ls_triggers_arm(struct session *session, struct netlink_ext_ack *extack)
{
	struct triggers *triggers = session->triggers;
	const char *why = "the kernel refuses it";
	u32 i;
	int err;

	if (!triggers)
		return 0;
	trigger_set_armed(triggers);
	for (i = 0; i < triggers->nr; i++) {
		err = trigger_arm(session, &triggers->list[i], &why);
		if (err)
			goto err_arm;
	}
	return 0;

err_arm:
	NL_SET_ERR_MSG_FMT(extack, "trigger %u: %s", i, why);
	trigger_disarm_first(triggers, i);
	return err;
}

void ls_triggers_disarm(struct session *session)
{
	if (session->triggers)
		trigger_disarm_first(session->triggers, session->triggers->nr);
}

/* All of them together. */
#define TRIGGER_SETTLE_TIME	(5 * HZ)

int ls_triggers_settle(struct session *session, struct netlink_ext_ack *extack)
{
	struct triggers *triggers = session->triggers;
	const char *why = "the kernel refuses it";
	long left = TRIGGER_SETTLE_TIME;
	u32 i;
	int err;

	for (i = 0; triggers && i < triggers->nr; i++) {
		if (triggers->list[i].kind != LBRSCOPE_TRIGGER_UPROBE)
			continue;
		err = ls_trigger_uprobe_settle(&triggers->list[i], &left, &why);
		if (!err)
			continue;
		NL_SET_ERR_MSG_FMT(extack, "trigger %u: %s", i, why);
		return err;
	}
	return 0;
}

u64 ls_triggers_missed(const struct triggers *triggers)
{
	const struct trigger *trigger;
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

/* A CPU comes or goes; with the hotplug lock. */
static void trigger_each_watch(void (*act)(struct trigger *trigger, u32 cpu),
			       u32 cpu)
{
	struct triggers *triggers = trigger_armed;
	struct trigger *trigger;
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
	trigger_each_watch(ls_trigger_watch_cpu_up, cpu);
}

void ls_triggers_cpu_down(u32 cpu)
{
	trigger_each_watch(ls_trigger_watch_cpu_down, cpu);
}

void ls_triggers_free(struct triggers *triggers)
{
	u32 i;

	for (i = 0; triggers && i < triggers->nr; i++)
		if (triggers->list[i].kind == LBRSCOPE_TRIGGER_UPROBE)
			ls_trigger_uprobe_free(&triggers->list[i]);
	kvfree(triggers);
}
