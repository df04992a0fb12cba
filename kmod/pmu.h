/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_PMU_H
#define LBRSCOPE_PMU_H

#include <linux/types.h>
#include <asm/apic.h>
#include <asm/msr-index.h>

#include "msr.h"

/*
 * Counters are numbered as in the global registers: the general ones from 0,
 * the fixed ones from 32.
 */
#define PMU_GENERAL_MAX		16
#define PMU_FIXED_MAX		16
#define PMU_COUNTERS_MAX	(PMU_GENERAL_MAX + PMU_FIXED_MAX)
#define PMU_FIXED		32

/* IA32_FIXED_CTR_CTRL, of each counter (SDM vol. 3). */
#define PMU_FIXED_BITS		4
#define PMU_FIXED_OS		1ULL
#define PMU_FIXED_USR		2ULL
#define PMU_FIXED_PMI		8ULL

/* The longest way to an overflow that every counter can be loaded with. */
#define PMU_LEFT_MAX		((1ULL << 31) - 1)

/*
 * Intel's local APIC masks its entry when it delivers a PMI, and software opens
 * it again.  nmi.c says when and why.
 */
enum pmu_unmask {
	PMU_UNMASK_NEVER,	/* AMD: it stays open */
	PMU_UNMASK_EARLY,	/* before the overflow is looked at */
	PMU_UNMASK_LATE,	/* when the next period runs */
};

/*
 * Where a family of PMUs has its registers, and how they behave.  Chosen once
 * at load.
 */
struct pmu_regs {
	u32 evtsel, counter;	/* of counter 0 */
	u32 stride;		/* from one counter's to the next one's */
	/* Of all counters; 0: there are none, each is by itself. */
	u32 global_ctrl, global_status, global_ack;
	u64 ack_more;		/* what a PMI sets in global_status besides */
	u64 load_mask;		/* a write to a general counter takes these bits */
	enum pmu_unmask unmask;
	bool resets;		/* ls_pmu_reset() is needed */
	u64 mask, fixed_mask;	/* the bits that a counter has */
};

extern struct pmu_regs ls_pmu_regs;

static inline u64 ls_pmu_mask(u32 counter)
{
	return counter < PMU_FIXED ? ls_pmu_regs.mask : ls_pmu_regs.fixed_mask;
}

/* A counter on its way to the next overflow is negative. */
static inline bool ls_pmu_wrapped(u32 counter, u64 value)
{
	return value <= ls_pmu_mask(counter) >> 1;
}

/* What ls_pmu_start() found, for ls_pmu_stop() to put back. */
struct pmu_saved {
	u64 counters;		/* of which the rest is */
	u64 global_ctrl, fixed_ctrl, evtsel[PMU_GENERAL_MAX];
	u64 selected[PMU_GENERAL_MAX];	/* what we wrote there since */
	u64 selected_fixed;		/* likewise */
	u32 lvtpc;
};

void ls_pmu_init(void);

/*
 * All of these act on the CPU they run on, preemption off.  "counters" is a
 * set of them, "left" the number of events to the next overflow, from 1 to
 * PMU_LEFT_MAX.
 */
bool ls_pmu_in_use(void);
void ls_pmu_start(struct pmu_saved *saved, u64 counters);
void ls_pmu_stop(const struct pmu_saved *saved);

/* Somebody else has written what one of these counts since we did. */
bool ls_pmu_taken(const struct pmu_saved *saved, u64 counters);

/* Those of them that nobody else has written stand still from here on; returns these. */
u64 ls_pmu_leave(struct pmu_saved *saved, u64 counters);

/*
 * While they stand still, before ls_pmu_select() gives them other events: works around
 * an erratum of Nehalem and Westmere, nothing elsewhere.  General counters are 0 after.
 */
void ls_pmu_reset(void);

/* While they stand still: what they count, and how far they are. */
void ls_pmu_select(struct pmu_saved *saved, u32 counter, u64 config);
void ls_pmu_select_fixed(struct pmu_saved *saved, u64 fixed_ctrl);
u64 ls_pmu_value(u32 counter);

/* Without global registers each counter has a switch of its own. */
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
 * While they run: writes the global control again if somebody else has changed it.
 * True if one of these counters stood still by that.
 */
bool ls_pmu_reassert(u64 counters);

/* Those that have overflowed, by the counters themselves. */
u64 ls_pmu_signs(u64 counters);

/* ls_pmu_acknowledge() without registers for all counters. */
void ls_pmu_turn_signs(u64 counters);

/* The register of a counter. */
static __always_inline u32 ls_pmu_register(u32 counter)
{
	if (counter >= PMU_FIXED)
		return MSR_CORE_PERF_FIXED_CTR0 + (counter - PMU_FIXED);
	return ls_pmu_regs.counter + counter * ls_pmu_regs.stride;
}

/* Which bits of a value a write to it takes. */
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
 * Lets the next PMI through, as an NMI, or puts back what was there before us.
 * Through the driver's own method, because apic_write() cannot be linked into
 * modules everywhere.
 */
static __always_inline void ls_pmu_unmask(const struct pmu_saved *saved)
{
	apic->write(APIC_LVTPC, saved ? saved->lvtpc : APIC_DM_NMI);
}

/* Of these counters, those that have overflowed and are not acknowledged. */
static __always_inline u64 ls_pmu_overflows(u64 counters)
{
	if (likely(ls_pmu_regs.global_status))
		return msr_read(ls_pmu_regs.global_status) & counters;
	return ls_pmu_signs(counters);
}

/*
 * From the NMI, before a counter is loaded: the load is all the acknowledgement that
 * there is without global registers.  Of our own bits only: PT and DS have theirs in
 * the same register.
 */
static __always_inline void ls_pmu_clear(u64 status)
{
	if (likely(ls_pmu_regs.global_ack))
		msr_write(ls_pmu_regs.global_ack, status);
}

/*
 * The same of counters that are not loaded: without global registers an overflown one
 * is made negative.
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
