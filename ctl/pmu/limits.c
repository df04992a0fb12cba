// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stddef.h>

#include "pmu/event.h"
#include "pmu/limits.h"

#define LIMITS_ANY	(-1)	/* umask */
#define LIMITS_NONE	UINT32_MAX
#define LIMITS_MODELS	16

/* Event selects from first to last. The first line that fits holds. */
struct limits_line {
	uint8_t first, last;
	int umask;
	uint32_t counters;
};

/*
 * What Linux has in its intel_*_event_constraints, arch/x86/events/intel/core.c, from
 * Intel's lists of events (github.com/intel/perfmon, "Counter"), but for events of
 * PEBS. libpfm4 knows these too, and has no call to ask for them.
 */
static const struct limits_line limits_nehalem[] = {
	{ 0x40, 0x43, LIMITS_ANY, 0x3 },	/* L1D_CACHE_LD to L1D_ALL_REF */
	{ 0x48, 0x48, LIMITS_ANY, 0x3 },	/* L1D_PEND_MISS */
	{ 0x4e, 0x4e, LIMITS_ANY, 0x3 },	/* L1D_PREFETCH */
	{ 0x51, 0x51, LIMITS_ANY, 0x3 },	/* L1D */
	{ 0x63, 0x63, LIMITS_ANY, 0x3 },	/* CACHE_LOCK_CYCLES */
	{ 0 }
};

static const struct limits_line limits_westmere[] = {
	{ 0x51, 0x51, LIMITS_ANY, 0x3 },	/* L1D */
	{ 0x60, 0x60, LIMITS_ANY, 0x1 },	/* OFFCORE_REQUESTS_OUTSTANDING */
	{ 0x63, 0x63, LIMITS_ANY, 0x3 },	/* CACHE_LOCK_CYCLES */
	{ 0xb3, 0xb3, LIMITS_ANY, 0x1 },	/* SNOOPQ_REQUEST_OUTSTANDING */
	{ 0 }
};

static const struct limits_line limits_haswell[] = {
	{ 0x48, 0x48, 0x01, 0x4 },		/* L1D_PEND_MISS.PENDING */
	{ 0xa3, 0xa3, 0x08, 0x4 },		/* CYCLE_ACTIVITY.CYCLES_L1D_PENDING */
	{ 0xa3, 0xa3, 0x0c, 0x4 },		/* .STALLS_L1D_PENDING */
	{ 0xa3, 0xa3, 0x04, 0xf },		/* .CYCLES_NO_EXECUTE */
	{ 0xc0, 0xc0, 0x01, 0x2 },		/* INST_RETIRED.PREC_DIST */
	{ 0xcd, 0xcd, LIMITS_ANY, 0x8 },	/* MEM_TRANS_RETIRED */
	{ 0xd0, 0xd3, LIMITS_ANY, 0xf },	/* MEM_UOPS_RETIRED and others */
	{ 0 }
};

static const struct limits_line limits_broadwell[] = {
	{ 0x48, 0x48, 0x01, 0x4 },		/* L1D_PEND_MISS.PENDING */
	{ 0xa3, 0xa3, 0x08, 0x4 },		/* CYCLE_ACTIVITY.CYCLES_L1D_MISS */
	{ 0xa3, 0xa3, 0x0c, 0x4 },		/* .STALLS_L1D_MISS */
	{ 0xcd, 0xcd, LIMITS_ANY, 0xf },	/* MEM_TRANS_RETIRED */
	{ 0xd0, 0xd2, LIMITS_ANY, 0xf },	/* MEM_UOPS_RETIRED and others */
	{ 0 }
};

static const struct limits_line limits_skylake[] = {
	{ 0xc0, 0xc0, 0x01, 0x2 },		/* INST_RETIRED.PREC_DIST */
	{ 0xc6, 0xc6, LIMITS_ANY, 0xf },	/* FRONTEND_RETIRED */
	{ 0xcd, 0xcd, LIMITS_ANY, 0xf },	/* MEM_TRANS_RETIRED */
	{ 0xd0, 0xd2, LIMITS_ANY, 0xf },	/* MEM_INST_RETIRED and others */
	{ 0 }
};

