/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CAPS_H
#define LBRSCOPE_CAPS_H

#include <linux/cpumask.h>
#include <linux/types.h>

/* Fewest events a sample; see caps.c for why there is such a bound. */
#define CAPS_PERIOD_MIN		10000

/* The families of branch registers, a file lbr_*.c each. */
enum caps_lbr {
	CAPS_LBR_NONE,
	CAPS_LBR_LEGACY,	/* Intel, one layout a CPU generation */
	CAPS_LBR_ARCH,		/* Intel, architectural: CPUID.1CH */
	CAPS_LBR_AMD,		/* AMD LbrExtV2: CPUID.80000022H */
};

/*
 * What a CPU can do, or all of a set of them.  Constant once it is filled in.
 */
struct caps {
	char vendor[13];
	u32 family, model, stepping;
	u32 pmu_version;	/* as LBRSCOPE_INFO_A_PMU_VERSION */
	u32 core;		/* as LBRSCOPE_CORE_A_TYPE */
	u32 gp_counters, gp_width;
	u32 gp_claim;		/* of a set: the most that one of them has */
	u32 gp_reserved;	/* bit by counter: microcode uses it, see caps.c */
	u32 fixed_counters, fixed_width;
	u32 extra;		/* see ls_caps_has_extra() */
	u32 absent;		/* architectural events: CPUID.0AH:EBX */
	bool smt;		/* of a set: has two threads of one core */
	bool any_thread;	/* events of all of them can be counted */
	enum caps_lbr lbr;
	u32 lbr_format;		/* as LBRSCOPE_INFO_A_LBR_FORMAT */
	u32 lbr_depth;		/* entries, a power of two; 0: none */
	u32 lbr_from, lbr_to;	/* CAPS_LBR_LEGACY: registers of entry 0 */
	bool lbr_xsaves;	/* CAPS_LBR_ARCH: XSAVES moves all of them */
	bool lbr_info;		/* each has a third register, INFO, */
	bool lbr_packs;		/* and is read as a struct lbrscope_branch */
	bool lbr_filter;	/* the kinds of branches can be chosen */
	bool lbr_calls_as_jumps; /* calls pass only where jumps do too */
	bool lbr_freeze;	/* a PMI can stop the recording */
	bool call_stack;
	bool lbr_differs;	/* of a set: so none of these are used */
	const char *unsupported;	/* why no session can start, or NULL */
};

/* What all CPUs can do that were there at load. */
extern struct caps ls_caps;

/*
 * The cores of one type: those that can do the same.  Of most machines all are of
 * one.  Types are found at load; CPUs that come later join theirs.
 */
#define CAPS_TYPES_MAX		4
struct caps_type {
	struct caps caps;
	struct cpumask cpus;	/* online now, or before */
};

extern struct caps_type ls_caps_types[CAPS_TYPES_MAX];
extern u32 ls_caps_nr_types;

int ls_caps_probe(void);

/* On a CPU that has come online. */
void ls_caps_cpu_up(void);

/* Of this CPU, preemption off.  NULL: of a type that was not there at load. */
const struct caps *ls_caps_here(void);

/*
 * What all of these can do; NULL: all there are.  smt is a snapshot: CPUs come and
 * go, so that START looks again (ls_caps_shares_core()).
 */
void ls_caps_common(const struct cpumask *cpus, struct caps *common);

/* Registers that describe an event, beside its event select. */
enum {
	CAPS_MSR_OFFCORE_0	= 0x1a6,
	CAPS_MSR_OFFCORE_1	= 0x1a7,
	CAPS_MSR_FRONTEND	= 0x3f7,
};

#define CAPS_EXTRA_MAX	3

/* Is that one of them there? */
bool ls_caps_has_extra(const struct caps *caps, u32 msr);

/* Is another thread of this CPU's core online and in cpus (NULL: in any case)? */
bool ls_caps_shares_core(const struct cpumask *cpus, u32 cpu);

/* The counters that may be used, bits as in the global registers. */
u64 ls_caps_counters(const struct caps *caps);

#endif
