// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/events/limits.c against samples of Linux's tables for each generation of CPUs:
 * arch/x86/events/intel/core.c and amd/core.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/events/limits.c"

struct shim_cpuinfo boot_cpu_data;

enum { ANY = -1 };

static struct ls_limits find(u32 family, u32 model, u32 core, u64 config)
{
	struct ls_caps caps = { .family = family, .model = model, .core = core };
	struct ls_limits limits;

	ls_limits_find(&caps, config, &limits);
	return limits;
}

enum {
	NEHALEM = 0x1a, WESTMERE = 0x2c, SANDY_BRIDGE = 0x2a, SANDY_BRIDGE_EP = 0x2d,
	IVY_BRIDGE = 0x3a, IVY_BRIDGE_EP = 0x3e, HASWELL = 0x3c, BROADWELL = 0x4f,
	SKYLAKE = 0x55, ICE_LAKE = 0x6a, SAPPHIRE_RAPIDS = 0x8f, ALDER_LAKE = 0x97,
	METEOR_LAKE = 0xaa, GRANITE_RAPIDS = 0xad, SILVERMONT = 0x37, GOLDMONT = 0x5c,
	TREMONT = 0x86, KNIGHTS_LANDING = 0x57, NOBODY = 0xfd,
	BIG = 0x40, LITTLE = 0x20,
};

static void test_counters(void **state)
{
	static const struct { u32 model, core; u64 config; u32 counters; } cases[] = {
		{ NEHALEM, 0, 0x10151, 0x3 },
		{ NEHALEM, 0, 0x50163, 0x3 },
		{ NEHALEM, 0, 0x10142, 0x3 },
		{ NEHALEM, 0, 0x10150, ANY },
		{ NEHALEM, 0, 0x101b3, ANY },
		{ WESTMERE, 0, 0x101b3, 0x1 },
		{ WESTMERE, 0, 0x10142, ANY },
		{ SANDY_BRIDGE, 0, 0x10248, 0x4 },
		{ SANDY_BRIDGE, 0, 0x102a3, 0x4 },
		{ SANDY_BRIDGE, 0, 0x104a3, 0xf },
		{ SANDY_BRIDGE, 0, 0x108a3, ANY },
		{ SANDY_BRIDGE, 0, 0x101c0, 0x2 },
		{ SANDY_BRIDGE_EP, 0, 0x101cd, 0x8 },
		{ IVY_BRIDGE, 0, 0x10148, 0x4 },
		{ IVY_BRIDGE, 0, 0x10248, ANY },
		{ IVY_BRIDGE, 0, 0x102a3, 0xf },
		{ IVY_BRIDGE_EP, 0, 0x10ca3, 0x4 },
		{ HASWELL, 0, 0x10148, 0x4 },
		{ HASWELL, 0, 0x10248, ANY },
		{ HASWELL, 0, 0x10108a3, 0x4 },	/* with any cmask */
		{ HASWELL, 0, 0x102a3, ANY },
		{ HASWELL, 0, 0x102cd, 0x8 },
		{ BROADWELL, 0, 0x10ca3, 0x4 },
		{ BROADWELL, 0, 0x109a3, 0x4 },		/* bit 3 decides */
		{ BROADWELL, 0, 0x105a3, ANY },
		{ BROADWELL, 0, 0x101cd, 0xf },
		{ BROADWELL, 0, 0x101c0, ANY },
		{ SKYLAKE, 0, 0x10148, ANY },
		{ SKYLAKE, 0, 0x181d0, 0xf },
		{ SKYLAKE, 0, 0x101c0, 0x2 },
		{ SKYLAKE, 0, 0x101c6, 0xf },
		{ ICE_LAKE, 0, 0x104a3, 0xff },
		{ ICE_LAKE, 0, 0x105a3, 0xf },
		{ ICE_LAKE, 0, 0x10154, 0xf },
		{ ICE_LAKE, 0, 0x10155, 0xf },
		{ ICE_LAKE, 0, 0x10157, ANY },
		{ ICE_LAKE, 0, 0x101c2, ANY },
		{ SAPPHIRE_RAPIDS, 0, 0x14f2e, 0xff },
		{ SAPPHIRE_RAPIDS, 0, 0x1003c, 0xff },
		{ SAPPHIRE_RAPIDS, 0, 0x10151, 0xf },
		{ SAPPHIRE_RAPIDS, 0, 0x108a4, 0x1 },
		{ SAPPHIRE_RAPIDS, 0, 0x10ca3, 0xf },
		{ SAPPHIRE_RAPIDS, 0, 0x110a3, ANY },
		{ SAPPHIRE_RAPIDS, 0, 0x101cd, 0xfe },
		{ SAPPHIRE_RAPIDS, 0, 0x102cd, 0x1 },
		{ GRANITE_RAPIDS, 0, 0x102cd, 0x1 },
		{ ALDER_LAKE, BIG, 0x10151, 0xf },
		{ ALDER_LAKE, LITTLE, 0x10151, ANY },
		{ ALDER_LAKE, 0, 0x10151, 0xf },	/* cores of both types */
		{ GOLDMONT, 0, 0x10151, ANY },
		{ NOBODY, 0, 0x10151, ANY },
	};
	size_t i;

	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ls_limits limits = find(6, cases[i].model, cases[i].core,
					       cases[i].config);

		if (limits.counters != cases[i].counters)
			fail_msg("model 0x%x core 0x%x event 0x%llx: 0x%llx",
				 cases[i].model, cases[i].core, cases[i].config,
				 limits.counters);
		assert_null(limits.refused);
	}
	assert_int_equal(find(0xf, NEHALEM, 0, 0x10151).counters, 0xffffffff);
}

