// SPDX-License-Identifier: GPL-2.0
/*
 * The facts about each CPU generation's events that CPUID does not tell: tables, and their
 * look-up.
 *
 * Source, where nothing else is said: arch/x86/events/intel/core.c of Linux (the tables
 * intel_*_event_constraints and intel_*_extra_regs, and intel_pmu_init(), which assigns
 * them to models), without the entries for PEBS, which the module does not use, and without
 * those for fixed counters, which events.c has.  Intel publishes the same per event at
 * github.com/intel/perfmon ("Counter").  Models are those of asm/intel-family.h.
 *
 * The lab can show few of these, since its emulated counters count any event; the unit test
 * compares samples of the tables with the kernel's.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>

#include "events/limits.h"
#include "pmu/caps.h"

#define LIMITS_ANY	U32_MAX		/* all general counters */
#define LIMITS_MODELS	10

/* Errata and other properties of a whole generation. */
enum {
	LIMITS_ONE_THREAD	= BIT(0),	/* see struct ls_limits_line */
	LIMITS_LEAST_32		= BIT(1),	/* nhm_limit_period(), hsw_limit_period() */
	LIMITS_INST_128		= BIT(2),	/* HSW11, BDM11: INST_RETIRED.ALL */
	LIMITS_INST_64		= BIT(3),	/* BDM55: the same, multiples of 64 */
	/*
	 * The threads of a core share the extra registers.  Since Sandy Bridge each thread
	 * has its own (PMU_FL_NO_HT_SHARING); the small cores have one thread.
	 */
	LIMITS_EXTRA_OF_CORE	= BIT(4),
};

/*
 * Event selects from first to last whose unit mask, of the bits in umask_bits, is
 * umask.  The first line that fits holds; the line of zeros is the end.
 *
 * alone: with Hyper-Threading on, the event also counts on the counter of the same
 * number of the core's other thread (errata BJ122, BV98, HSD29).
 */
struct ls_limits_line {
	u8 first, last;
	u8 umask, umask_bits;
	u32 counters;
	bool alone;
};

/* An event that takes a part of its description from a register of its own. */
struct ls_limits_extra {
	u16 code;	/* unit mask and event select */
	u32 msr;
	u64 valid;	/* bits that do not raise #GP */
};

struct ls_limits_generation {
	u8 models[LIMITS_MODELS];	/* of family 6; 0 ends them */
	u8 core;	/* of a hybrid CPU, as LBRSCOPE_CORE_A_TYPE; 0: any */
	const struct ls_limits_line *lines;	/* or NULL: no event is limited */
	const struct ls_limits_extra *extras;	/* or NULL */
	u32 properties;
};

#define LINE(code, counters)		{ code, code, 0, 0, counters, false }
#define LINES(first, last, counters)	{ first, last, 0, 0, counters, false }
#define ULINE(code, umask, counters)	{ code, code, umask, 0xff, counters, false }
#define ALONE(first, last, counters)	{ first, last, 0, 0, counters, true }

static const struct ls_limits_line limits_nehalem[] = {
	LINES(0x40, 0x43, 0x3),		/* L1D_CACHE_LD to L1D_ALL_REF */
	LINE(0x48, 0x3),		/* L1D_PEND_MISS */
	LINE(0x4e, 0x3),		/* L1D_PREFETCH */
	LINE(0x51, 0x3),		/* L1D */
	LINE(0x63, 0x3),		/* CACHE_LOCK_CYCLES */
	{ 0 }
};

static const struct ls_limits_line limits_westmere[] = {
	LINE(0x51, 0x3),		/* L1D */
	LINE(0x60, 0x1),		/* OFFCORE_REQUESTS_OUTSTANDING */
	LINE(0x63, 0x3),		/* CACHE_LOCK_CYCLES */
	LINE(0xb3, 0x1),		/* SNOOPQ_REQUEST_OUTSTANDING */
	{ 0 }
};

