/* SPDX-License-Identifier: GPL-2.0 */
/* The counters' registers, Intel's and AMD's. */
#ifndef LBRSCOPE_PMU_H
#define LBRSCOPE_PMU_H

#include <linux/types.h>
#include <asm/apic.h>
#include <asm/msr-index.h>

#include "pmu/msr.h"

/*
 * Counters are numbered by their bits in the global registers: general ones from 0, fixed
 * ones from 32.
 */
#define PMU_GENERAL_MAX		16
#define PMU_FIXED_MAX		16
#define PMU_COUNTERS_MAX	(PMU_GENERAL_MAX + PMU_FIXED_MAX)
#define PMU_FIXED		32

/* The field of a counter in IA32_FIXED_CTR_CTRL (SDM vol. 3). */
#define PMU_FIXED_BITS		4
#define PMU_FIXED_OS		1ULL
#define PMU_FIXED_USR		2ULL
#define PMU_FIXED_PMI		8ULL

/* The largest number of events to an overflow that every counter can be loaded with. */
#define PMU_LEFT_MAX		((1ULL << 31) - 1)

/*
 * When the handler unmasks LVTPC: Intel's local APIC masks the entry when it delivers a
 * PMI.  nmi.c gives the reasons.
 */
enum ls_pmu_unmask {
	PMU_UNMASK_NEVER,	/* AMD: the entry is not masked */
	PMU_UNMASK_EARLY,	/* before the status is read */
	PMU_UNMASK_LATE,	/* when the next periods run */
};

/* The registers of a family of PMUs and their behaviour.  Chosen once, at load. */
struct ls_pmu_regs {
	u32 evtsel, counter;	/* registers of counter 0 */
	u32 stride;		/* distance of the registers of two counters */
	/* Registers of all counters; 0: absent. */
	u32 global_ctrl, global_status, global_ack;
	u64 ack_more;		/* bits that a PMI sets in global_status besides */
	u64 load_mask;		/* bits of a value that a general counter takes */
	enum ls_pmu_unmask unmask;
	bool resets;		/* ls_pmu_reset() is needed */
	u64 mask, fixed_mask;	/* bits of a general, a fixed counter */
};

extern struct ls_pmu_regs ls_pmu_regs;

static inline u64 ls_pmu_mask(u32 counter)
{
	return counter < PMU_FIXED ? ls_pmu_regs.mask : ls_pmu_regs.fixed_mask;
}

/* Whether a counter has overflowed: on its way to an overflow it is negative. */
static inline bool ls_pmu_wrapped(u32 counter, u64 value)
{
	return value <= ls_pmu_mask(counter) >> 1;
}

/* The registers as ls_pmu_start() found them, for ls_pmu_stop() to restore. */
struct ls_pmu_saved {
	u64 counters;		/* counters whose registers are saved */
	u64 global_ctrl, fixed_ctrl, evtsel[PMU_GENERAL_MAX];
	u64 selected[PMU_GENERAL_MAX];	/* what the module wrote there since */
	u64 selected_fixed;		/* the same */
	u32 lvtpc;
};

void ls_pmu_init(void);

/*
 * For all functions below.  counters: a set, as bits.  left: events to the next overflow, 1
 * to PMU_LEFT_MAX.
 * Context: on the CPU whose registers they access, preemption off.
 */
bool ls_pmu_in_use(void);
void ls_pmu_start(struct ls_pmu_saved *saved, u64 counters);
void ls_pmu_stop(const struct ls_pmu_saved *saved);

/* Whether somebody else has written the event select of one of these counters. */
bool ls_pmu_taken(const struct ls_pmu_saved *saved, u64 counters);

/* Stops those of the counters that nobody else has written.  Returns: these. */
u64 ls_pmu_leave(struct ls_pmu_saved *saved, u64 counters);

/*
 * Works around an erratum of Nehalem and Westmere, and does nothing elsewhere.  General
 * counters are 0 afterwards.
 * Context: the counters stand still, before ls_pmu_select() gives them other events.
 */
void ls_pmu_reset(void);

/* Select the events of counters, and read a counter.  Context: the counters stand still. */
void ls_pmu_select(struct ls_pmu_saved *saved, u32 counter, u64 config);
void ls_pmu_select_fixed(struct ls_pmu_saved *saved, u64 fixed_ctrl);
u64 ls_pmu_value(u32 counter);

/* Switches counters one by one, on CPUs without global registers. */
void ls_pmu_switch(u64 counters, bool on);

static inline void ls_pmu_run(u64 counters)
{
	if (likely(ls_pmu_regs.global_ctrl))
		msr_write(ls_pmu_regs.global_ctrl, counters);
	else
		ls_pmu_switch(counters, true);
}

static inline void ls_pmu_halt(u64 counters)
{
	if (likely(ls_pmu_regs.global_ctrl))
		msr_write(ls_pmu_regs.global_ctrl, 0);
	else
		ls_pmu_switch(counters, false);
}

/*
 * Writes the global control again if it was changed by others.  Context: the counters run.
 * Returns: true if one of these counters stood still because of the change.
 */
bool ls_pmu_reassert(u64 counters);

/* Returns: the counters that have overflowed, found by their values. */
u64 ls_pmu_signs(u64 counters);

/* ls_pmu_acknowledge() for CPUs without registers of all counters. */
void ls_pmu_turn_signs(u64 counters);

/* Returns: the register of a counter. */
static __always_inline u32 ls_pmu_register(u32 counter)
{
	if (counter >= PMU_FIXED)
		return MSR_CORE_PERF_FIXED_CTR0 + (counter - PMU_FIXED);
	return ls_pmu_regs.counter + counter * ls_pmu_regs.stride;
}

/* Returns: the bits of a value that a write to the counter takes. */
static __always_inline u64 ls_pmu_load_mask(u32 counter)
{
	return counter >= PMU_FIXED ? ls_pmu_regs.fixed_mask :
				      ls_pmu_regs.load_mask;
}

static __always_inline void ls_pmu_load(u32 counter, u64 left)
{
	msr_write(ls_pmu_register(counter), -left & ls_pmu_load_mask(counter));
}

/*
 * Sets LVTPC to deliver the next PMI as an NMI; saved: restores the value from before the
 * session.  Calls the APIC driver's method, since not all kernels export apic_write().
 */
static __always_inline void ls_pmu_unmask(const struct ls_pmu_saved *saved)
{
	apic->write(APIC_LVTPC, saved ? saved->lvtpc : APIC_DM_NMI);
}

/* Returns: the counters that have overflowed and are not acknowledged. */
static __always_inline u64 ls_pmu_overflows(u64 counters)
{
	if (likely(ls_pmu_regs.global_status))
		return msr_read(ls_pmu_regs.global_status) & counters;
	return ls_pmu_signs(counters);
}

/*
 * Acknowledges overflows in the NMI, before the counters are loaded.  Without global
 * registers the load is the acknowledgement.  status has only the session's bits: PT and DS
 * have theirs in the same register.
 */
static __always_inline void ls_pmu_clear(u64 status)
{
	if (likely(ls_pmu_regs.global_ack))
		msr_write(ls_pmu_regs.global_ack, status);
}

/*
 * Acknowledges overflows of counters that are not loaded.  Without global registers it
 * makes an overflown counter negative.
 */
static __always_inline void ls_pmu_acknowledge(u64 counters)
{
	if (likely(ls_pmu_regs.global_ack))
		msr_write(ls_pmu_regs.global_ack,
			  counters | ls_pmu_regs.ack_more);
	else
		ls_pmu_turn_signs(counters);
}

#endif
