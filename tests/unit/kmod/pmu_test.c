// SPDX-License-Identifier: GPL-2.0
/* kmod/pmu/pmu.c and kmod/counters/own.c against models of the registers. */
#include "pmu_model.h"

/* Whether control registers read as before, and bits of other users were not touched. */
static void test_start_stop(void **state)
{
	const u64 counters = 1 | 1 << 3 | 1ULL << 33;
	struct ls_pmu_saved saved;

	(void)state;
	cpu.ctrl = 0x7000000ff;
	cpu.fixed_ctrl = 0xb0b;
	cpu.lvtpc = 0x10400;
	cpu.evtsel[0] = 0x13c;
	cpu.evtsel[3] = 0x1c0;
	cpu.evtsel[5] = 0x4c5;
	cpu.pmc[5] = 55;
	cpu.fixed[0] = 66;
	cpu.status = 1ULL << 55 | 1 | 1ULL << 33;
	ls_pmu_start(&saved, counters);
	ls_pmu_select(&saved, 0, 0x1003c);
	ls_pmu_select(&saved, 3, 0x2003c);
	ls_pmu_select(&saved, 33, 0x2003c);
	ls_pmu_select_fixed(&saved, 0xa0);
	assert_int_equal(cpu.ctrl, 0);
	assert_int_equal(cpu.fixed_ctrl, 0xa0);
	assert_int_equal(cpu.status, 1ULL << 55);
	assert_int_equal(cpu.evtsel[0], 0x1003c | 1 << 20 | 1 << 22);
	assert_int_equal(cpu.evtsel[3], 0x2003c | 1 << 20 | 1 << 22);
	assert_int_equal(cpu.lvtpc, APIC_DM_NMI);
	ls_pmu_load(33, 77);
	ls_pmu_run(counters);
	assert_int_equal(cpu.ctrl, counters);
	ls_pmu_halt(counters);
	assert_int_equal(ls_pmu_value(33), width_mask() + 1 - 77);
	ls_pmu_stop(&saved);
	assert_int_equal(cpu.ctrl, 0x7000000ff);
	assert_int_equal(cpu.fixed_ctrl, 0xb0b);
	assert_int_equal(cpu.lvtpc, 0x10400);
	assert_int_equal(cpu.evtsel[0], 0x13c);
	assert_int_equal(cpu.evtsel[3], 0x1c0);
	assert_int_equal(cpu.pmc[0], 0);
	assert_int_equal(cpu.fixed[1], 0);
	assert_int_equal(cpu.evtsel[5], 0x4c5);
	assert_int_equal(cpu.pmc[5], 55);
	assert_int_equal(cpu.fixed[0], 66);
	assert_int_equal(cpu.status, 1ULL << 55);
}

static u64 left(u32 counter)
{
	u64 value = ls_pmu_value(counter);

	return ls_pmu_wrapped(counter, value) ? 0 :
	       ls_pmu_mask(counter) + 1 - value;
}

static void check_period(u32 counter, u64 period)
{
	const u64 bit = 1ULL << counter;
	struct ls_pmu_saved saved;
	u64 rest;

	ls_pmu_start(&saved, bit);
	ls_pmu_select(&saved, counter, 0x1003c);
	if (counter >= 32)
		ls_pmu_select_fixed(&saved, 0xaULL << (counter - 32) * 4);
	ls_pmu_load(counter, period);
	count(counter, 1000);		/* not yet */
	assert_false(ls_pmu_overflows(bit));
	ls_pmu_run(bit);
	count(counter, period / 2);
	ls_pmu_halt(bit);
	rest = left(counter);
	assert_int_equal(rest, period - period / 2);
	count(counter, 1000);		/* stopped */
	ls_pmu_load(counter, rest);
	ls_pmu_run(bit);
	count(counter, rest - 1);
	assert_false(ls_pmu_overflows(bit));
	count(counter, 1);
	assert_int_equal(ls_pmu_overflows(bit), bit);
	assert_int_equal(left(counter), 0);
	ls_pmu_load(counter, period);
	ls_pmu_acknowledge(bit);
	assert_int_equal(ls_pmu_overflows(bit), 0);
	assert_int_equal(cpu.status, 0);
	assert_int_equal(left(counter), period);
	/* over again, and given up */
	ls_pmu_load(counter, 1);
	count(counter, 1);
	assert_int_equal(left(counter), 0);
	ls_pmu_acknowledge(bit);
	assert_int_equal(ls_pmu_overflows(bit), 0);
	ls_pmu_halt(bit);
	ls_pmu_stop(&saved);
	assert_false(counts(counter));
}