static const struct ls_limits_line limits_sandy_bridge[] = {
	LINE(0x48, 0x4),		/* L1D_PEND_MISS.PENDING */
	ULINE(0xa3, 0x02, 0x4),		/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	ULINE(0xa3, 0x04, 0xf),		/* .CYCLES_NO_DISPATCH */
	ULINE(0xa3, 0x05, 0xf),		/* .STALLS_L2_PENDING */
	ULINE(0xa3, 0x06, 0x4),		/* .STALLS_L1D_PENDING */
	ULINE(0xc0, 0x01, 0x2),		/* INST_RETIRED.PREC_DIST */
	LINE(0xcd, 0x8),		/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	ALONE(0xd0, 0xd3, 0xf),		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ 0 }
};

static const struct ls_limits_line limits_ivy_bridge[] = {
	ULINE(0x48, 0x01, 0x4),		/* L1D_PEND_MISS.PENDING */
	ULINE(0x79, 0x02, 0xf),		/* IDQ.EMPTY */
	ULINE(0x9c, 0x01, 0xf),		/* IDQ_UOPS_NOT_DELIVERED.CORE */
	ULINE(0xa3, 0x02, 0xf),		/* CYCLE_ACTIVITY.CYCLES_LDM_PENDING */
	ULINE(0xa3, 0x04, 0xf),		/* .CYCLES_NO_EXECUTE */
	ULINE(0xa3, 0x05, 0xf),		/* .STALLS_L2_PENDING */
	ULINE(0xa3, 0x06, 0xf),		/* .STALLS_LDM_PENDING */
	ULINE(0xa3, 0x08, 0x4),		/* .CYCLES_L1D_PENDING */
	ULINE(0xa3, 0x0c, 0x4),		/* .STALLS_L1D_PENDING */
	ULINE(0xc0, 0x01, 0x2),		/* INST_RETIRED.PREC_DIST */
	ALONE(0xd0, 0xd3, 0xf),		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ 0 }
};

static const struct ls_limits_line limits_haswell[] = {
	ULINE(0x48, 0x01, 0x4),		/* L1D_PEND_MISS.PENDING */
	ULINE(0xa3, 0x04, 0xf),		/* CYCLE_ACTIVITY.CYCLES_NO_EXECUTE */
	ULINE(0xa3, 0x08, 0x4),		/* .CYCLES_L1D_PENDING */
	ULINE(0xa3, 0x0c, 0x4),		/* .STALLS_L1D_PENDING */
	ULINE(0xc0, 0x01, 0x2),		/* INST_RETIRED.PREC_DIST */
	LINE(0xcd, 0x8),		/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	ALONE(0xd0, 0xd3, 0xf),		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ 0 }
};

static const struct ls_limits_line limits_broadwell[] = {
	ULINE(0x48, 0x01, 0x4),		/* L1D_PEND_MISS.PENDING */
	/* CYCLE_ACTIVITY.*_L1D_MISS: all that have bit 3 */
	{ 0xa3, 0xa3, 0x08, 0x08, 0x4, false },
	LINE(0xcd, 0xf),		/* MEM_TRANS_RETIRED */
	LINES(0xd0, 0xd2, 0xf),		/* MEM_UOPS_RETIRED, MEM_LOAD_UOPS_* */
	{ 0 }
};

static const struct ls_limits_line limits_skylake[] = {
	ULINE(0xc0, 0x01, 0x2),		/* INST_RETIRED.PREC_DIST */
	LINE(0xc6, 0xf),		/* FRONTEND_RETIRED */
	LINE(0xcd, 0xf),		/* MEM_TRANS_RETIRED */
	LINES(0xd0, 0xd2, 0xf),		/* MEM_INST_RETIRED, MEM_LOAD_* */
	{ 0 }
};

