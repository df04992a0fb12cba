// SPDX-License-Identifier: GPL-2.0
/*
 * PMIs whose cost the guest knows itself: fixed counter 0 counts all that runs,
 * so what a snippet took longer than without a PMI is the handler. Prints what
 * the host's meter must have written, in its order.
 */
#include <linux/kernel.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include "fidelity.h"

#define FAULTY_MSR 0x30f

/* pmi_handler()'s own accesses with one PMI, besides those of a hook */
#define OWN_RDMSR 4
#define OWN_WRMSR 1

static void accesses(void)
{
	u64 value;
	int i;

	for (i = 0; i < 10; i++)
		get(PMC(2));
	for (i = 0; i < 3; i++)
		set(A_PMC(3), i);
	for (i = 0; i < 2; i++)
		try_rdpmc(2, &value);
}

/* An exception, whose IRET unblocks NMIs and is not the handler's. */
static void fault(void)
{
	u64 value;

	try_get(FAULTY_MSR, &value);
}

/* Another PMI while this one is handled, let in by an exception's IRET. */
static void nested(void)
{
	if (pmi.hits > 1)
		return;
	lvtpc_write(APIC_DM_NMI);
	set(EVTSEL(1), EV_INSTRUCTIONS | SEL_OS | SEL_INT | SEL_EN);
	set(A_PMC(1), MINUS(2));
	fault();
	set(EVTSEL(1), 0);
}

static void one(const char *name, void (*hook)(void), int rdmsr, int wrmsr, int rdpmc)
{
	quiet();
	pmi.hook = hook;
	pmi.hits = 0;
	set(A_PMC(0), MINUS(10));
	set(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS | SEL_INT | SEL_EN);
	set(FIXED_CTRL, 3);
	snip_nops(GLOBAL_CTRL, BIT_ULL(32) | 3);
	pmi.hook = NULL;
	note("meter %s: insns %lld rdmsr %d wrmsr %d rdpmc %d ip 0x%llx hits %d", name,
	     get(FIXED(0)) - 64 - STOP_INSNS, OWN_RDMSR + rdmsr, OWN_WRMSR + wrmsr, rdpmc,
	     (u64)nops_body + 10, pmi.hits);
	quiet();
}

void meter_run(void)
{
	one("plain", NULL, 0, 0, 0);
	one("plain", NULL, 0, 0, 0);
	one("accesses", accesses, 10, 3, 2);
	one("fault", fault, 0, 0, 0);
	/* an NMI that is no PMI, between two that are */
	pmi.others = 0;
	apic->send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	check_is(1, pmi.others, "an NMI that is no PMI");
	one("nested", nested, OWN_RDMSR, OWN_WRMSR + 3, 0);
	one("plain", NULL, 0, 0, 0);
}