static void check_periods(u32 counter)
{
	static const u64 periods[] = { 1, 2, CAPS_PERIOD_MIN, 1 << 30,
				       PMU_LEFT_MAX };
	size_t i;

	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		check_period(counter, periods[i]);
}

/* A period survives being interrupted anywhere, the shortest and longest. */
static void test_pause_resume(void **state)
{
	size_t k;
	u32 i;

	(void)state;
	for (k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
		print_message("%s\n", models[k].name);
		use(&models[k]);
		for (i = 0; i < model->caps.gp_counters; i++)
			check_periods(i);
		for (i = 0; i < model->caps.fixed_counters; i++)
			check_periods(32 + i);
	}
}

/* A register that another user wrote is recognized, and left alone. */
static void test_taken(void **state)
{
	struct ls_pmu_saved saved;

	(void)state;
	cpu.evtsel[0] = 0x13c;
	cpu.evtsel[1] = 0x1c0;
	ls_pmu_start(&saved, 3);
	ls_pmu_select(&saved, 0, 0x1003c);
	ls_pmu_select(&saved, 1, 0x1003c);
	ls_pmu_run(3);
	assert_false(ls_pmu_taken(&saved, 3));
	cpu.evtsel[1] = 0x4300c4;
	assert_false(ls_pmu_taken(&saved, 1));
	assert_true(ls_pmu_taken(&saved, 3));
	assert_int_equal(ls_pmu_leave(&saved, 3), 1);
	cpu.pmc[1] = 42;
	assert_false(cpu.evtsel[0] & 1 << 22);
	assert_int_equal(cpu.evtsel[1], 0x4300c4);
	ls_pmu_halt(3);
	ls_pmu_stop(&saved);
	assert_int_equal(cpu.evtsel[0], 0x13c);
	assert_int_equal(cpu.evtsel[1], 0x4300c4);
	assert_int_equal(cpu.pmc[1], 42);

	cpu.fixed_ctrl = 0xb;
	ls_pmu_start(&saved, 1ULL << 32);
	ls_pmu_select_fixed(&saved, 0xa);
	assert_false(ls_pmu_taken(&saved, 1ULL << 32));
	cpu.fixed_ctrl = 0xbb;
	assert_true(ls_pmu_taken(&saved, 1ULL << 32));
	ls_pmu_leave(&saved, 1ULL << 32);
	ls_pmu_stop(&saved);
	assert_int_equal(cpu.fixed_ctrl, 0xbb);

	cpu.fixed_ctrl = 0xb;
	ls_pmu_start(&saved, 1ULL << 32);
	ls_pmu_select_fixed(&saved, 0xa);
	ls_pmu_leave(&saved, 1ULL << 32);
	assert_int_equal(cpu.fixed_ctrl, 0);
	ls_pmu_stop(&saved);
	assert_int_equal(cpu.fixed_ctrl, 0xb);
}

/* Counters that overflow together are reported, and acknowledged, one by one. */
static void test_together(void **state)
{
	struct ls_pmu_saved saved;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
		use(&models[k]);
		ls_pmu_start(&saved, 3);
		ls_pmu_select(&saved, 0, 0x1003c);
		ls_pmu_select(&saved, 1, 0x1003c);
		ls_pmu_load(0, 100);
		ls_pmu_load(1, 100);
		ls_pmu_run(3);
		count(0, 100);
		count(1, 105);
		assert_int_equal(ls_pmu_overflows(3), 3);
		assert_int_equal(ls_pmu_value(1), 5);
		ls_pmu_load(0, 100);
		ls_pmu_acknowledge(1);
		assert_int_equal(ls_pmu_overflows(3), 2);
		assert_int_equal(ls_pmu_value(1), 5);
		ls_pmu_halt(3);
		ls_pmu_stop(&saved);
	}
}