static const struct ls_limits_line limits_ice_lake[] = {
	LINES(0x03, 0x0a, 0xf),
	LINES(0x1f, 0x28, 0xf),
	LINE(0x32, 0xf),		/* SW_PREFETCH_ACCESS */
	LINES(0x48, 0x56, 0xf),
	LINES(0x60, 0x8b, 0xf),
	ULINE(0xa3, 0x04, 0xff),	/* CYCLE_ACTIVITY.STALLS_TOTAL */
	ULINE(0xa3, 0x10, 0xff),	/* .CYCLES_MEM_ANY */
	ULINE(0xa3, 0x14, 0xff),	/* .STALLS_MEM_ANY */
	LINE(0xa3, 0xf),		/* CYCLE_ACTIVITY */
	LINES(0xa8, 0xb0, 0xf),
	LINES(0xb7, 0xbd, 0xf),
	LINES(0xd0, 0xe6, 0xf),
	LINE(0xef, 0xf),
	LINES(0xf0, 0xf4, 0xf),
	{ 0 }
};

/* Event selects below 0x90 are on counters 0 to 3, with two exceptions. */
static const struct ls_limits_line limits_golden_cove[] = {
	LINE(0x2e, 0xff),		/* LONGEST_LAT_CACHE */
	LINE(0x3c, 0xff),		/* CPU_CLK_UNHALTED */
	LINES(0x01, 0x8f, 0xf),
	ULINE(0xa3, 0x01, 0xf),		/* CYCLE_ACTIVITY.CYCLES_L2_MISS */
	ULINE(0xa3, 0x02, 0xf),		/* .CYCLES_L3_MISS */
	ULINE(0xa3, 0x05, 0xf),		/* .STALLS_L2_MISS */
	ULINE(0xa3, 0x06, 0xf),		/* .STALLS_L3_MISS */
	ULINE(0xa3, 0x08, 0xf),		/* .CYCLES_L1D_MISS */
	ULINE(0xa3, 0x0c, 0xf),		/* .STALLS_L1D_MISS */
	ULINE(0xa4, 0x04, 0x1),		/* TOPDOWN.BAD_SPEC_SLOTS */
	ULINE(0xa4, 0x08, 0x1),		/* .BR_MISPREDICT_SLOTS */
	ULINE(0xcd, 0x01, 0xfe),	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
	ULINE(0xcd, 0x02, 0x1),		/* .STORE_SAMPLE */
	LINE(0xce, 0x1),		/* AMX_OPS_RETIRED */
	LINES(0xd0, 0xdf, 0xf),
	{ 0 }
};

#define RSP_0	CAPS_MSR_OFFCORE_0
#define RSP_1	CAPS_MSR_OFFCORE_1
#define FE	CAPS_MSR_FRONTEND

static const struct ls_limits_extra limits_extra_nehalem[] = {
	{ 0x01b7, RSP_0, 0xffff }, { 0 }
};

static const struct ls_limits_extra limits_extra_westmere[] = {
	{ 0x01b7, RSP_0, 0xffff }, { 0x01bb, RSP_1, 0xffff }, { 0 }
};

static const struct ls_limits_extra limits_extra_sandy_bridge[] = {
	{ 0x01b7, RSP_0, 0x3f807f8fffull }, { 0x01bb, RSP_1, 0x3f807f8fffull }, { 0 }
};

/* Sandy Bridge EP, Ivy Bridge EP, Haswell and Broadwell */
static const struct ls_limits_extra limits_extra_haswell[] = {
	{ 0x01b7, RSP_0, 0x3fffff8fffull }, { 0x01bb, RSP_1, 0x3fffff8fffull }, { 0 }
};

static const struct ls_limits_extra limits_extra_skylake[] = {
	{ 0x01b7, RSP_0, 0x3fffff8fffull }, { 0x01bb, RSP_1, 0x3fffff8fffull },
	{ 0x01c6, FE, 0x7fff17 }, { 0 }
};

static const struct ls_limits_extra limits_extra_ice_lake[] = {
	{ 0x01b7, RSP_0, 0x3fffffbfffull }, { 0x01bb, RSP_1, 0x3fffffbfffull },
	{ 0x01c6, FE, 0x7fff17 }, { 0 }
};

