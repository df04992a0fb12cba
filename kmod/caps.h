/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CAPS_H
#define LBRSCOPE_CAPS_H

#include <linux/types.h>

/* Fewest events a sample; see caps.c for why there is such a bound. */
#define CAPS_PERIOD_MIN		10000

/*
 * What the boot CPU can do.  Written once at load, before anything else of
 * the module runs, constant from then on.
 */
struct caps {
	char vendor[13];
	u32 family, model, stepping;
	u32 pmu_version;	/* CPUID.0AH EAX[7:0] */
	u32 gp_counters, gp_width;
	u32 fixed_counters;
	u32 lbr_format;		/* IA32_PERF_CAPABILITIES[5:0] */
	u32 lbr_depth;		/* entries, a power of two; 0: none we know */
	bool call_stack;
	const char *unsupported;	/* why no session can start, or NULL */
};

extern struct caps ls_caps;

int ls_caps_probe(void);

#endif
