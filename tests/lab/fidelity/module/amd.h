/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's PMU and LBR: what amd*.c share. What they expect is what the AMD64
 * Architecture Programmer's Manual says (vol. 2, "Performance Monitoring
 * Counters", "Last Branch Record Stack" and the registers of both), or the
 * Processor Programming Reference of family 19h model 11h (events); the
 * emulation's own choices are marked "by choice".
 */
#ifndef AMD_H
#define AMD_H

#include "fidelity.h"

#define AMD_CTRS		6
#define AMD_EVTSEL(i)		(0xc0010200 + 2 * (i))
#define AMD_CTR(i)		(0xc0010201 + 2 * (i))
#define K7_EVTSEL(i)		(0xc0010000 + (i))
#define K7_CTR(i)		(0xc0010004 + (i))
#define AMD_STATUS		0xc0000300
#define AMD_CTL			0xc0000301
#define AMD_STATUS_CLR		0xc0000302
#define AMD_STATUS_SET		0xc0000303
#define AMD_SELECT		0xc000010e
#define AMD_DEBUG_EXTN		0xc000010f
#define AMD_DEPTH		16
#define AMD_FROM(i)		(0xc0010300 + 2 * (i))
#define AMD_TO(i)		(0xc0010301 + 2 * (i))

#define AMD_LBRSE		BIT_ULL(6)
#define AMD_HOST_ONLY		BIT_ULL(41)
#define AMD_GUEST_ONLY		BIT_ULL(40)
#define AMD_MISPRED		BIT_ULL(63)	/* in FROM */
#define AMD_VALID		BIT_ULL(63)	/* in TO */
#define AMD_SPEC		BIT_ULL(62)	/* in TO */
#define AMD_IP(address)		((u64)(address) & (BIT_ULL(57) - 1))

#define AMD_INSTRUCTIONS	0xc0
#define AMD_BRANCHES		0xc2

/* every register of the PMU and the LBR to 0, LVTPC to NMI */
void amd_quiet(void);

/*
 * The events that all models have. count: what a snippet counts of an event, against want, the result
 * having this name.
 */
void amd_check_events(void (*count)(snippet_fn *snippet, u64 event, u64 want, const char *name));

/* what the last PMI found, besides struct pmi */
extern u64 amd_top_from, amd_top_to;

/* amd_core.c: which counters have overflowed, on a CPU without AMD_STATUS */
u64 amd_core_status(void);

#endif