/* An overflow after the acknowledgement is not acknowledged with the one before it. */
static void test_cleared_first(void **state)
{
	struct ls_pmu_saved saved;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
		use(&models[k]);
		ls_pmu_start(&saved, 1);
		ls_pmu_select(&saved, 0, 0x1003c);
		ls_pmu_load(0, 100);
		ls_pmu_run(1);
		count(0, 103);
		assert_int_equal(ls_pmu_overflows(1), 1);
		ls_pmu_clear(1);
		ls_pmu_load(0, 100);
		assert_int_equal(ls_pmu_overflows(1), 0);
		count(0, 100);
		assert_int_equal(ls_pmu_overflows(1), 1);
		assert_int_equal(ls_pmu_signs(1), 1);
		ls_pmu_halt(1);
		ls_pmu_acknowledge(1);
		assert_int_equal(ls_pmu_overflows(1), 0);
		ls_pmu_stop(&saved);
	}
}

/* The global control is written again, and a counter that stood still is reported. */
static void test_reassert(void **state)
{
	static const struct { u64 control; bool stopped; } others[] = {
		{ 3, false }, { 0x7000000ff, false }, { 0, true }, { 2, true },
	};
	struct ls_pmu_saved saved;
	size_t i, k;

	(void)state;
	for (k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
		use(&models[k]);
		ls_pmu_start(&saved, 3);
		ls_pmu_run(3);
		for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
			if (model->ctrl)
				cpu.ctrl = others[i].control;
			assert_int_equal(ls_pmu_reassert(3),
					 model->ctrl && others[i].stopped);
			assert_int_equal(cpu.ctrl, model->ctrl ? 3 : 0);
		}
		ls_pmu_halt(3);
		ls_pmu_stop(&saved);
	}
}

/* A CPU without PT raises #GP at its register. */
static void test_traced(void **state)
{
	(void)state;
	assert_false(ls_own_traced());
	cpu.has_pt = true;
	assert_false(ls_own_traced());
	cpu.rtit_ctl = 0x2408;
	assert_false(ls_own_traced());
	cpu.rtit_ctl |= 1;
	assert_true(ls_own_traced());
}

/* When Linux's perf acknowledges the local APIC: intel_pmu_init(), by model. */
static void test_unmask(void **state)
{
	static const struct { int model; enum ls_pmu_unmask unmask; } cpus[] = {
		{ 0x1a, PMU_UNMASK_EARLY },	/* Nehalem */
		{ 0x3e, PMU_UNMASK_EARLY },	/* Ivy Bridge */
		{ 0x3c, PMU_UNMASK_LATE },	/* Haswell */
		{ 0x55, PMU_UNMASK_LATE },	/* Skylake */
		{ 0x7a, PMU_UNMASK_EARLY },	/* Goldmont Plus */
		{ 0x86, PMU_UNMASK_LATE },	/* Tremont */
		{ 0x97, PMU_UNMASK_LATE },	/* Alder Lake */
		{ 0xcf, PMU_UNMASK_LATE },	/* Emerald Rapids */
	};
	size_t i;

	(void)state;
	boot_cpu_data.x86 = 6;
	for (i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		boot_cpu_data.x86_model = cpus[i].model;
		ls_pmu_init();
		assert_int_equal(ls_pmu_regs.unmask, cpus[i].unmask);
	}
	boot_cpu_data.x86_model = 0x1a;
	boot_cpu_data.x86 = 0x19;
	use(&models[3]);
	assert_int_equal(ls_pmu_regs.unmask, PMU_UNMASK_NEVER);
	boot_cpu_data.x86_model = 0;
}

static void test_in_use(void **state)
{
	(void)state;
	assert_false(ls_pmu_in_use());
	cpu.evtsel[7] = ARCH_PERFMON_EVENTSEL_ENABLE;
	assert_false(ls_pmu_in_use());	/* enabled, but not globally */
	cpu.ctrl = 0xff;
	assert_true(ls_pmu_in_use());
}

