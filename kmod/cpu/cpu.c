// SPDX-License-Identifier: GPL-2.0
/*
 * A session on one CPU: claims its registers and releases them, at START and STOP, when
 * the CPU comes online and goes offline, and around suspend.
 *
 * Locks: cpu_running is written with the hotplug lock held for reading, by one START or
 * STOP at a time.  The hotplug callbacks read it with that lock held for writing, the
 * syscore callbacks when no other CPU is online.
 *
 * A CPU that goes offline leaves the session in the hotplug state CPUHP_AP_ONLINE_DYN:
 * modules have no later one on the CPU itself.  Since Linux 5.11 the scheduler has moved
 * the tasks away by then.  Linux 5.10 moves them later, and what they execute there in
 * between is neither counted nor sampled.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "compat/hrtimer.h"
#include "compat/syscore.h"
#include "counters/budget.h"
#include "counters/counters.h"
#include "counters/counts.h"
#include "counters/own.h"
#include "cpu/cpu.h"
#include "cpu/tick.h"
#include "ring/ring.h"
#include "session/memory.h"
#include "session/session.h"
#include "task/switch.h"
#include "trigger/trigger.h"

static struct ls_session *cpu_running;
static enum cpuhp_state cpu_hotplug_state;

/*
 * The mean length of a turn of a set of events.  Turns of equal length could fall into
 * step with a loop of the program.
 */
#define CPU_TURN_NS	(4 * NSEC_PER_MSEC)

static ktime_t ls_cpu_turn_length(struct ls_cpu_ctx *cpu)
{
	u64 random = ls_pace_random(&cpu->random);

	return ns_to_ktime(CPU_TURN_NS / 2 + (random * CPU_TURN_NS >> 32));
}

static enum hrtimer_restart ls_cpu_turn(struct hrtimer *timer)
{
	struct ls_cpu_ctx *cpu = container_of(timer, struct ls_cpu_ctx, timer);

	ls_counters_rotate(cpu);
	hrtimer_forward_now(timer, ls_cpu_turn_length(cpu));
	return HRTIMER_RESTART;
}

/* The timer's callback runs on this CPU: not while interrupts are off. */
static void ls_cpu_start_turns(struct ls_cpu_ctx *cpu)
{
	if (cpu->session->events->nr_sets < 2)
		return;
	compat_hrtimer_setup(&cpu->timer, ls_cpu_turn, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	cpu->random = smp_processor_id() + 1;
	hrtimer_start(&cpu->timer, ls_cpu_turn_length(cpu),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void ls_cpu_stop_turns(struct ls_cpu_ctx *cpu)
{
	if (cpu->session->events->nr_sets >= 2)
		hrtimer_cancel(&cpu->timer);
}

/*
 * Whether this CPU has what the session needs.  SESSION_SET has checked the CPUs that were
 * online then.
 */
static bool ls_cpu_can(const struct ls_session *session)
{
	const struct ls_events *events = session->events;
	const struct ls_caps *caps = ls_caps_here();
	u32 i;

	if (!caps || events->counters & ~ls_caps_counters(caps))
		return false;
	/* SESSION_SET refuses this, unless the other thread came online later. */
	if (events->one_thread &&
	    ls_caps_shares_core(session->cpus, smp_processor_id()))
		return false;
	for (i = 0; i < events->nr; i++)
		if (events->list[i].extra_msr &&
		    !ls_caps_has_extra(caps, events->list[i].extra_msr))
			return false;
	return true;
}

static int ls_cpu_claim(struct ls_cpu_ctx *cpu, struct ls_session *session)
{
	const struct ls_lbr_mode *branches = &session->config.branches;
	int err;

	cpu->taken = false;
	cpu->set = &session->events->sets[0];
	if (!session->pmu)
		return 0;
	if (!ls_cpu_can(session))
		return -EOPNOTSUPP;
	if (ls_own_traced())
		return -ETXTBSY;
	if (ls_pmu_in_use() || (ls_lbr_wanted(branches) && ls_lbr_in_use() &&
				!ls_lbr_left(&cpu->lbr)))
		return -EBUSY;
	err = ls_counters_claim(cpu, session->events);
	if (!err && ls_lbr_wanted(branches))
		ls_lbr_start(&cpu->lbr, branches);
	return err;
}

/*
 * Frozen branch records go on with the acknowledgement that comes first in the handler
 * if they leave the handler's own branches out.
 */
static void ls_cpu_begin_thawing(struct ls_cpu_ctx *cpu, const struct ls_lbr_mode *mode)
{
	cpu->thaws = ls_lbr_freezes(mode) ||
		     (ls_pmu_regs.ack_more && ls_lbr_of_kernel(mode));
	cpu->ack_more = cpu->thaws ? 0 : ls_pmu_regs.ack_more;
}

/*
 * Starts the session on this CPU.  Context: interrupts off.
 * Returns: 0, also if the session excludes this CPU; -EBUSY: somebody uses the registers
 * without a reservation; -ETXTBSY: Intel PT traces; -EINVAL: the CPU refuses an event's
 * EXTRA; -EOPNOTSUPP: the CPU came online later and lacks something.
 */
static int ls_cpu_begin(struct ls_session *session)
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	u32 nr = smp_processor_id();
	const struct ls_cpu_memory *memory = &session->memory[nr];
	int err;

	lockdep_assert_irqs_disabled();
	if (session->cpus && !cpumask_test_cpu(nr, session->cpus))
		return 0;
	err = ls_cpu_claim(cpu, session);
	if (err)
		return err;
	cpu->ring = memory->ring;
	ls_ring_begin(cpu->ring);
	cpu->totals = memory->totals;
	cpu->walkers = memory->walkers;
	cpu->cur = NULL;
	cpu->lbr_task = NULL;
	cpu->stamp = 0;
	ls_cpu_begin_thawing(cpu, &session->config.branches);
	ls_clock_begin(&cpu->clock);
	ls_budget_begin(cpu, session->config.budget);
	ls_sample_begin(cpu, &session->config.sample);
	barrier();
	WRITE_ONCE(cpu->session, session);
	barrier();
	ls_tick_begin(cpu);
	ls_switch_cpu_begin(cpu);
	if (!ls_target_given(&session->target))
		ls_counters_run(cpu, &cpu->totals->all);
	ls_cpu_start_turns(cpu);
	return 0;
}

static void ls_cpu_end(void)
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct ls_session *session = cpu->session;

	lockdep_assert_irqs_disabled();
	if (!session)
		return;
	ls_cpu_stop_turns(cpu);
	if (cpu->running)
		ls_counters_halt(cpu);
	if (!ls_counters_taken(cpu) && session->ended)
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_PMU_TAKEN);
	ls_ring_report_lost(cpu->ring);
	ls_budget_end(cpu);
	ls_switch_cpu_end(cpu);
	if (ls_lbr_wanted(&session->config.branches))
		ls_lbr_stop(&cpu->lbr);
	barrier();
	WRITE_ONCE(cpu->session, NULL);
	barrier();
	if (session->pmu)
		ls_counters_release(cpu);
}

