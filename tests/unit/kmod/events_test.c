// SPDX-License-Identifier: GPL-2.0
/* kmod/events/events.c: whether events fit, against trying every way to place them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../../kmod/events/events.c"
#include "../../../kmod/events/check.c"
#include "../../../kmod/base/extack.c"
#include "../../../kmod/events/limits.c"

struct ls_pmu_regs ls_pmu_regs;

struct ls_caps ls_caps;
struct shim_cpuinfo boot_cpu_data;

bool ls_caps_has_extra(const struct ls_caps *caps, u32 msr)
{
	(void)caps;
	return msr == CAPS_MSR_OFFCORE_0;
}

u64 ls_caps_counters(const struct ls_caps *caps)
{
	return (((1ULL << caps->gp_counters) - 1) & ~(u64)caps->gp_reserved) |
	       ((1ULL << caps->fixed_counters) - 1) << 32;
}

static struct ls_events events;
static struct ls_extack ack;

static int setup(void **state)
{
	(void)state;
	memset(&events, 0, sizeof(events));
	ls_caps = (struct ls_caps){ .gp_counters = 4, .fixed_counters = 3 };
	boot_cpu_data.x86_vendor = X86_VENDOR_INTEL;
	return 0;
}

static struct ls_event *add(u64 config, u64 period, u32 group)
{
	struct ls_event *event = &events.list[events.nr++];

	event->config = config;
	event->pace.period = period;
	event->group = group;
	return event;
}

static int schedule(void)
{
	u32 blame = 99;

	ack.ack._msg = "";
	return ls_events_schedule(&events, &ls_caps, &blame, &ack);
}

/*
 * Every event has its turn, on a counter that can; those that sample are in all
 * sets, on the same one.
 */
static void check_sets(void)
{
	u32 e, s, i;

	for (s = 0; s < events.nr_sets; s++) {
		u64 used = 0;

		for (i = 0; i < events.sets[s].nr; i++) {
			const struct ls_event_slot *at = &events.sets[s].slots[i];

			assert_false(used & BIT_ULL(at->counter));
			used |= BIT_ULL(at->counter);
			assert_true(ls_events_check_able(&ls_caps, &events.list[at->event]) &
				    BIT_ULL(at->counter));
		}
		assert_int_equal(used, events.sets[s].counters);
	}
	for (e = 0; e < events.nr; e++) {
		u32 times = 0, counter = 99;

		for (s = 0; s < events.nr_sets; s++)
			for (i = 0; i < events.sets[s].nr; i++) {
				const struct ls_event_slot *at =
					&events.sets[s].slots[i];

				if (at->event != e)
					continue;
				if (ls_events_group_samples(&events, e) && times)
					assert_int_equal(counter, at->counter);
				counter = at->counter;
				times++;
			}
		assert_in_range(times, ls_events_group_samples(&events, e) ?
				events.nr_sets : 1, events.nr_sets);
	}
}

static void test_turns(void **state)
{
	int i;

	(void)state;
	add(0x100c0, 100003, EVENTS_ALONE);
	for (i = 0; i < 9; i++)
		add(0x102c4, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), 0);
	check_sets();
	assert_int_equal(events.nr_sets, 3);	/* 3 at a time beside the sampled */
	assert_false(events.list[0].counted);
	assert_true(events.list[1].counted);
}

/* A counter that would be free in a set has an event of another one. */
static void test_no_counter_idle(void **state)
{
	int i;

	(void)state;
	add(0x100c0, 0, EVENTS_ALONE);		/* fixed 0, all the time */
	for (i = 0; i < 5; i++)
		add(0x102c4, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), 0);
	check_sets();
	assert_int_equal(events.nr_sets, 2);
	for (i = 0; i < 2; i++)
		assert_int_equal(events.sets[i].counters, 0xf | BIT_ULL(32));
}

static void test_fixed(void **state)
{
	(void)state;
	add(0x300c0, 0, EVENTS_ALONE);		/* counts: fixed 0 */
	add(0x1003c, 100003, EVENTS_ALONE);	/* samples: a general one */
	add(0x20300, 0, EVENTS_ALONE);		/* fixed 2 alone */
	add(0x010000c0, 0, EVENTS_ALONE);	/* cmask: general */
	assert_int_equal(schedule(), 0);
	check_sets();
	assert_int_equal(events.nr_sets, 1);
	assert_int_equal(events.sets[0].counters >> 32, 5);
	/* all rings on 0, the kernel's on 2, and a PMI of each */
	assert_int_equal(events.sets[0].fixed_ctrl, 0xb | 0x9 << 8);
}

static void test_groups(void **state)
{
	(void)state;
	add(0x100c0, 100003, 1)->reads_group = true;
	add(0x102c4, 0, 1);
	add(0x102c4, 0, 2);
	add(0x101c4, 0, 2);
	add(0x104c4, 0, 2);
	assert_int_equal(schedule(), -ENOSPC);	/* 2 for ever, 3 besides */
	events.nr = 4;
	memset(events.sets, 0, sizeof(events.sets));
	assert_int_equal(schedule(), 0);
	check_sets();
	assert_true(events.list[0].counted && events.list[1].counted);
	assert_int_equal(events.list[0].members, 3);
	assert_int_equal(events.list[3].members, 0xc);
}

