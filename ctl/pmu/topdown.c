// SPDX-License-Identifier: GPL-2.0
/* The events for top-down analysis: how a CPU spent its pipeline slots. */
#include <string.h>

#include "pmu/topdown.h"

#define TOPDOWN_MODELS	12

/* Slots of a cycle. */
#define SLOTS_SKYLAKE	4
#define SLOTS_ZEN4	6

static void topdown_rest(double shares[TOPDOWN_SHARES], enum topdown_share of)
{
	double sum = 0;

	shares[of] = 0;
	for (int i = 0; i < TOPDOWN_SHARES; i++)
		sum += shares[i];
	shares[of] = sum < 1 ? 1 - sum : 0;
}

/* CPU_CLK_UNHALTED.THREAD, IDQ_UOPS_NOT_DELIVERED.CORE, UOPS_ISSUED.ANY,
 * UOPS_RETIRED.RETIRE_SLOTS, INT_MISC.RECOVERY_CYCLES: Intel's TMA_Metrics. */
static void topdown_skylake(const double *counts, double shares[TOPDOWN_SHARES])
{
	double slots = SLOTS_SKYLAKE * counts[0];

	shares[TOPDOWN_FRONTEND] = counts[1] / slots;
	shares[TOPDOWN_RETIRING] = counts[3] / slots;
	shares[TOPDOWN_BAD_SPECULATION] =
		(counts[2] - counts[3] + SLOTS_SKYLAKE * counts[4]) / slots;
	topdown_rest(shares, TOPDOWN_BACKEND);
}

/* TOPDOWN.SLOTS_P, .BACKEND_BOUND_SLOTS, .BAD_SPEC_SLOTS, UOPS_RETIRED.SLOTS */
static void topdown_golden_cove(const double *counts, double shares[TOPDOWN_SHARES])
{
	shares[TOPDOWN_BACKEND] = counts[1] / counts[0];
	shares[TOPDOWN_BAD_SPECULATION] = counts[2] / counts[0];
	shares[TOPDOWN_RETIRING] = counts[3] / counts[0];
	topdown_rest(shares, TOPDOWN_FRONTEND);
}

/* ls_not_halted_cyc; de_no_dispatch_per_slot of no_ops_from_frontend, backend_stalls and
 * smt_contention; ex_ret_ops. Slots of the core's other thread are not counted. */
static void topdown_zen4(const double *counts, double shares[TOPDOWN_SHARES])
{
	double slots = SLOTS_ZEN4 * counts[0] - counts[3];

	shares[TOPDOWN_FRONTEND] = counts[1] / slots;
	shares[TOPDOWN_BACKEND] = counts[2] / slots;
	shares[TOPDOWN_RETIRING] = counts[4] / slots;
	topdown_rest(shares, TOPDOWN_BAD_SPECULATION);
}

/* As in asm/intel-family.h, and AMD's family 19H. */
static const struct {
	struct topdown topdown;
	uint32_t family;
	uint8_t models[TOPDOWN_MODELS];	/* 0 ends the list */
} topdown_cpus[] = {
	{ { "{cycles,r019c,r010e,r02c2,r100030d}", true, topdown_skylake },
	  6, { 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56 } },	/* Haswell, Broadwell */
	{ { "{cycles,r019c,r010e,r02c2,r010d}", true, topdown_skylake },
	  6, { 0x4e, 0x55, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },	/* Skylake to Comet Lake */
	{ { "{r01a4,r02a4,r04a4,r02c2}", false, topdown_golden_cove },
	  6, { 0x8f, 0xcf } },		/* Sapphire and Emerald Rapids */
	{ { "{cycles,r1000001a0,r100001ea0,r1000060a0,r00c1}", false, topdown_zen4 },
	  25, { 0x11, 0x18, 0x61, 0x74, 0x75, 0x78, 0x7c, 0xa0 } },	/* Zen 4 */
};

const struct topdown *topdown_of(const struct control_info *info)
{
	for (size_t i = 0; i < sizeof(topdown_cpus) / sizeof(*topdown_cpus); i++)
		if (topdown_cpus[i].family == info->family && info->model < 256 && info->model &&
		    memchr(topdown_cpus[i].models, info->model, TOPDOWN_MODELS))
			return &topdown_cpus[i].topdown;
	return NULL;
}

const char *topdown_name(enum topdown_share share)
{
	static const char *const names[] = {
		[TOPDOWN_RETIRING] = "retiring",
		[TOPDOWN_BAD_SPECULATION] = "bad speculation",
		[TOPDOWN_FRONTEND] = "frontend bound",
		[TOPDOWN_BACKEND] = "backend bound",
	};

	return names[share];
}