static const struct ls_limits_extra limits_extra_golden_cove[] = {
	{ 0x012a, RSP_0, 0x3fffffffffull }, { 0x012b, RSP_1, 0x3fffffffffull },
	{ 0x01c6, FE, 0x7fff1f }, { 0x40ad, FE, 0x7 }, { 0x04c2, FE, 0x8 }, { 0 }
};

static const struct ls_limits_extra limits_extra_redwood_cove[] = {
	{ 0x012a, RSP_0, 0x3fffffffffull }, { 0x012b, RSP_1, 0x3fffffffffull },
	{ 0x02c6, FE, 0x9 }, { 0x03c6, FE, 0x7fff1f }, { 0x40ad, FE, 0x7 },
	{ 0x04c2, FE, 0x8 }, { 0 }
};

static const struct ls_limits_extra limits_extra_silvermont[] = {
	{ 0x01b7, RSP_0, 0x768005ffffull }, { 0x02b7, RSP_1, 0x368005ffffull }, { 0 }
};

static const struct ls_limits_extra limits_extra_goldmont[] = {
	{ 0x01b7, RSP_0, 0x760005ffbfull }, { 0x02b7, RSP_1, 0x360005ffbfull }, { 0 }
};

static const struct ls_limits_extra limits_extra_tremont[] = {
	{ 0x01b7, RSP_0, 0x800ff0ffffff9fffull },
	{ 0x02b7, RSP_1, 0xff0ffffff9fffull }, { 0 }
};

static const struct ls_limits_extra limits_extra_gracemont[] = {
	{ 0x01b7, RSP_0, 0x3fffffffffull }, { 0x02b7, RSP_1, 0x3fffffffffull }, { 0 }
};

static const struct ls_limits_extra limits_extra_crestmont[] = {
	{ 0x01b7, RSP_0, 0x800ff3ffffffffffull },
	{ 0x02b7, RSP_1, 0xff3ffffffffffull }, { 0 }
};

static const struct ls_limits_extra limits_extra_knights[] = {
	{ 0x01b7, RSP_0, 0x799ffbb6e7ull }, { 0x02b7, RSP_1, 0x399ffbffe7ull }, { 0 }
};

/*
 * The cores of a hybrid CPU: caps have core 0 where they are of both types, and then
 * the big core's limits hold, since the small one has none.
 */
#define SMALL	0x20

static const struct ls_limits_generation limits_generations[] = {
	{ { 0x1a, 0x1e, 0x1f, 0x2e }, 0, limits_nehalem, limits_extra_nehalem,
	  LIMITS_LEAST_32 | LIMITS_EXTRA_OF_CORE },
	{ { 0x25, 0x2c, 0x2f }, 0, limits_westmere, limits_extra_westmere,
	  LIMITS_EXTRA_OF_CORE },
	{ { 0x2a }, 0, limits_sandy_bridge, limits_extra_sandy_bridge },
	{ { 0x2d }, 0, limits_sandy_bridge, limits_extra_haswell },
	{ { 0x3a }, 0, limits_ivy_bridge, limits_extra_sandy_bridge },
	{ { 0x3e }, 0, limits_ivy_bridge, limits_extra_haswell },
	{ { 0x3c, 0x3f, 0x45, 0x46 }, 0, limits_haswell, limits_extra_haswell,
	  LIMITS_LEAST_32 | LIMITS_INST_128 },
	{ { 0x3d, 0x47, 0x4f, 0x56 }, 0, limits_broadwell, limits_extra_haswell,
	  LIMITS_INST_128 | LIMITS_INST_64 },
	{ { 0x4e, 0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6 }, 0, limits_skylake,
	  limits_extra_skylake },
	{ { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d, 0xa7 }, 0, limits_ice_lake,
	  limits_extra_ice_lake },
	{ { 0x97, 0x9a, 0xb7, 0xba, 0xbf }, SMALL, NULL, limits_extra_gracemont },
	{ { 0xaa, 0xac }, SMALL, NULL, limits_extra_crestmont },
	{ { 0x8f, 0xcf, 0x97, 0x9a, 0xb7, 0xba, 0xbf }, 0, limits_golden_cove,
	  limits_extra_golden_cove },
	{ { 0xaa, 0xac, 0xad, 0xae }, 0, limits_golden_cove,
	  limits_extra_redwood_cove },
	{ { 0x37, 0x4a, 0x4c, 0x4d, 0x5a }, 0, NULL, limits_extra_silvermont },
	{ { 0x5c, 0x5f, 0x7a }, 0, NULL, limits_extra_goldmont },
	{ { 0x86, 0x96, 0x9c }, 0, NULL, limits_extra_tremont },
	{ { 0xbe }, 0, NULL, limits_extra_gracemont },
	{ { 0x57, 0x85 }, 0, NULL, limits_extra_knights },
};