static void test_refused(void **state)
{
	(void)state;
	add(0x20300, 0, EVENTS_ALONE)->counters = 0xf;
	assert_int_equal(schedule(), -EOPNOTSUPP);	/* fixed only */
	events.list[0] = (struct ls_event){ .config = 0x10400 };
	assert_int_equal(schedule(), -EOPNOTSUPP);	/* has no such counter */
	events.list[0] = (struct ls_event){ .config = 0x102c4, .has_extra = true };
	assert_int_equal(schedule(), -EOPNOTSUPP);	/* no register */
	events.list[0] = (struct ls_event){ .config = 0x101b7, .has_extra = true };
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.list[0].extra_msr, 0x1a6);
}

/* One register, two values: never at the same time, and not with SMT. */
static void test_extra(void **state)
{
	struct ls_event *event;

	(void)state;
	event = add(0x101b7, 0, EVENTS_ALONE);
	event->has_extra = true;
	event->extra = 1;
	event = add(0x101b7, 0, EVENTS_ALONE);
	event->has_extra = true;
	event->extra = 2;
	assert_int_equal(schedule(), 0);
	check_sets();
	assert_int_equal(events.nr_sets, 2);
	memset(events.sets, 0, sizeof(events.sets));
	ls_caps.smt = true;
	assert_int_equal(schedule(), -EOPNOTSUPP);
	memset(events.sets, 0, sizeof(events.sets));
	events.list[1].extra = 1;
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.nr_sets, 1);
}

/* The threads of a core have the extra registers in common up to Westmere. */
static void test_extra_threads(void **state)
{
	static const struct {
		u32 model;
		int expected;
	} cases[] = {
		{ 0x1a, -EOPNOTSUPP }, { 0x2c, -EOPNOTSUPP },	/* Nehalem, Westmere */
		{ 0x2a, 0 }, { 0x3c, 0 }, { 0x55, 0 }, { 0x6a, 0 }, { 0x8f, 0 },
		{ 0xfd, -EOPNOTSUPP },				/* unknown to limits.c */
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(NULL);
		ls_caps.family = 6;
		ls_caps.model = cases[i].model;
		ls_caps.smt = true;
		for (k = 0; k < 2; k++) {
			/* offcore_response_0; Golden Cove has another code */
			struct ls_event *event = add(cases[i].model == 0x8f ? 0x1012a : 0x101b7,
						     0, EVENTS_ALONE);

			event->has_extra = true;
			event->extra = 1 + k;
		}
		if (schedule() != cases[i].expected)
			fail_msg("model 0x%x", cases[i].model);
		if (!cases[i].expected) {
			assert_int_equal(events.nr_sets, 2);
			assert_false(events.one_thread);
		}
	}
}

/* Whether any placement has the events from i on, on the free counters. */
static bool possible(u32 i, u64 used)
{
	u64 free;

	if (i == events.nr)
		return true;
	for (free = ls_events_check_able(&ls_caps, &events.list[i]) & ~used; free; free &= free - 1)
		if (possible(i + 1, used | (free & -free)))
			return true;
	return false;
}

static void test_all_ways(void **state)
{
	static const u64 codes[] = { 0x100c0, 0x1003c, 0x20300, 0x102c4,
				     0x010000c0, 0x10400 };
	int round, i, n;

	(void)state;
	srandom(1);
	for (round = 0; round < 20000; round++) {
		setup(NULL);
		ls_caps.gp_counters = 1 + random() % 4;
		ls_caps.fixed_counters = random() % 5;
		n = 1 + random() % 8;
		for (i = 0; i < n; i++)
			add(codes[random() % 6], random() % 2, 1);
		if (!possible(0, 0)) {
			assert_int_not_equal(schedule(), 0);
			continue;
		}
		assert_int_equal(schedule(), 0);
		assert_int_equal(events.nr_sets, 1);
		assert_int_equal(events.sets[0].nr, n);
	}
}

/* CPUID.0AH:EBX has a bit for each architectural event that is not there. */
static void test_absent(void **state)
{
	(void)state;
	ls_caps.absent = 1 << 2;	/* CPU_CLK_UNHALTED.REF_XCLK */
	add(0x2013c, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), -EOPNOTSUPP);
	setup(NULL);
	ls_caps.absent = 1 << 2;
	add(0x200c0, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), 0);
}

/* The facts about the CPU decide, whatever the request says. */
static struct ls_event *alone(u64 config)
{
	memset(&events, 0, sizeof(events));
	return add(config, 0, EVENTS_ALONE);
}

