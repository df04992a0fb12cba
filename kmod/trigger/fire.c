// SPDX-License-Identifier: GPL-2.0
/*
 * A trigger fires: takes a sample and freezes the rings if that was asked for.
 *
 * Context: any but the module's own NMI: debug exception, int3, tracepoint, ftrace hook,
 * or the task itself.  The NMI may interrupt a handler, and a handler may hit another
 * probe.  A trigger therefore has its own memory on each CPU, and a trigger within
 * another one on the same CPU takes no sample.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "cpu/cpu.h"
#include "lbr/lbr.h"
#include "ring/ring.h"
#include "sample/sample.h"
#include "session/session.h"
#include "task/task.h"
#include "trigger/trigger.h"

/* Locks: used on its CPU, interrupts off. */
struct ls_trigger_cpu {
	bool busy;
	struct ls_lbr_stack branches;
};

static DEFINE_PER_CPU(struct ls_trigger_cpu, trigger_cpus);

/* Whether the current task is sampled. */
static nokprobe_inline bool ls_trigger_concerns(const struct ls_cpu_ctx *cpu)
{
	if (!ls_target_given(&cpu->session->target))
		return true;
	return cpu->cur && cpu->cur->task == current && cpu->cur->enabled;
}

/*
 * Whether the recording of branches stops while they are read.  A record of kernel
 * branches would be overwritten by those of the handler.  After a debug exception it is
 * off already, and has to be switched on again (debug.c).
 */
static nokprobe_inline bool ls_trigger_pauses(const struct ls_cpu_ctx *cpu,
					  const struct ls_trigger *trigger)
{
	const struct ls_lbr_mode *mode = &cpu->session->config.branches;

	return ls_lbr_of_kernel(mode) ||
	       (ls_lbr_wanted(mode) &&
		trigger->kind == LBRSCOPE_TRIGGER_WATCHPOINT);
}

void ls_trigger_freeze(struct ls_cpu_ctx *cpu)
{
	WRITE_ONCE(cpu->session->frozen, true);
	ls_ring_wake(cpu->ring);
}
NOKPROBE_SYMBOL(ls_trigger_freeze);

static nokprobe_inline void ls_trigger_take(struct ls_cpu_ctx *cpu,
					const struct ls_trigger *trigger,
					const struct pt_regs *regs, u64 ip,
					u64 value)
{
	if (!ls_trigger_concerns(cpu))
		return;
	ls_sample_trigger(cpu, this_cpu_ptr(&trigger_cpus.branches), trigger,
			  regs, ip, value);
	if (trigger->freezes)
		ls_trigger_freeze(cpu);
}

static void ls_trigger_lose(struct ls_cpu_ctx *cpu, const struct ls_trigger *trigger)
{
	if (ls_trigger_concerns(cpu))
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_THROTTLED);
	if (ls_trigger_pauses(cpu, trigger))
		ls_lbr_reassert();
}
NOKPROBE_SYMBOL(ls_trigger_lose);

/*
 * Whether the trigger belongs to the session that samples on this CPU.  A uprobe may
 * outlive the STOP of its session and fire in another one.
 */
static nokprobe_inline bool ls_trigger_belongs(const struct ls_cpu_ctx *cpu,
					       const struct ls_trigger *trigger)
{
	return cpu->session && cpu->session->triggers ==
		container_of(trigger - trigger->index, struct ls_triggers, list[0]);
}

/* Each branch that is recorded before the pause replaces one of the program. */
void ls_trigger_fire(const struct ls_trigger *trigger, const struct pt_regs *regs,
		     u64 ip, u64 value)
{
	struct ls_cpu_ctx *cpu;
	unsigned long flags;
	bool pauses;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (unlikely(!ls_trigger_belongs(cpu, trigger)))
		goto out;
	if (likely(!this_cpu_read(trigger_cpus.busy))) {
		this_cpu_write(trigger_cpus.busy, true);
		pauses = ls_trigger_pauses(cpu, trigger);
		if (likely(pauses))
			ls_lbr_pause();
		ls_trigger_take(cpu, trigger, regs, ip, value);
		if (pauses)
			ls_lbr_resume();
		this_cpu_write(trigger_cpus.busy, false);
	} else {
		ls_trigger_lose(cpu, trigger);
	}
out:
	local_irq_restore(flags);
}
NOKPROBE_SYMBOL(ls_trigger_fire);
