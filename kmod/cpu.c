// SPDX-License-Identifier: GPL-2.0
/*
 * A session on one CPU: claiming and releasing its registers, when the session
 * starts and stops, when the CPU comes and goes, and around suspend.
 *
 * cpu_running is written with the hotplug lock held for reading, by one START
 * or STOP at a time; the hotplug callbacks read it with that lock held for
 * writing, the syscore callbacks when no other CPU is up.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "compat/syscore.h"
#include "cpu.h"
#include "hooks.h"
#include "ring.h"
#include "session.h"

DEFINE_PER_CPU(struct cpu_ctx, ls_cpu_ctx);

static struct session *cpu_running;
static enum cpuhp_state cpu_hotplug_state;

/* An NMI that is on its way when its counter stops arrives within this. */
#define CPU_STRAY_TIMEOUT	msecs_to_jiffies(100)

/* The time, where a frequency is kept; taking it is not for nothing. */
static u64 cpu_now(const struct cpu_ctx *cpu)
{
	return cpu->session->config.pace.frequency ?
	       ktime_get_mono_fast_ns() : 0;
}

void ls_cpu_resume(struct cpu_ctx *cpu, struct pace *pace, u64 left)
{
	ls_pace_run(pace, cpu_now(cpu));
	cpu->pace = pace;
	cpu->counting = true;
	ls_pmu_resume(left);
}

/*
 * Stops the counter and returns what is left of the period.  If it is over and
 * the NMI has not come yet, the sample belongs to a moment that has passed: it
 * counts as lost, and the NMI as a stray one.
 */
u64 ls_cpu_pause(struct cpu_ctx *cpu)
{
	u64 left = ls_pmu_pause(), now = cpu_now(cpu);

	cpu->counting = false;
	ls_pace_rest(cpu->pace, now);
	if (likely(left))
		return left;
	ls_pmu_acknowledge();
	if (cpu->session->config.branches.history)
		ls_lbr_thaw();
	cpu->stray_until = jiffies + CPU_STRAY_TIMEOUT;
	cpu->stray = true;
	ls_ring_lose(cpu->ring, LBRSCOPE_LOST_STOPPED);
	ls_pace_run(cpu->pace, now);
	return ls_pace_next(cpu->pace, &cpu->session->config.pace, now);
}

/*
 * 0, also where this CPU is not to be sampled; or -EBUSY: somebody who did not
 * reserve the registers uses them.
 */
static int cpu_begin(struct session *session)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	const struct session_config *config = &session->config;

	if (session->cpus && !cpumask_test_cpu(smp_processor_id(), session->cpus))
		return 0;
	if (ls_pmu_in_use() ||
	    (ls_lbr_wanted(&config->branches) && ls_lbr_in_use()))
		return -EBUSY;
	cpu->ring = session->rings[smp_processor_id()];
	cpu->cur = NULL;
	cpu->lbr_task = NULL;
	cpu->stamp = 0;
	if (ls_lbr_wanted(&config->branches))
		ls_lbr_start(&cpu->lbr, &config->branches);
	ls_pace_init(&cpu->own_pace, &config->pace, smp_processor_id());
	ls_pmu_start(&cpu->pmu, config->evtsel, cpu->own_pace.period);
	barrier();
	WRITE_ONCE(cpu->session, session);
	barrier();
	ls_hooks_cpu_begin(cpu);
	if (!session->target)
		ls_cpu_resume(cpu, &cpu->own_pace, cpu->own_pace.period);
	return 0;
}

static void cpu_end(void)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct session *session = cpu->session;

	if (!session)
		return;
	if (cpu->counting)
		ls_cpu_pause(cpu);
	ls_hooks_cpu_end(cpu);
	if (ls_lbr_wanted(&session->config.branches))
		ls_lbr_stop(&cpu->lbr);
	barrier();
	WRITE_ONCE(cpu->session, NULL);
	barrier();
	ls_pmu_stop(&cpu->pmu);
}

struct cpu_start {
	struct session *session;
	atomic_t busy;		/* CPUs that could not start */
};

static void cpu_start_ipi(void *arg)
{
	struct cpu_start *start = arg;

	if (cpu_begin(start->session))
		atomic_inc(&start->busy);
}

static void cpu_end_ipi(void *arg)
{
	cpu_end();
}

/* One caller at a time.  All CPUs start, or none. */
int ls_cpu_start_all(struct session *session, struct netlink_ext_ack *extack)
{
	struct cpu_start start = { .session = session };
	bool busy;

	cpus_read_lock();
	on_each_cpu(cpu_start_ipi, &start, 1);
	busy = atomic_read(&start.busy);
	if (busy)
		on_each_cpu(cpu_end_ipi, NULL, 1);
	else
		cpu_running = session;
	cpus_read_unlock();
	if (busy) {
		NL_SET_ERR_MSG(extack, "performance counters or branch records are running that nobody reserved (firmware, a hypervisor or another tool)");
		return -EBUSY;
	}
	return 0;
}

/* One caller at a time. */
void ls_cpu_stop_all(void)
{
	cpus_read_lock();
	cpu_running = NULL;
	on_each_cpu(cpu_end_ipi, NULL, 1);
	cpus_read_unlock();
}

/* On the CPU itself, which runs tasks already. */
static int cpu_up_here(unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	/* Failing would keep the CPU offline: it stays unsampled instead. */
	if (cpu_running)
		cpu_begin(cpu_running);
	local_irq_restore(flags);
	return 0;
}

static int cpu_down_here(unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	cpu_end();
	local_irq_restore(flags);
	return 0;
}

/*
 * The boot CPU is the last one up on the way down, with interrupts off.  The
 * registers lose their content in between.
 */
static int cpu_suspend(void)
{
	cpu_end();
	return 0;
}

static void cpu_wake(void)
{
	if (cpu_running)
		cpu_begin(cpu_running);
}

DEFINE_COMPAT_SYSCORE(cpu_syscore, cpu_suspend, cpu_wake);

int ls_cpu_init(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "lbrscope:online",
				      cpu_up_here, cpu_down_here);

	if (state < 0)
		return state;
	cpu_hotplug_state = state;
	compat_syscore_register(&cpu_syscore);
	return 0;
}

void ls_cpu_exit(void)
{
	compat_syscore_unregister(&cpu_syscore);
	cpuhp_remove_state(cpu_hotplug_state);
}
