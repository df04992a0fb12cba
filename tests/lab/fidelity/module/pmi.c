// SPDX-License-Identifier: GPL-2.0
/* The PMI: taken as an NMI, before all other handlers. */
#include <linux/nmi.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "fidelity.h"

#define NAME "fidelity"

struct pmi pmi;

void lvtpc_write(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

u32 lvtpc_read(void)
{
	return apic->read(APIC_LVTPC);
}

/*
 * Nobody else causes NMIs while this is loaded. Reads in fixed order, acknowledges what it saw, unmasks LVTPC. Counters that
 * are not frozen go on counting, the handler included.
 */
static int pmi_handler(unsigned int type, struct pt_regs *regs)
{
	u64 status;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD)
		return amd_pmi(regs);
	status = get(GLOBAL_STATUS);
	if (!status) {
		pmi.others++;
		return NMI_HANDLED;
	}
	pmi.hits++;
	pmi.status = status;
	pmi.ip = regs->ip;
	pmi.lvt = lvtpc_read();
	pmi.pmc0 = get(PMC(0));
	pmi.pmc1 = get(PMC(1));
	pmi.lbr = lbr_position();
	if (pmi.hook)
		pmi.hook();
	set(STATUS_RESET, status);
	lvtpc_write(APIC_DM_NMI);
	return NMI_HANDLED;
}

int pmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, pmi_handler, NMI_FLAG_FIRST, NAME);
}

void pmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, NAME);
}