/* Returns: the CPUs of the session.  No other CPU is interrupted for it. */
static const struct cpumask *ls_cpu_mask(const struct ls_session *session)
{
	return session->cpus ? session->cpus : cpu_online_mask;
}

struct ls_cpu_start {
	struct ls_session *session;
	atomic_t err;		/* error of a CPU that could not start, or 0 */
};

static void ls_cpu_start_ipi(void *arg)
{
	struct ls_cpu_start *start = arg;

	int err = ls_cpu_begin(start->session);

	if (err)
		atomic_set(&start->err, err);
}

static void ls_cpu_end_ipi(void *arg)
{
	ls_cpu_end();
}

/* Starts all CPUs, or none.  Locks: ls_session_lock. */
int ls_cpu_start_all(struct ls_session *session, struct ls_extack *extack)
{
	struct ls_cpu_start start = { .session = session };
	int err;

	lockdep_assert_held(&ls_session_lock);
	cpus_read_lock();
	on_each_cpu_mask(ls_cpu_mask(session), ls_cpu_start_ipi, &start, 1);
	err = atomic_read(&start.err);
	if (err)
		on_each_cpu_mask(ls_cpu_mask(session), ls_cpu_end_ipi, NULL, 1);
	else
		cpu_running = session;
	cpus_read_unlock();
	if (err == -EBUSY)
		ls_extack_set(extack, "performance counters or branch records are running that nobody reserved (firmware, a hypervisor or another tool)");
	else if (err == -ETXTBSY)
		ls_extack_set(extack, "Intel PT is tracing: its driver would acknowledge overflows of this session, and before Ice Lake it excludes branch records; stop 'perf record -e intel_pt//' or the other tracer");
	else if (err == -EOPNOTSUPP)
		ls_extack_set(extack, "a CPU that cannot count these events has come online: select the others by CPUS; or load the module again, if it was never online before");
	else if (err)
		ls_extack_set(extack, "the CPU does not take the EXTRA of an event");
	return err == -ETXTBSY ? -EBUSY : err;
}

