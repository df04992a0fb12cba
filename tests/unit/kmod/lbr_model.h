/* SPDX-License-Identifier: GPL-2.0 */
/* A model of the registers that kmod/lbr/legacy.c drives, in call-stack mode as the SDM has it: a call pushes, a return
 * clears the top entry and steps back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/lbr/legacy.c"

enum { DEPTH = 32 };

struct ls_caps ls_caps;
static bool tsx;

bool boot_cpu_has(int feature)
{
	if (feature == X86_FEATURE_INTEL_PT)
		return true;
	assert_true(feature == X86_FEATURE_HLE || feature == X86_FEATURE_RTM);
	return tsx;
}

static struct {
	u64 from[DEPTH], to[DEPTH], info[DEPTH], tos, select, debugctl;
	u64 rtit_ctl;
	unsigned int reads, writes;
} cpu;

/* On Skylake PT and these registers exclude each other (SDM vol. 3). */
static bool excluded(void)
{
	return cpu.rtit_ctl & RTIT_CTL_TRACEEN && !ls_caps.lbr_beside_pt;
}

static u64 *reg(u32 msr)
{
	if (msr == MSR_IA32_RTIT_CTL)
		return &cpu.rtit_ctl;
	if (msr == MSR_IA32_DEBUGCTLMSR)
		return &cpu.debugctl;
	if (excluded())
		fail_msg("#GP: MSR 0x%x while PT traces", msr);
	if (msr >= MSR_LBR_NHM_FROM && msr < MSR_LBR_NHM_FROM + DEPTH)
		return &cpu.from[msr - MSR_LBR_NHM_FROM];
	if (msr >= MSR_LBR_NHM_TO && msr < MSR_LBR_NHM_TO + DEPTH)
		return &cpu.to[msr - MSR_LBR_NHM_TO];
	if (msr >= MSR_LBR_INFO_0 && msr < MSR_LBR_INFO_0 + DEPTH)
		return &cpu.info[msr - MSR_LBR_INFO_0];
	switch (msr) {
	case MSR_LBR_TOS:
		return &cpu.tos;
	case MSR_LBR_SELECT:
		return &cpu.select;
	}
	fail_msg("#GP: MSR 0x%x", msr);
	return NULL;
}

u64 shim_rdmsr(u32 msr)
{
	cpu.reads++;
	return *reg(msr);
}

void shim_wrmsr(u32 msr, u64 value)
{
	cpu.writes++;
	*reg(msr) = value;
}

static void call(u64 from, u64 to)
{
	cpu.tos = (cpu.tos + 1) % DEPTH;
	cpu.from[cpu.tos] = from;
	cpu.to[cpu.tos] = to;
}

static void ret(void)
{
	cpu.from[cpu.tos] = cpu.to[cpu.tos] = 0;
	cpu.tos = (cpu.tos - 1) % DEPTH;
}