/* Nehalem, before other events are selected: the steps of its erratum, in order. */
static void test_reset(void **state)
{
	static const u32 magic[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	struct ls_pmu_saved saved;
	unsigned int i, n = 0;

	(void)state;
	boot_cpu_data.x86 = 6;
	boot_cpu_data.x86_model = 0x55;
	use(&models[0]);
	nr_writes = 0;
	ls_pmu_reset();				/* nothing on Skylake */
	assert_int_equal(nr_writes, 0);
	boot_cpu_data.x86_model = 0x1a;
	use(&models[0]);
	cpu.evtsel[0] = 0x13c;
	cpu.evtsel[3] = 0x1c0;
	ls_pmu_start(&saved, 1);
	nr_writes = 0;
	ls_pmu_reset();
	/* the erratum's steps: events and counters, all on, all off, back */
	for (i = 0; i < 4; i++) {
		assert_int_equal(writes[n].msr, 0x186 + i);
		assert_int_equal(writes[n++].value, magic[i]);
		assert_int_equal(writes[n].msr, 0xc1 + i);
		assert_int_equal(writes[n++].value, 0);
	}
	assert_int_equal(writes[n].msr, 0x38f);
	assert_int_equal(writes[n++].value, 0xf);
	assert_int_equal(writes[n].msr, 0x38f);
	assert_int_equal(writes[n++].value, 0);
	assert_int_equal(nr_writes, n + 8);
	assert_int_equal(cpu.evtsel[0], 0x13c);
	assert_int_equal(cpu.evtsel[1], 0);
	assert_int_equal(cpu.evtsel[3], 0x1c0);
	assert_int_equal(cpu.pmc[0] | cpu.pmc[3], 0);
	ls_pmu_stop(&saved);
	boot_cpu_data.x86 = 0;
	boot_cpu_data.x86_model = 0;
}

/* The counter that microcode has is not looked at. */
static void test_reserved(void **state)
{
	(void)state;
	ls_caps.gp_reserved = 1 << 3;
	cpu.ctrl = 0xff;
	cpu.evtsel[3] = ARCH_PERFMON_EVENTSEL_ENABLE;
	assert_false(ls_pmu_in_use());
	cpu.evtsel[2] = ARCH_PERFMON_EVENTSEL_ENABLE;
	assert_true(ls_pmu_in_use());
}

/* The kernel's reservation: the registers, and the number of the one that is refused. */
static unsigned int reserved[0x200];
static int refuse_in;

static int reserve(unsigned int msr)
{
	if (!refuse_in--)
		return 0;
	assert_int_equal(reserved[msr], 0);
	reserved[msr] = 1;
	return 1;
}

static void release(unsigned int msr)
{
	assert_int_equal(reserved[msr], 1);
	reserved[msr] = 0;
}

int reserve_perfctr_nmi(unsigned int msr)
{
	return reserve(msr);
}

void release_perfctr_nmi(unsigned int msr)
{
	release(msr);
}

int reserve_evntsel_nmi(unsigned int msr)
{
	return reserve(msr);
}

void release_evntsel_nmi(unsigned int msr)
{
	release(msr);
}

static unsigned int reserved_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 0x200; i++)
		n += reserved[i];
	return n;
}

/* All counters are reserved, or none, whichever is refused. */
static void test_claim(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2 * COUNTERS; i++) {
		refuse_in = i;
		assert_int_equal(ls_own_claim(), -EBUSY);
		assert_int_equal(reserved_count(), 0);
	}
	refuse_in = -1;
	assert_int_equal(ls_own_claim(), 0);
	assert_int_equal(reserved_count(), 2 * COUNTERS);
	for (i = 0; i < COUNTERS; i++)
		assert_true(reserved[MSR_ARCH_PERFMON_EVENTSEL0 + i]);
	ls_own_release();
	assert_int_equal(reserved_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_start_stop, setup),
		cmocka_unit_test_setup(test_pause_resume, setup),
		cmocka_unit_test_setup(test_together, setup),
		cmocka_unit_test_setup(test_cleared_first, setup),
		cmocka_unit_test_setup(test_reassert, setup),
		cmocka_unit_test_setup(test_taken, setup),
		cmocka_unit_test_setup(test_traced, setup),
		cmocka_unit_test_setup(test_unmask, setup),
		cmocka_unit_test_setup(test_in_use, setup),
		cmocka_unit_test_setup(test_reset, setup),
		cmocka_unit_test_setup(test_reserved, setup),
		cmocka_unit_test(test_claim),
	};

	return cmocka_run_group_tests_name("kmod/pmu", tests, NULL, NULL);
}
