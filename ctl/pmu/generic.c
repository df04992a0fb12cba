// SPDX-License-Identifier: GPL-2.0
/* perf's own names of events, which each CPU counts by a code of its own. */
#include <cpuid.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/generic.h"
#include "pmu/libpfm.h"

/* Families of CPUs that count perf's events by the same codes. */
enum generic_cpu {
	NEHALEM = 1 << 0, WESTMERE = 1 << 1, SANDY = 1 << 2, IVY = 1 << 3, HASWELL = 1 << 4,
	BROADWELL = 1 << 5, SKYLAKE = 1 << 6, ICE = 1 << 7, GOLDEN = 1 << 8,
	OTHER_INTEL = 1 << 9,
	ZEN = 1 << 10,
	INTEL = NEHALEM | WESTMERE | SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE | GOLDEN |
		OTHER_INTEL,
};

struct generic_code {
	unsigned int cpus;	/* enum generic_cpu */
	uint64_t code;		/* umask and event select; OFFCORE() */
};

/* With the value of MSR_OFFCORE_RSP_x. */
#define GENERIC_EXTRA_SHIFT	16
#define OFFCORE(code, extra)	((code) | (extra) << GENERIC_EXTRA_SHIFT)

#define GENERIC_CODES_MAX	7

struct generic_event {
	const char *name;
	uint32_t perf_type;
	uint64_t perf_config;
	struct generic_code codes[GENERIC_CODES_MAX];
};

#define HARDWARE(id)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define CACHE(cache, op, result)	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | \
		PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16

/*
 * Events of the core. Intel: the architectural events of the SDM, vol. 3, "Pre-defined
 * Architectural Performance Events". AMD: amd_f17h_perfmon_event_map of
 * arch/x86/events/amd/core.c. Caches: the tables *_hw_cache_event_ids* and
 * *_hw_cache_extra_regs of arch/x86/events/intel/core.c and amd/core.c.
 */