static const struct limits_line limits_icelake[] = {
	{ 0x03, 0x0a, LIMITS_ANY, 0xf },
	{ 0x1f, 0x28, LIMITS_ANY, 0xf },
	{ 0x32, 0x32, LIMITS_ANY, 0xf },	/* SW_PREFETCH_ACCESS */
	{ 0x48, 0x54, LIMITS_ANY, 0xf },
	{ 0x60, 0x8b, LIMITS_ANY, 0xf },
	{ 0xa3, 0xa3, 0x04, LIMITS_NONE },	/* CYCLE_ACTIVITY.STALLS_TOTAL */
	{ 0xa3, 0xa3, 0x10, LIMITS_NONE },	/* .CYCLES_MEM_ANY */
	{ 0xa3, 0xa3, 0x14, LIMITS_NONE },	/* .STALLS_MEM_ANY */
	{ 0xa3, 0xa3, LIMITS_ANY, 0xf },	/* CYCLE_ACTIVITY */
	{ 0xa8, 0xb0, LIMITS_ANY, 0xf },
	{ 0xb7, 0xbd, LIMITS_ANY, 0xf },
	{ 0xd0, 0xe6, LIMITS_ANY, 0xf },
	{ 0xef, 0xef, LIMITS_ANY, 0xf },
	{ 0xf0, 0xf4, LIMITS_ANY, 0xf },
	{ 0 }
};

static const struct limits_line limits_golden_cove[] = {
	{ 0x2e, 0x2e, LIMITS_ANY, LIMITS_NONE },	/* LONGEST_LAT_CACHE */
	{ 0x3c, 0x3c, LIMITS_ANY, LIMITS_NONE },	/* CPU_CLK_UNHALTED */
	{ 0x01, 0x8f, LIMITS_ANY, 0xf },
	{ 0xa3, 0xa3, 0x01, 0xf },		/* CYCLE_ACTIVITY.CYCLES_L2_MISS */
	{ 0xa3, 0xa3, 0x02, 0xf },		/* .CYCLES_L3_MISS */
	{ 0xa3, 0xa3, 0x08, 0xf },		/* .CYCLES_L1D_MISS */
	{ 0xa4, 0xa4, 0x04, 0x1 },		/* TOPDOWN.BAD_SPEC_SLOTS */
	{ 0xa4, 0xa4, 0x08, 0x1 },		/* .BR_MISPREDICT_SLOTS */
	{ 0xcd, 0xcd, 0x02, 0x1 },		/* MEM_TRANS_RETIRED.STORE_SAMPLE */
	{ 0xce, 0xce, LIMITS_ANY, 0x1 },	/* AMX_OPS_RETIRED */
	{ 0xd0, 0xdf, LIMITS_ANY, 0xf },
	{ 0 }
};

/* As in asm/intel-family.h. On the E-cores of hybrid models nothing is limited; that
 * their events have fewer counters then does not make them wrong. */
static const struct {
	const struct limits_line *lines;
	uint8_t models[LIMITS_MODELS];	/* 0 ends them */
} limits_families[] = {
	{ limits_nehalem, { 0x1a, 0x1e, 0x2e } },
	{ limits_westmere, { 0x25, 0x2c, 0x2f } },
	{ limits_haswell, { 0x3c, 0x3f, 0x45, 0x46 } },
	{ limits_broadwell, { 0x3d, 0x47, 0x4f, 0x56 } },
	{ limits_skylake, { 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
	{ limits_icelake, { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d, 0xa7 } },
	{ limits_golden_cove, { 0x8f, 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xcf } },
};

static const struct limits_line *limits_of(uint32_t model)
{
	size_t i, k;

	for (i = 0; i < sizeof(limits_families) / sizeof(limits_families[0]); i++)
		for (k = 0; limits_families[i].models[k]; k++)
			if (limits_families[i].models[k] == model)
				return limits_families[i].lines;
	return NULL;
}

uint32_t events_limits(uint32_t family, uint32_t model, uint64_t select)
{
	const struct limits_line *line = family == 6 ? limits_of(model) : NULL;
	unsigned int code = select & 0xff;
	int umask = select >> 8 & 0xff;

	for (; line && line->last; line++)
		if (code >= line->first && code <= line->last &&
		    (line->umask == LIMITS_ANY || line->umask == umask))
			return line->counters;
	return LIMITS_NONE;
}
