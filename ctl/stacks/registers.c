// SPDX-License-Identifier: GPL-2.0
/* The user registers of a sample, in the order of DWARF. */
#include <asm/perf_regs.h>

#include "object/cfi.h"
#include "stacks/registers.h"

/* Maps DWARF's register numbers 0, 1, 2 … (x86-64 psABI, figure 3.36) to perf's. */
static const unsigned char perf_registers[OBJECT_CFI_NR_REGISTERS] = {
	PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX,
	PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP,
	PERF_REG_X86_R8, PERF_REG_X86_R9, PERF_REG_X86_R10, PERF_REG_X86_R11,
	PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14, PERF_REG_X86_R15,
	PERF_REG_X86_IP,
};

/* Gets a register by perf's number. */
static bool get(const struct perf_event_attr *attr, const struct perfdata_sample *sample, int number,
		uint64_t *value)
{
	const uint64_t mask = attr->sample_regs_user, bit = 1ULL << number;

	if (!sample->regs || !(mask & bit))
		return false;
	*value = perfdata_u64(sample->regs + 8 * __builtin_popcountll(mask & (bit - 1)));
	return true;
}

bool registers_ip(const struct perf_event_attr *attr, const struct perfdata_sample *sample, uint64_t *ip)
{
	return get(attr, sample, PERF_REG_X86_IP, ip);
}

bool registers_of(const struct perf_event_attr *attr, const struct perfdata_sample *sample,
		  uint64_t *out)
{
	if (sample->regs_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		if (!get(attr, sample, perf_registers[i], &out[i]))
			return false;
	return true;
}