static const struct generic_event generic_events[] = {
	{ "cycles", HARDWARE(CPU_CYCLES), { { INTEL, 0x003c }, { ZEN, 0x0076 } } },
	{ "cpu-cycles", HARDWARE(CPU_CYCLES), { { INTEL, 0x003c }, { ZEN, 0x0076 } } },
	{ "instructions", HARDWARE(INSTRUCTIONS), { { INTEL, 0x00c0 }, { ZEN, 0x00c0 } } },
	{ "cache-references", HARDWARE(CACHE_REFERENCES), {
		{ INTEL, 0x4f2e },
		{ ZEN, 0xff60 },
	} },
	{ "cache-misses", HARDWARE(CACHE_MISSES), {
		{ INTEL, 0x412e },
		{ ZEN, 0x0964 },
	} },
	{ "branches", HARDWARE(BRANCH_INSTRUCTIONS), { { INTEL, 0x00c4 }, { ZEN, 0x00c2 } } },
	{ "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), { { INTEL, 0x00c4 }, { ZEN, 0x00c2 } } },
	{ "branch-misses", HARDWARE(BRANCH_MISSES), { { INTEL, 0x00c5 }, { ZEN, 0x00c3 } } },
	{ "bus-cycles", HARDWARE(BUS_CYCLES), { { INTEL, 0x013c } } },
	/* Counted by a fixed counter only, with perf's code. */
	{ "ref-cycles", HARDWARE(REF_CPU_CYCLES), { { INTEL, 0x0300 } } },
	{ "L1-dcache-loads", CACHE(L1D, READ, ACCESS), {
		{ NEHALEM | WESTMERE, 0x010b },
		{ SANDY | IVY, 0xf1d0 },
		{ HASWELL | BROADWELL | SKYLAKE | ICE | GOLDEN, 0x81d0 },
		{ ZEN, 0x0040 },
	} },
	{ "L1-dcache-load-misses", CACHE(L1D, READ, MISS), {
		{ NEHALEM | WESTMERE | SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE, 0x0151 },
		{ GOLDEN, 0xe124 },
		{ ZEN, 0xc860 },
	} },
	{ "L1-dcache-stores", CACHE(L1D, WRITE, ACCESS), {
		{ NEHALEM | WESTMERE, 0x020b },
		{ SANDY | IVY, 0xf2d0 },
		{ HASWELL | BROADWELL | SKYLAKE | ICE | GOLDEN, 0x82d0 },
	} },
	{ "L1-dcache-store-misses", CACHE(L1D, WRITE, MISS), {
		{ NEHALEM | WESTMERE, 0x0251 },
		{ SANDY | IVY, 0x0851 },
	} },
	{ "L1-icache-loads", CACHE(L1I, READ, ACCESS), {
		{ NEHALEM | WESTMERE, 0x0380 },
		{ ZEN, 0x0080 },
	} },
	{ "L1-icache-load-misses", CACHE(L1I, READ, MISS), {
		{ NEHALEM | WESTMERE | SANDY | IVY | HASWELL | BROADWELL, 0x0280 },
		{ SKYLAKE | ICE, 0x0283 },
		{ GOLDEN, 0xe424 },
		{ ZEN, 0x0081 },
	} },
	{ "LLC-loads", CACHE(LL, READ, ACCESS), {
		{ NEHALEM | WESTMERE, OFFCORE(0x01b7, 0xf701ULL) },
		{ SANDY | IVY, OFFCORE(0x01b7, 0x10081ULL) },
		{ HASWELL | BROADWELL, OFFCORE(0x01b7, 0x10001ULL) },
		{ SKYLAKE | ICE, OFFCORE(0x01b7, 0x3fc0010001ULL) },
		{ GOLDEN, OFFCORE(0x012a, 0x10001ULL) },
	} },
	{ "LLC-load-misses", CACHE(LL, READ, MISS), {
		{ NEHALEM | WESTMERE, OFFCORE(0x01b7, 0xf001ULL) },
		{ SANDY | IVY, OFFCORE(0x01b7, 0x3fffc00081ULL) },
		{ HASWELL, OFFCORE(0x01b7, 0x3fb8400001ULL) },
		{ BROADWELL, OFFCORE(0x01b7, 0x1fbc000001ULL) },
		{ SKYLAKE | ICE, OFFCORE(0x01b7, 0x3ffc020001ULL) },
		{ GOLDEN, OFFCORE(0x012a, 0x3fbfc00001ULL) },
	} },
	{ "LLC-stores", CACHE(LL, WRITE, ACCESS), {
		{ NEHALEM | WESTMERE, OFFCORE(0x01b7, 0xf70aULL) },
		{ SANDY | IVY, OFFCORE(0x01b7, 0x10102ULL) },
		{ HASWELL | BROADWELL, OFFCORE(0x01b7, 0x10002ULL) },
		{ SKYLAKE | ICE, OFFCORE(0x01b7, 0x3fc0010002ULL) },
		{ GOLDEN, OFFCORE(0x012a, 0x3f3ffc0002ULL) },
	} },
	{ "LLC-store-misses", CACHE(LL, WRITE, MISS), {
		{ NEHALEM | WESTMERE, OFFCORE(0x01b7, 0xf00aULL) },
		{ SANDY | IVY, OFFCORE(0x01b7, 0x3fffc00102ULL) },
		{ HASWELL, OFFCORE(0x01b7, 0x3fb8400002ULL) },
		{ BROADWELL, OFFCORE(0x01b7, 0x1fbc000002ULL) },
		{ SKYLAKE | ICE, OFFCORE(0x01b7, 0x3ffc020002ULL) },
		{ GOLDEN, OFFCORE(0x012a, 0x3f3fc00002ULL) },
	} },
	{ "dTLB-loads", CACHE(DTLB, READ, ACCESS), {
		{ NEHALEM, 0x0f40 },
		{ WESTMERE, 0x010b },
		{ SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE | GOLDEN, 0x81d0 },
		{ ZEN, 0xff45 },
	} },
	{ "dTLB-load-misses", CACHE(DTLB, READ, MISS), {
		{ NEHALEM | WESTMERE | SANDY | HASWELL | BROADWELL, 0x0108 },
		{ IVY, 0x8108 },
		{ SKYLAKE | ICE, 0x0e08 },
		{ GOLDEN, 0x0e12 },
		{ ZEN, 0xf045 },
	} },
	{ "dTLB-stores", CACHE(DTLB, WRITE, ACCESS), {
		{ NEHALEM, 0x0f41 },
		{ WESTMERE, 0x020b },
		{ SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE | GOLDEN, 0x82d0 },
	} },
	{ "dTLB-store-misses", CACHE(DTLB, WRITE, MISS), {
		{ NEHALEM | WESTMERE, 0x010c },
		{ SANDY | IVY | HASWELL | BROADWELL, 0x0149 },
		{ SKYLAKE | ICE, 0x0e49 },
		{ GOLDEN, 0x0e13 },
	} },
	{ "iTLB-loads", CACHE(ITLB, READ, ACCESS), {
		{ NEHALEM | WESTMERE, 0x01c0 },
		{ SANDY | IVY, 0x1085 },
		{ HASWELL | BROADWELL, 0x6085 },
		{ SKYLAKE, 0x2085 },
		{ ZEN, 0x0084 },
	} },
	{ "iTLB-load-misses", CACHE(ITLB, READ, MISS), {
		{ NEHALEM, 0x20c8 },
		{ WESTMERE | SANDY | IVY | HASWELL | BROADWELL, 0x0185 },
		{ SKYLAKE | ICE, 0x0e85 },
		{ GOLDEN, 0x0e11 },
		{ ZEN, 0xff85 },
	} },
	{ "branch-loads", CACHE(BPU, READ, ACCESS), {
		{ NEHALEM | WESTMERE | SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE, 0x00c4 },
		{ GOLDEN, 0x04c4 },
		{ ZEN, 0x00c2 },
	} },
	{ "branch-load-misses", CACHE(BPU, READ, MISS), {
		{ NEHALEM | WESTMERE, 0x03e8 },
		{ SANDY | IVY | HASWELL | BROADWELL | SKYLAKE | ICE, 0x00c5 },
		{ GOLDEN, 0x04c5 },
		{ ZEN, 0x00c3 },
	} },
};

/* libpfm4's names of PMUs, as far as they tell the family; the first that fits. */
static const struct {
	const char *prefix;
	unsigned int cpu;	/* enum generic_cpu */
} generic_pmus[] = {
	{ "nhm", NEHALEM }, { "wsm", WESTMERE }, { "snb", SANDY }, { "ivb", IVY },
	{ "hsw", HASWELL }, { "bdw", BROADWELL }, { "skl", SKYLAKE }, { "skx", SKYLAKE },
	{ "clx", SKYLAKE }, { "icl", ICE }, { "icx", ICE }, { "spr", GOLDEN }, { "emr", GOLDEN },
	{ "adl_glc", GOLDEN }, { "amd64", ZEN },
};

static unsigned int generic_of_pmu(const char *name)
{
	for (size_t i = 0; i < sizeof(generic_pmus) / sizeof(generic_pmus[0]); i++)
		if (!strncmp(name, generic_pmus[i].prefix, strlen(generic_pmus[i].prefix)))
			return generic_pmus[i].cpu;
	return OTHER_INTEL;
}

/* Returns the family by libpfm4, so that forcing another CPU in libpfm4 also selects its codes; 0
 * if libpfm4 knows no CPU. Its table of Intel's architectural events tells only the vendor. */
static unsigned int generic_cpu_pfm(void)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	unsigned int cpu = 0;

	if (events_begin() != PFM_SUCCESS)
		return 0;
	for (int i = 0; i < PFM_PMU_MAX && (!cpu || cpu == OTHER_INTEL); i++)
		if (pfm_get_pmu_info(i, &pmu) == PFM_SUCCESS && pmu.is_present &&
		    pmu.type == PFM_PMU_TYPE_CORE)
			cpu = generic_of_pmu(pmu.name);
	return cpu;
}

