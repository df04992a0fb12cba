// SPDX-License-Identifier: GPL-2.0
/* The CPUs that the project's emulated machine knows, to compare a real one with. */
#include <stdio.h>
#include <string.h>

#include "doctor/trial.h"

#define MODELS_MAX	6

/* Emulated CPUs (tests/lab/), as `lbrctl info` shows them there. models: the numbers of real
 * CPUs with the same branch records (SDM vol. 4, table 2-1; for AMD the family alone). */
static const struct trial_model {
	const char *name, *vendor;
	uint32_t family, models[MODELS_MAX];
	uint32_t lbr_format, lbr_depth;
	bool call_stack;
} trial_models[] = {
	{ "Nehalem", "GenuineIntel", 6, { 0x1a, 0x1e, 0x1f, 0x2e },
	  LBRSCOPE_LBR_FORMAT_EIP_FLAGS, 16, false },
	{ "Haswell", "GenuineIntel", 6, { 0x3c, 0x3f, 0x45, 0x46 },
	  LBRSCOPE_LBR_FORMAT_EIP_FLAGS2, 16, true },
	{ "Skylake", "GenuineIntel", 6, { 0x4e, 0x5e, 0x55, 0x8e, 0x9e },
	  LBRSCOPE_LBR_FORMAT_INFO, 32, true },
	{ "Sapphire Rapids", "GenuineIntel", 6, { 0x8f, 0xcf },
	  LBRSCOPE_LBR_FORMAT_ARCH, 32, true },
	{ "Zen 2", "AuthenticAMD", 23, { 0x31, 0x60, 0x68, 0x71, 0x90 },
	  LBRSCOPE_LBR_FORMAT_NONE, 0, false },
	{ "Zen 4", "AuthenticAMD", 25, { 0x11, 0x61, 0x74, 0xa0 },
	  LBRSCOPE_LBR_FORMAT_AMD, 16, false },
};

static const struct trial_model *trial_model(const struct control_info *info)
{
	for (size_t i = 0; i < sizeof(trial_models) / sizeof(trial_models[0]); i++) {
		const struct trial_model *m = &trial_models[i];

		if (strcmp(m->vendor, info->vendor) || m->family != info->family)
			continue;
		for (unsigned int n = 0; n < MODELS_MAX && m->models[n]; n++)
			if (m->models[n] == info->model)
				return m;
	}
	return NULL;
}

void trial_compare_model(struct selftest *t)
{
	const struct control_info *info = &t->info;
	const struct trial_model *m = trial_model(info);
	const unsigned int cpu = t->cpus.cpus[0];

	if (!m)
		selftest_result(t, "model", cpu, true, "family %u model %u was never emulated: "
				"%u branch records of format %u", info->family, info->model,
				info->lbr_depth, info->lbr_format);
	else
		selftest_result(t, "model", cpu, m->lbr_format == info->lbr_format &&
				m->lbr_depth == info->lbr_depth &&
				m->call_stack == info->call_stack,
				"%u branch records of format %u, call stacks %s; the emulated "
				"%s: %u of format %u, call stacks %s", info->lbr_depth,
				info->lbr_format, info->call_stack ? "yes" : "no", m->name,
				m->lbr_depth, m->lbr_format, m->call_stack ? "yes" : "no");
}
