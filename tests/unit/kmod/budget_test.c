// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/counters/budget.c: how much of its time a CPU spends in the module's NMIs, when an event
 * overflows as fast as it can and each NMI takes long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "ring_fixture.h"

/* The parts of the kernel that budget.c uses.  Cycles of the TSC are ns here. */
struct hrtimer { int unused; };
#define DECLARE_PER_CPU(type, name)	extern type name
#define nokprobe_inline			inline __attribute__((always_inline))
#define max(a, b)			((a) > (b) ? (a) : (b))
#define NSEC_PER_MSEC			1000000L
#define div_u64(a, b)			((u64)(a) / (u32)(b))
static unsigned int tsc_khz = 1000000;
static u64 tsc;

static u64 rdtsc(void)
{
	return tsc;
}

/* DIV faults if the quotient does not fit. */
static u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	unsigned __int128 quotient = (unsigned __int128)a * b / divisor;

	assert_true(quotient >> 64 == 0);
	return quotient;
}

static u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

static long local_xchg(local_t *l, long v)
{
	long old = l->v;

	l->v = v;
	return old;
}

#include "../../../kmod/counters/budget.c"

#define US	1000ULL
#define MS	(1000 * US)

static struct {
	struct ls_event_totals totals;
	struct ls_cpu_ctx cpu;
} machine;

/* As ls_nmi_handler() with ls_nmi_spend(): an NMI that takes `cost` ns. */
static void nmi(u64 cost)
{
	struct ls_budget *budget = &machine.cpu.budget;
	u64 begin = tsc, since;

	tsc += cost;
	since = local_read(&budget->since);
	if (ls_budget_spend(budget, &budget->nmi, tsc - begin + budget->entry, since, tsc))
		ls_budget_close(&machine.cpu, since, tsc);
}

/*
 * A storm of NMIs that take cost each, from an event with a period of 10,000 that comes
 * rate times a ns while the CPU is not in an NMI.  fixed: with the fault of old, that an
 * NMI never counts for more than a certain time.
 * Returns: the largest share of any 100 ms in NMIs, in thousandths, after two seconds.
 */
static u32 storm(u64 cost, u32 rate, bool fixed)
{
	static struct { u64 begin, spent; } nmis[1 << 20];
	const u64 window = 100 * MS;
	u32 worst = 0, first = 0, nr = 0;
	u64 spent = 0;

	memset(&machine, 0, sizeof(machine));
	machine.cpu.totals = &machine.totals;
	machine.cpu.ring = ring;
	tsc = 1000 * MS;
	ls_budget_begin(&machine.cpu, 500);
	while (tsc < 8000 * MS && nr < sizeof(nmis) / sizeof(nmis[0])) {
		u64 begin;

		tsc += ls_budget_stretch(&machine.cpu.budget, 10000) / rate;
		begin = tsc;
		nmi(cost);
		if (fixed)
			machine.cpu.budget.piece = 100 * US;
		/* The reader keeps up. */
		ring->tail->tail = ring->shared->head;
		if (tsc < 3000 * MS)
			continue;
		nmis[nr].begin = begin;
		nmis[nr++].spent = cost;
		spent += cost;
		while (nmis[first].begin + window < tsc)
			spent -= nmis[first++].spent;
		worst = max(worst, (u32)(min(spent, window) * 1000 / window));
	}
	return worst;
}

/*
 * Half of the CPU's time is the bound; a window that comes back too fast from a longer
 * period, and an NMI at each end of 100 ms, may exceed it a little.
 */
static void test_storm(void **state)
{
	static const u64 costs[] = { 1 * US, 5 * US, 20 * US, 90 * US, 150 * US, 400 * US,
				     1 * MS, 2 * MS };
	static const u32 rates[] = { 1, 2, 4 };
	size_t c, r;

	(void)state;
	for (c = 0; c < sizeof(costs) / sizeof(costs[0]); c++)
		for (r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
			u32 worst = storm(costs[c], rates[r], false);

			if (worst > 520)
				fail_msg("NMIs of %llu us take %u thousandths of 100 ms",
					 costs[c] / US, worst);
		}
}

/* The test above finds the fault that a CPU may be in NMIs for nearly all of its time. */
static void test_storm_fixed(void **state)
{
	(void)state;
	assert_true(storm(1 * MS, 1, true) > 950);
}

/* A CPU that a hypervisor has taken away once is charged little for it. */
static void test_once(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.cpu.totals = &machine.totals;
	machine.cpu.ring = ring;
	ls_budget_begin(&machine.cpu, 500);
	nmi(50 * MS);
	assert_true((u64)local_read(&machine.cpu.budget.nmi) <= 100 * US);
}

/*
 * The TSC is set back (a virtual machine that moves, a program that writes it), and is slower
 * than the unit of the answer: no division overflows, and no time is that of centuries.
 */
static void test_back(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	machine.cpu.totals = &machine.totals;
	machine.cpu.ring = ring;
	tsc = 3600000 * MS;
	ls_budget_begin(&machine.cpu, 1);
	tsc = 1 * MS;
	nmi(20 * US);
	assert_true(machine.totals.cost.time < 7200000 * MS);
	nmi(20 * US);
	tsc_khz = 806000;
	assert_true(ls_budget_ns(MS) == 1240694);
	assert_true(ls_budget_ns(U64_MAX) == U64_MAX);
	tsc_khz = 1000000;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_storm, setup, teardown),
		cmocka_unit_test_setup_teardown(test_storm_fixed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_back, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
