// SPDX-License-Identifier: GPL-2.0
/*
 * What the models of the lab have to have, from the SDM and from CPUID of such
 * CPUs, not from the emulation.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "fidelity.h"

/* PERF_CAPABILITIES[13] */
#define FW_WRITE	BIT_ULL(13)

static const struct model models[] = {
	{
		.name = "skylake", .bit = SKYLAKE,
		.cpuid_a = { 4 | 8 << 8 | 48 << 16 | 7 << 24, 0, 0, 3 | 48 << 5 },
		.perf_cap = LBR_INFO_FORMAT | FW_WRITE,
		.gp = 8, .fixed = 3, .full_width = true,
		.lbr_format = LBR_INFO_FORMAT, .lbr_depth = 32,
	},
	{
		.name = "haswell", .bit = HASWELL,
		.cpuid_a = { 3 | 8 << 8 | 48 << 16 | 7 << 24, 0, 0, 3 | 48 << 5 },
		.perf_cap = LBR_FLAGS2_FORMAT | FW_WRITE,
		.gp = 8, .fixed = 3, .full_width = true,
		.lbr_format = LBR_FLAGS2_FORMAT, .lbr_depth = 16,
	},
	{
		.name = "nehalem", .bit = NEHALEM,
		.cpuid_a = { 3 | 4 << 8 | 48 << 16 | 7 << 24, 0, 0, 3 | 48 << 5 },
		.perf_cap = LBR_FLAGS_FORMAT,
		.gp = 4, .fixed = 3,
		.lbr_format = LBR_FLAGS_FORMAT, .lbr_depth = 16,
	},
	{
		.name = "sapphirerapids", .bit = SAPPHIRERAPIDS,
		.cpuid_a = { 5 | 8 << 8 | 48 << 16 | 7 << 24, 0, 7, 3 | 48 << 5 | 1 << 15 },
		.perf_cap = LBR_ARCH_FORMAT | FW_WRITE,
		.gp = 8, .fixed = 3, .full_width = true,
		.lbr_format = LBR_ARCH_FORMAT, .lbr_depth = 32,
	},
	{ .name = "none" },
	{ .name = "zen4" },	/* these in amd*.c */
	{ .name = "zen2" },
	{ .name = "zen2-k7" },
};

const struct model *model;

int model_choose(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i].name, name))
			model = &models[i];
	return model ? 0 : -EINVAL;
}

bool on(u32 which)
{
	return model->bit & which;
}