/* CPUID leaf 0: "Auth" of AuthenticAMD, "Hygo" of HygonGenuine, whose CPUs are Zen's. The module uses
 * no counters of families before Zen. */
static unsigned int generic_cpu(void)
{
	unsigned int eax, ebx, ecx, edx, cpu = generic_cpu_pfm();

	if (cpu)
		return cpu;
	if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) &&
	    (ebx == signature_AMD_ebx || ebx == 0x6f677948))
		return ZEN;
	return OTHER_INTEL;
}

bool generic_amd(void)
{
	return generic_cpu() == ZEN;
}

const char *generic_name(size_t i)
{
	return i < sizeof(generic_events) / sizeof(generic_events[0]) ? generic_events[i].name :
		NULL;
}

bool generic_find(const char *name, struct generic *generic)
{
	const struct generic_event *event = NULL;
	struct generic_code code = {};
	unsigned int cpu;

	for (size_t i = 0; generic_name(i) && !event; i++)
		if (!strcmp(generic_name(i), name))
			event = &generic_events[i];
	if (!event)
		return false;
	cpu = generic_cpu();
	for (size_t i = 0; i < GENERIC_CODES_MAX; i++)
		if (event->codes[i].cpus & cpu)
			code = event->codes[i];
	*generic = (struct generic){
		.code = code.code & EVENTS_SELECT_CODE, .extra = code.code >> GENERIC_EXTRA_SHIFT,
		.perf_type = event->perf_type, .perf_config = event->perf_config,
	};
	return true;
}
