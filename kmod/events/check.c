// SPDX-License-Identifier: GPL-2.0
/*
 * Checks each event by itself: whether these CPUs count it, and on which counters.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <asm/perf_event.h>

#include "base/extack.h"
#include "events/check.h"
#include "events/events.h"
#include "events/limits.h"
#include "pmu/caps.h"

#define EVENTS_CODE	(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)
#define EVENTS_RINGS	(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS)

/*
 * What Intel's fixed counters count (SDM vol. 3 "Fixed-Function Performance
 * Counters"), by the code that Linux's perf has for it.  Event select 0 stands for a
 * fixed counter alone: no general counter counts it.
 */
static const struct {
	u16 code;
	u8 counter;
} events_fixed[] = {
	{ 0x00c0, 0 },	/* INST_RETIRED.ANY */
	{ 0x003c, 1 },	/* CPU_CLK_UNHALTED.THREAD */
	{ 0x0100, 0 },	/* INST_RETIRED.ANY */
	{ 0x0200, 1 },	/* CPU_CLK_UNHALTED.THREAD */
	{ 0x0300, 2 },	/* CPU_CLK_UNHALTED.REF_TSC */
	{ 0x0400, 3 },	/* TOPDOWN.SLOTS */
};

/*
 * Events with an extra register, on CPUs that limits.c does not know: SDM vol. 3
 * "Off-core Response Performance Monitoring" and "Front-end Event"; the codes are those
 * of intel_*_extra_regs in arch/x86/events/intel/core.c.
 */
static const struct {
	u16 code;
	u32 msr;
} events_extra[] = {
	{ 0x01b7, CAPS_MSR_OFFCORE_0 },
	{ 0x01bb, CAPS_MSR_OFFCORE_1 },
	{ 0x02b7, CAPS_MSR_OFFCORE_1 },	/* Silvermont to Goldmont */
	{ 0x012a, CAPS_MSR_OFFCORE_0 },	/* Golden Cove on */
	{ 0x012b, CAPS_MSR_OFFCORE_1 },
	{ 0x01c6, CAPS_MSR_FRONTEND },
};

/* SDM vol. 3 "Pre-defined Architectural Performance Events", by bit of CPUID.0AH:EBX. */
static const u16 events_architectural[] = {
	0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5,
};

/* Returns the fixed counter that counts an event, as a bit, or 0. */
static u64 ls_events_check_fixed_for(const struct ls_caps *caps, u64 config)
{
	u32 i;

	if (config & ~(u64)(EVENTS_CODE | EVENTS_RINGS))
		return 0;
	for (i = 0; i < ARRAY_SIZE(events_fixed); i++)
		if ((config & EVENTS_CODE) == events_fixed[i].code &&
		    events_fixed[i].counter < caps->fixed_counters)
			return BIT_ULL(PMU_FIXED + events_fixed[i].counter);
	return 0;
}

/* The counters that count an event correctly. */
static u64 ls_events_check_able(const struct ls_caps *caps, const struct ls_event *event)
{
	u64 general = ls_caps_counters(caps) & (BIT_ULL(PMU_FIXED) - 1);
	struct ls_limits limits;

	ls_limits_find(caps, event->config, &limits);
	general &= limits.counters;
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return general;
	if (!(event->config & ARCH_PERFMON_EVENTSEL_EVENT))
		general = 0;
	return general | ls_events_check_fixed_for(caps, event->config);
}

static int ls_events_check_architectural(const struct ls_caps *caps,
					 const struct ls_event *event,
					 struct ls_extack *extack)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events_architectural); i++) {
		if ((event->config & EVENTS_CODE) != events_architectural[i] ||
		    !(caps->absent & BIT(i)))
			continue;
		ls_extack_set(extack, "this CPU, or this virtual machine, does not count this event (CPUID.0AH:EBX)");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int ls_events_check_counters(const struct ls_caps *caps, struct ls_event *event,
				    struct ls_extack *extack)
{
	u64 able = ls_events_check_able(caps, event);

	if (event->counters & caps->gp_reserved &&
	    !(event->counters & able)) {
		ls_extack_set(extack, "general counter 3 is used by the microcode, which works around an erratum of TSX (CPUID: TSX_FORCE_ABORT)");
		return -EOPNOTSUPP;
	}
	if (!event->counters)
		event->counters = able;
	if (event->counters & able) {
		event->counters &= able;
		return 0;
	}
	if (able)
		ls_extack_set(extack, "none of the counters that COUNTERS names can count this event");
	else if (event->config & ARCH_PERFMON_EVENTSEL_EVENT)
		ls_extack_set(extack, "this CPU, or this virtual machine, lacks the only counters that count this event correctly");
	else
		ls_extack_set(extack, "only a fixed counter counts this event, and this CPU does not have it");
	return -EOPNOTSUPP;
}

/* A CPU that limits.c does not know: START tries the value. */
static u32 ls_events_check_guess_extra(const struct ls_event *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events_extra); i++)
		if ((event->config & EVENTS_CODE) == events_extra[i].code)
			return events_extra[i].msr;
	return 0;
}

static int ls_events_check_extra(const struct ls_caps *caps, struct ls_event *event,
				 const struct ls_limits *limits,
				 struct ls_extack *extack)
{
	u32 msr = limits->extras_known ? limits->extra_msr :
					 ls_events_check_guess_extra(event);

	if (!event->has_extra)
		return 0;
	if (!msr || !ls_caps_has_extra(caps, msr)) {
		ls_extack_set(extack, "EXTRA is for off-core response and front-end events, where the CPU has a register for them");
		return -EOPNOTSUPP;
	}
	if (limits->extras_known && event->extra & ~limits->extra_valid) {
		ls_extack_set(extack, "this CPU does not take the EXTRA of this event: its bits must be within 0x%llx",
			      limits->extra_valid);
		return -EINVAL;
	}
	event->extra_msr = msr;
	return 0;
}

/* The limits of the event on this generation of CPUs. */
static int ls_events_check_limits(const struct ls_caps *caps, struct ls_event *event,
				  struct ls_extack *extack)
{
	struct ls_limits limits;

	ls_limits_find(caps, event->config, &limits);
	if (limits.refused) {
		ls_extack_set(extack, "%s", limits.refused);
		return -EOPNOTSUPP;
	}
	if (limits.one_thread && caps->smt) {
		ls_extack_set(extack, "with Hyper-Threading, this event also counts on the counters of the core's other thread (errata BJ122, BV98, HSD29): name one CPU of each core by CPUS, or turn SMT off");
		return -EOPNOTSUPP;
	}
	event->one_thread = limits.one_thread;
	event->extra_shared = limits.extra_shared;
	event->least = limits.least;
	event->grain = limits.grain;
	return ls_events_check_extra(caps, event, &limits, extack);
}

int ls_events_check(const struct ls_caps *caps, struct ls_event *event,
		    struct ls_extack *extack)
{
	int err = ls_events_check_architectural(caps, event, extack);

	if (!err)
		err = ls_events_check_limits(caps, event, extack);
	if (!err)
		err = ls_events_check_counters(caps, event, extack);
	return err;
}