static void test_extra(void **state)
{
	static const struct { u32 model, core; u64 config; u32 msr; u64 valid; } cases[] = {
		{ NEHALEM, 0, 0x101b7, 0x1a6, 0xffff },
		{ NEHALEM, 0, 0x101bb, 0, 0 },
		{ WESTMERE, 0, 0x101bb, 0x1a7, 0xffff },
		{ SANDY_BRIDGE, 0, 0x101b7, 0x1a6, 0x3f807f8fff },
		{ SANDY_BRIDGE_EP, 0, 0x101b7, 0x1a6, 0x3fffff8fff },
		{ IVY_BRIDGE, 0, 0x101bb, 0x1a7, 0x3f807f8fff },
		{ IVY_BRIDGE_EP, 0, 0x101bb, 0x1a7, 0x3fffff8fff },
		{ HASWELL, 0, 0x101b7, 0x1a6, 0x3fffff8fff },
		{ HASWELL, 0, 0x101c6, 0, 0 },
		{ SKYLAKE, 0, 0x101c6, 0x3f7, 0x7fff17 },
		{ ICE_LAKE, 0, 0x101b7, 0x1a6, 0x3fffffbfff },
		{ SAPPHIRE_RAPIDS, 0, 0x1012b, 0x1a7, 0x3fffffffff },
		{ SAPPHIRE_RAPIDS, 0, 0x101b7, 0, 0 },
		{ SAPPHIRE_RAPIDS, 0, 0x140ad, 0x3f7, 0x7 },
		{ GRANITE_RAPIDS, 0, 0x103c6, 0x3f7, 0x7fff1f },
		{ GRANITE_RAPIDS, 0, 0x101c6, 0, 0 },
		{ ALDER_LAKE, BIG, 0x1012a, 0x1a6, 0x3fffffffff },
		{ ALDER_LAKE, LITTLE, 0x1012a, 0, 0 },
		{ ALDER_LAKE, LITTLE, 0x102b7, 0x1a7, 0x3fffffffff },
		{ METEOR_LAKE, LITTLE, 0x102b7, 0x1a7, 0xff3ffffffffff },
		{ SILVERMONT, 0, 0x101b7, 0x1a6, 0x768005ffff },
		{ GOLDMONT, 0, 0x102b7, 0x1a7, 0x360005ffbf },
		{ TREMONT, 0, 0x101b7, 0x1a6, 0x800ff0ffffff9fff },
		{ KNIGHTS_LANDING, 0, 0x102b7, 0x1a7, 0x399ffbffe7 },
	};
	size_t i;

	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ls_limits limits = find(6, cases[i].model, cases[i].core,
					       cases[i].config);

		assert_true(limits.extras_known);
		if (limits.extra_msr != cases[i].msr ||
		    limits.extra_valid != cases[i].valid)
			fail_msg("model 0x%x event 0x%llx: 0x%x 0x%llx",
				 cases[i].model, cases[i].config,
				 limits.extra_msr, limits.extra_valid);
	}
	assert_false(find(6, NOBODY, 0, 0x101b7).extras_known);
}

/* The memory events of BJ122, BV98 and HSD29, and no others. */
static void test_one_thread(void **state)
{
	static const u32 models[] = { SANDY_BRIDGE, SANDY_BRIDGE_EP, IVY_BRIDGE,
				      IVY_BRIDGE_EP, HASWELL, 0x3f, 0x45, 0x46 };
	u32 i, code;

	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		for (code = 0; code < 0x100; code++)
			assert_int_equal(find(6, models[i], 0, 0x18100 | code).one_thread,
					 code >= 0xd0 && code <= 0xd3);
	assert_false(find(6, BROADWELL, 0, 0x181d0).one_thread);
	assert_false(find(6, NEHALEM, 0, 0x181d0).one_thread);
}

static void test_distance(void **state)
{
	static const struct { u32 model; u64 config; u32 least, grain; } cases[] = {
		{ NEHALEM, 0x100c0, 32, 1 },
		{ WESTMERE, 0x100c0, 0, 0 },
		{ HASWELL, 0x100c0, 32, 1 },
		{ HASWELL, 0x101c0, 128, 1 },
		{ BROADWELL, 0x100c0, 0, 0 },
		{ BROADWELL, 0x101c0, 128, 64 },
		{ SKYLAKE, 0x101c0, 0, 0 },
	};
	size_t i;

	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ls_limits limits = find(6, cases[i].model, 0, cases[i].config);

		assert_int_equal(limits.least, cases[i].least);
		assert_int_equal(limits.grain, cases[i].grain);
	}
}

static void test_amd(void **state)
{
	static const struct { u32 family; u64 config; u32 counters; } cases[] = {
		{ 0x17, 0x10003, 0 },
		{ 0x18, 0x10003, 0 },
		{ 0x19, 0x10f03, 0 },
		{ 0x19, 0x100010003, ANY },	/* 0x103 */
		{ 0x19, 0x100e9, ANY },
		{ 0x19, 0x100c0, ANY },
	};
	size_t i;

	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_AMD;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ls_limits limits = find(cases[i].family, 1, 0, cases[i].config);

		assert_int_equal(!limits.refused, !!cases[i].counters);
		if (!limits.refused && limits.counters != cases[i].counters)
			fail_msg("family 0x%x event 0x%llx: 0x%llx", cases[i].family,
				 cases[i].config, limits.counters);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_extra),
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_amd),
	};

	return cmocka_run_group_tests_name("kmod/limits", tests, NULL, NULL);
}
