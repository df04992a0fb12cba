/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CAPS_H
#define LBRSCOPE_CAPS_H

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
 * What the boot CPU can do.  Written once at load, before anything else of
 * the module runs, constant from then on.
 */
struct caps {
	char vendor[13];
	u32 family, model, stepping;
	u32 pmu_version;	/* as LBRSCOPE_INFO_A_PMU_VERSION */
	u32 gp_counters, gp_width;
	u32 fixed_counters, fixed_width;
	u32 extra;		/* see ls_caps_has_extra() */
	bool smt;		/* cores run several threads */
	bool any_thread;	/* events of all of them can be counted */
	enum caps_lbr lbr;
	u32 lbr_format;		/* as LBRSCOPE_INFO_A_LBR_FORMAT */
	u32 lbr_depth;		/* entries, a power of two; 0: none */
	u32 lbr_from, lbr_to;	/* CAPS_LBR_LEGACY: registers of entry 0 */
	bool lbr_xsaves;	/* CAPS_LBR_ARCH: XSAVES moves all of them */
	bool lbr_info;		/* each has a third register, INFO */
	bool lbr_filter;	/* the kinds of branches can be chosen */
	bool lbr_calls_as_jumps; /* calls pass only where jumps do too */
	bool lbr_freeze;	/* a PMI can stop the recording */
	bool call_stack;
	const char *unsupported;	/* why no session can start, or NULL */
};

extern struct caps ls_caps;

int ls_caps_probe(void);

/* Registers that describe an event, beside its event select. */
enum {
	CAPS_MSR_OFFCORE_0	= 0x1a6,
	CAPS_MSR_OFFCORE_1	= 0x1a7,
	CAPS_MSR_FRONTEND	= 0x3f7,
};

#define CAPS_EXTRA_MAX	3

/* Does this CPU have that one of them? */
bool ls_caps_has_extra(u32 msr);

#endif