/* Locks: ls_session_lock. */
void ls_cpu_stop_all(void)
{
	const struct ls_session *session = cpu_running;

	lockdep_assert_held(&ls_session_lock);
	cpus_read_lock();
	cpu_running = NULL;
	on_each_cpu_mask(ls_cpu_mask(session), ls_cpu_end_ipi, NULL, 1);
	cpus_read_unlock();
}

struct ls_cpu_count {
	const struct ls_session *session;
	struct lbrscope_count *counts;
	bool done;
};

/*
 * Whether the counters of this CPU run for the session.  They may begin or stop at any time;
 * what they had counted before they stopped has been added up.
 */
static bool ls_cpu_counts(int nr, void *session)
{
	const struct ls_cpu_ctx *cpu = per_cpu_ptr(&ls_cpu_ctx, nr);

	/* Pairs with ls_counters_halt(). */
	return READ_ONCE(cpu->session) == session && smp_load_acquire(&cpu->running);
}

static void ls_cpu_count_ipi(void *arg)
{
	const struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	struct ls_cpu_count *count = arg;

	if (cpu->session != count->session)
		return;
	ls_counts_snapshot(cpu, count->counts);
	count->done = true;
}

/*
 * Reads the counts of a CPU where no counter runs, without interrupting it: no count has
 * changed between two readings, so all of them are of the moment between these.
 * Returns: false if a counter has run meanwhile.
 */
static bool ls_cpu_count_resting(struct ls_session *session, u32 nr,
				 struct lbrscope_count *counts)
{
	const struct ls_event_totals *totals = session->memory[nr].totals;

	ls_counts_totals(session->events, totals, counts);
	/* The counts before what says that nothing counts: see ls_counters_halt(). */
	smp_rmb();
	if (ls_cpu_counts(nr, session))
		return false;
	return ls_counts_stand(session->events, totals, counts);
}

/* Reads of a CPU that a task of the session comes to meanwhile, before it is interrupted. */
#define CPU_COUNT_TRIES	3

void ls_cpu_count(struct ls_session *session, u32 nr, struct lbrscope_count *counts)
{
	struct ls_cpu_count count = { session, counts };
	int i;

	lockdep_assert_held(&ls_session_lock);
	cpus_read_lock();
	for (i = 0; i < CPU_COUNT_TRIES && !ls_cpu_counts(nr, session); i++)
		if (ls_cpu_count_resting(session, nr, counts))
			goto out;
	smp_call_function_single(nr, ls_cpu_count_ipi, &count, 1);
	if (!count.done)
		ls_counts_totals(session->events, session->memory[nr].totals, counts);
out:
	cpus_read_unlock();
}

static void ls_cpu_add_up_ipi(void *arg)
{
	ls_counters_add_up(this_cpu_ptr(&ls_cpu_ctx));
}

void ls_cpu_add_up_all(struct ls_session *session)
{
	lockdep_assert_held(&ls_session_lock);
	on_each_cpu_cond_mask(ls_cpu_counts, ls_cpu_add_up_ipi, session, 1,
			      ls_cpu_mask(session));
}

/*
 * This CPU comes to the running session, if any.  An error would keep the CPU offline.  So it
 * goes on without being sampled, and its ring has one loss.
 * Context: interrupts off.
 */
static void ls_cpu_join(void)
{
	struct ls_session *session = cpu_running;
	struct ls_ring *ring;

	lockdep_assert_irqs_disabled();
	if (!session || !ls_cpu_begin(session))
		return;
	ring = session->memory[smp_processor_id()].ring;
	ls_ring_begin(ring);
	ls_ring_lose(ring, LBRSCOPE_LOST_PMU_TAKEN);
	ls_ring_report_lost(ring);
}

/* Context: the CPU itself, which can run tasks already. */
static int ls_cpu_up_here(unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	ls_caps_cpu_up();
	ls_cpu_join();
	local_irq_restore(flags);
	ls_triggers_cpu_up(nr);
	return 0;
}

static int ls_cpu_down_here(unsigned int nr)
{
	unsigned long flags;

	ls_triggers_cpu_down(nr);
	local_irq_save(flags);
	ls_cpu_end();
	local_irq_restore(flags);
	return 0;
}

/*
 * The boot CPU is the last one online, with interrupts off.  The registers lose their
 * content during suspend.
 */
static int ls_cpu_suspend(void)
{
	ls_cpu_end();
	return 0;
}

static void ls_cpu_wake(void)
{
	ls_cpu_join();
}

DEFINE_COMPAT_SYSCORE(cpu_syscore, ls_cpu_suspend, ls_cpu_wake);

int ls_cpu_init(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "lbrscope:online",
				      ls_cpu_up_here, ls_cpu_down_here);

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