static void test_limited(void **state)
{
	(void)state;
	ls_caps.family = 6;
	ls_caps.model = 0x3c;
	alone(0x10148);				/* counter 2 alone */
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.sets[0].counters, 1 << 2);
	alone(0x10148)->counters = 1 << 1;
	assert_int_equal(schedule(), -EOPNOTSUPP);
	assert_non_null(strstr(ack.ack._msg, "none of the counters"));
	ls_caps.gp_counters = 2;		/* of a virtual machine */
	alone(0x10148);
	assert_int_equal(schedule(), -EOPNOTSUPP);
	assert_non_null(strstr(ack.ack._msg, "lacks the only counters"));
	/* two events on one counter take turns */
	ls_caps.gp_counters = 4;
	alone(0x10148);
	add(0x10ca3, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.nr_sets, 2);
	alone(0x10148)->pace.period = 100003;
	add(0x10ca3, 100003, EVENTS_ALONE);
	assert_int_equal(schedule(), -ENOSPC);
}

/* With Hyper-Threading the memory events of Haswell are one thread's alone. */
static void test_one_thread(void **state)
{
	(void)state;
	ls_caps.family = 6;
	ls_caps.model = 0x3c;
	alone(0x181d0);
	assert_int_equal(schedule(), 0);
	assert_true(events.one_thread);		/* START looks again */
	alone(0x102c4);
	assert_int_equal(schedule(), 0);
	assert_false(events.one_thread);
	ls_caps.smt = true;
	alone(0x102c4);
	assert_int_equal(schedule(), 0);
	alone(0x181d0);
	assert_int_equal(schedule(), -EOPNOTSUPP);
	assert_non_null(strstr(ack.ack._msg, "HSD29"));
	ls_caps.model = 0x3d;			/* Broadwell has it no more */
	alone(0x181d0);
	assert_int_equal(schedule(), 0);
}

/* Counter 3 is the microcode's. */
static void test_reserved(void **state)
{
	int i;

	(void)state;
	ls_caps.gp_reserved = 1 << 3;
	ls_caps.gp_counters = 4;
	assert_int_equal(ls_caps_general(&ls_caps), 3);
	ls_caps.gp_counters = 8;		/* without Hyper-Threading */
	assert_int_equal(ls_caps_general(&ls_caps), 7);
	ls_caps.gp_counters = 4;
	alone(0x102c4);
	for (i = 0; i < 3; i++)
		add(0x102c4, 0, EVENTS_ALONE);
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.nr_sets, 2);
	assert_int_equal(events.counters & 0xf, 7);
	alone(0x102c4)->counters = 1 << 3;
	assert_int_equal(schedule(), -EOPNOTSUPP);
	assert_non_null(strstr(ack.ack._msg, "TSX"));
	alone(0x102c4)->counters = 3 << 2;
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.counters, 1 << 2);
}

/* A value that would raise #GP is refused where the CPU is known, else tried. */
static void test_extra_valid(void **state)
{
	struct ls_event *event;

	(void)state;
	ls_caps.family = 6;
	ls_caps.model = 0x55;
	event = alone(0x101b7);
	event->has_extra = true;
	event->extra = 0x10001;
	assert_int_equal(schedule(), 0);
	assert_int_equal(event->extra_msr, 0x1a6);
	event->extra = 1ULL << 40;
	assert_int_equal(schedule(), -EINVAL);
	assert_non_null(strstr(ack.ack._msg, "within 0x3fffff8fff"));
	event = alone(0x1012a);			/* Golden Cove's code */
	event->has_extra = true;
	assert_int_equal(schedule(), -EOPNOTSUPP);
	ls_caps.model = 0xfd;			/* unknown to limits.c */
	event->extra = 1ULL << 40;
	assert_int_equal(schedule(), 0);
	assert_int_equal(event->extra_msr, 0x1a6);
}

static void test_distance(void **state)
{
	(void)state;
	ls_caps.family = 6;
	ls_caps.model = 0x3d;
	alone(0x101c0);
	assert_int_equal(schedule(), 0);
	assert_int_equal(events.list[0].least, 128);
	assert_int_equal(events.list[0].grain, 64);
}

static void test_amd(void **state)
{
	(void)state;
	boot_cpu_data.x86_vendor = X86_VENDOR_AMD;
	ls_caps = (struct ls_caps){ .family = 0x17, .gp_counters = 6 };
	alone(0x10003);
	assert_int_equal(schedule(), -EOPNOTSUPP);
	assert_non_null(strstr(ack.ack._msg, "merged"));
	alone(0x10000);				/* no fixed counter's code here */
	assert_int_equal(schedule(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_turns, setup),
		cmocka_unit_test_setup(test_no_counter_idle, setup),
		cmocka_unit_test_setup(test_fixed, setup),
		cmocka_unit_test_setup(test_groups, setup),
		cmocka_unit_test_setup(test_refused, setup),
		cmocka_unit_test_setup(test_extra, setup),
		cmocka_unit_test_setup(test_extra_threads, setup),
		cmocka_unit_test_setup(test_absent, setup),
		cmocka_unit_test_setup(test_all_ways, setup),
		cmocka_unit_test_setup(test_limited, setup),
		cmocka_unit_test_setup(test_one_thread, setup),
		cmocka_unit_test_setup(test_reserved, setup),
		cmocka_unit_test_setup(test_extra_valid, setup),
		cmocka_unit_test_setup(test_distance, setup),
		cmocka_unit_test_setup(test_amd, setup),
	};

	return cmocka_run_group_tests_name("kmod/events", tests, NULL, NULL);
}