static const struct ls_limits_generation *ls_limits_generation(const struct ls_caps *caps)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(limits_generations); i++) {
		const struct ls_limits_generation *g = &limits_generations[i];

		if (g->core && g->core != caps->core)
			continue;
		for (k = 0; k < LIMITS_MODELS && g->models[k]; k++)
			if (g->models[k] == caps->model)
				return g;
	}
	return NULL;
}

static const struct ls_limits_line *ls_limits_line(const struct ls_limits_line *line, u64 config)
{
	u8 code = config & ARCH_PERFMON_EVENTSEL_EVENT;
	u8 umask = (config & ARCH_PERFMON_EVENTSEL_UMASK) >> 8;

	for (; line && line->last; line++)
		if (code >= line->first && code <= line->last &&
		    (umask & line->umask_bits) == line->umask)
			return line;
	return NULL;
}

/* INST_RETIRED.ALL, by another name .PREC_DIST. */
static bool ls_limits_is_inst(u64 config)
{
	return (config & (ARCH_PERFMON_EVENTSEL_EVENT |
			  ARCH_PERFMON_EVENTSEL_UMASK)) == 0x01c0;
}

/* The distances to an overflow that errata forbid. */
static void ls_limits_distance(u32 properties, u64 config, struct ls_limits *limits)
{
	if (properties & LIMITS_LEAST_32) {
		limits->least = 32;
		limits->grain = 1;
	}
	if (!ls_limits_is_inst(config))
		return;
	if (properties & LIMITS_INST_128) {
		limits->least = 128;
		limits->grain = properties & LIMITS_INST_64 ? 64 : 1;
	}
}

static void ls_limits_find_intel(const struct ls_caps *caps, u64 config, struct ls_limits *limits)
{
	const struct ls_limits_generation *g = ls_limits_generation(caps);
	const struct ls_limits_extra *extra;
	const struct ls_limits_line *line;
	u16 code = config & (ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK);

	if (caps->family != 6 || !g)
		return;
	line = ls_limits_line(g->lines, config);
	if (line) {
		limits->counters = line->counters;
		limits->one_thread = line->alone;
	}
	ls_limits_distance(g->properties, config, limits);
	limits->extras_known = g->extras;
	limits->extra_shared = !g->extras || g->properties & LIMITS_EXTRA_OF_CORE;
	for (extra = g->extras; extra && extra->code; extra++) {
		if (extra->code != code)
			continue;
		limits->extra_msr = extra->msr;
		limits->extra_valid = extra->valid;
	}
}

/* AMD's event select has twelve bits. */
static u32 ls_limits_amd_code(u64 config)
{
	return (config >> 24 & 0xf00) | (config & 0xff);
}

/* arch/x86/events/amd/core.c: amd_is_pair_event_code(). */
static void ls_limits_find_amd(u64 config, struct ls_limits *limits)
{
	limits->extras_known = true;
	if (ls_limits_amd_code(config) == 0x003)
		limits->refused = "this event counts more than 15 in a cycle, which needs two merged counters: use perf stat";
}

void ls_limits_find(const struct ls_caps *caps, u64 config, struct ls_limits *limits)
{
	*limits = (struct ls_limits){ .counters = LIMITS_ANY, .extra_shared = true };
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		ls_limits_find_intel(caps, config, limits);
	else
		ls_limits_find_amd(config, limits);
}
