/* SPDX-License-Identifier: GPL-2.0 */
/* The capabilities of the CPUs, and the reason why a session cannot start. */
#ifndef LBRSCOPE_CAPS_H
#define LBRSCOPE_CAPS_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/types.h>

/* The shortest period that may be asked for; caps.c says why there is a bound. */
#define CAPS_PERIOD_MIN		10000

/* The families of branch records; each has a file lbr_*.c. */
enum ls_caps_lbr {
	CAPS_LBR_NONE,
	CAPS_LBR_LEGACY,	/* Intel, one layout a CPU generation */
	CAPS_LBR_ARCH,		/* Intel, architectural: CPUID.1CH */
	CAPS_LBR_AMD,		/* AMD LbrExtV2: CPUID.80000022H */
};

/*
 * The capabilities of a CPU, or the common ones of a set of CPUs.  Constant once
 * filled in.
 */
struct ls_caps {
	char vendor[13];
	u32 family, model, stepping;
	u32 pmu_version;	/* as LBRSCOPE_INFO_A_PMU_VERSION */
	u32 core;		/* as LBRSCOPE_CORE_A_TYPE */
	u32 gp_counters, gp_width;
	u32 gp_claim;		/* of a set: the largest gp_counters */
	u32 gp_reserved;	/* bit by counter: microcode uses it, see caps.c */
	u32 fixed_counters, fixed_width;
	u32 extra;		/* see ls_caps_has_extra() */
	u32 absent;		/* architectural events that do not count: CPUID.0AH:EBX */
	bool smt;		/* of a set: has two threads of one core */
	bool any_thread;	/* AnyThread: counts events of all threads of a core */
	enum ls_caps_lbr lbr;
	u32 lbr_format;		/* as LBRSCOPE_INFO_A_LBR_FORMAT */
	u32 lbr_depth;		/* entries, a power of two; 0: none */
	u32 lbr_from, lbr_to;	/* CAPS_LBR_LEGACY: registers of entry 0 */
	bool lbr_xsaves;	/* CAPS_LBR_ARCH: XSAVES moves all of them */
	bool lbr_info;		/* entries have a third register, INFO */
	bool lbr_packs;		/* entries are delivered as struct lbrscope_branch */
	bool lbr_filter;	/* kinds of branches can be selected */
	bool lbr_calls_as_jumps; /* the filter passes calls only together with jumps */
	bool lbr_freeze;	/* a PMI can freeze the records */
	bool lbr_beside_pt;	/* the records can be used while Intel PT traces */
	bool call_stack;
	bool lbr_differs;	/* of a set: the cores differ, so there are no records */
	const char *no_pmu;	/* why there are no counters and branch records, or NULL */
	const char *unsupported;	/* reason that no session can start, or NULL */
};

/* The common capabilities of all CPUs that were online when the module was loaded. */
extern struct ls_caps ls_caps;

/*
 * Cores with the same capabilities.  Most machines have one type.  Types are found
 * when the module is loaded; a CPU that comes online later joins its type.
 */
#define CAPS_TYPES_MAX		4
struct ls_caps_type {
	struct ls_caps caps;
	struct cpumask cpus;	/* all CPUs that were online at some time */
};

extern struct ls_caps_type ls_caps_types[CAPS_TYPES_MAX];
extern u32 ls_caps_nr_types;

int ls_caps_probe(void);

/* There are no counters and no branch records, for this reason.  Context: load. */
void ls_caps_lack_pmu(const char *why);

/* Fills in the branch records of this Intel CPU.  Context: preemption off. */
void ls_caps_lbr_probe_intel(struct ls_caps *caps);

/* Context: on a CPU that has come online, preemption off. */
void ls_caps_cpu_up(void);

/*
 * Returns the capabilities of this CPU.  NULL: no CPU of its type was online at load.
 * Context: preemption off.
 */
const struct ls_caps *ls_caps_here(void);

/*
 * Fills in the common capabilities of cpus; NULL: of all CPUs.  smt is a snapshot, since
 * CPUs come and go: START looks again (ls_caps_shares_core()).
 */
void ls_caps_common(const struct cpumask *cpus, struct ls_caps *common);

/* Extra registers: they describe an event beside its event select. */
enum {
	CAPS_MSR_OFFCORE_0	= 0x1a6,
	CAPS_MSR_OFFCORE_1	= 0x1a7,
	CAPS_MSR_FRONTEND	= 0x3f7,
};

#define CAPS_EXTRA_MAX	3

/* Whether the extra register msr exists. */
bool ls_caps_has_extra(const struct ls_caps *caps, u32 msr);

/* Whether another thread of this CPU's core is online and in cpus (NULL: all CPUs). */
bool ls_caps_shares_core(const struct cpumask *cpus, u32 cpu);

/* Returns the counters that may be used, as bits of the global registers. */
u64 ls_caps_counters(const struct ls_caps *caps);

/* Returns the number of general counters that may be used. */
static inline u32 ls_caps_general(const struct ls_caps *caps)
{
	return hweight32(((1U << caps->gp_counters) - 1) & ~caps->gp_reserved);
}

#endif
