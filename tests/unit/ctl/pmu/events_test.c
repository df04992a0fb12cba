// SPDX-License-Identifier: GPL-2.0
/* ctl/pmu/event.c: names to register values, against the tables of the SDM. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/event.h"

#define RAW	PERF_TYPE_RAW
#define HARDWARE PERF_TYPE_HARDWARE

/* USR is bit 16, OS bit 17, EDGE 18, INV 23, CMASK from 24. */
static const struct good {
	const char *name;
	uint64_t select;
	uint32_t type;
	uint64_t config;
} goods[] = {
	/* SDM vol. 3, pre-defined architectural performance events. */
	{ "cycles", 0x3003c, HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles:u", 0x1003c, HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles:k", 0x2003c, HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles:ku", 0x3003c, HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions:uk", 0x300c0, HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", 0x300c4, HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", 0x300c4, HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses:u", 0x100c5, HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", 0x34f2e, HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", 0x3412e, HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "bus-cycles", 0x3013c, HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	/* perf's cache events, arch/x86/events/intel/core.c, Skylake. */
	{ "L1-dcache-loads:u", 0x181d0, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D },
	{ "L1-dcache-load-misses", 0x30151, PERF_TYPE_HW_CACHE, 0x10000 },
	{ "dTLB-store-misses:k", 0x20e49, PERF_TYPE_HW_CACHE, 0x10103 },
	{ "LLC-load-misses", 0x301b7, PERF_TYPE_HW_CACHE, 0x10002 },
	{ "r3c", 0x3003c, RAW, 0x3c },
	{ "r01C2:u", 0x101c2, RAW, 0x1c2 },
	{ "r10401b1", 0x010701b1, RAW, 0x010401b1 },
	{ "r2c0", 0x302c0, RAW, 0x2c0 },
	{ "rff8401c2:k", 0xff8601c2, RAW, 0xff8401c2 },
	/* Skylake's event tables; and libpfm4's own modifiers. */
	{ "INST_RETIRED", 0x300c0, RAW, 0xc0 },
	{ "skl::INST_RETIRED:ANY_P:u", 0x100c0, RAW, 0xc0 },
	{ "BR_INST_RETIRED:NEAR_CALL", 0x302c4, RAW, 0x2c4 },
	{ "UOPS_RETIRED:RETIRE_SLOTS:k", 0x202c2, RAW, 0x2c2 },
	{ "MEM_LOAD_RETIRED:L3_MISS:uk", 0x320d1, RAW, 0x20d1 },
	{ "UOPS_RETIRED:RETIRE_SLOTS:c=4:i", 0x048302c2, RAW, 0x048002c2 },
	{ "INST_RETIRED:u=1:k=0", 0x100c0, RAW, 0xc0 },
	{ "r2000c0:u", 0x2100c0, RAW, 0x2000c0 },
	/* Events of a fixed counter only, by perf's code. */
	{ "ref-cycles", 0x30300, HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "UNHALTED_REFERENCE_CYCLES:u", 0x10300, RAW, 0x300 },
	{ "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT", 0x301b7, RAW, 0x1b7 },
};

static void test_names_and_codes(void **state)
{
	struct events_event event;
	char why[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
		const struct good *g = &goods[i];

		if (events_parse(g->name, &event, why, sizeof(why)))
			fail_msg("%s: %s", g->name, why);
		if (event.select != g->select || event.perf_type != g->type ||
		    event.perf_config != g->config)
			fail_msg("%s: %#llx, type %u config %#llx", g->name,
				 (unsigned long long)event.select,
				 event.perf_type,
				 (unsigned long long)event.perf_config);
		assert_string_equal(event.name, g->name);
	}
}

static const struct bad {
	const char *name;
	const char *why;	/* a part of the message */
} bads[] = {
	{ "", "1 to 127" },
	{ "nosuchevent", "no such event" },
	{ "nosuchevent:u", "no such event" },
	{ "INST_RETIRD", "INST_RETIRED" },
	{ "cycels", "similar names: cycles" },
	{ "L1-dcache-load-mises", "L1-dcache-load-misses" },
	{ "L1-dcache-store-misses", "this CPU has no such event" },
	{ "branchs_retired", "no such event" },
	{ "cycles:x", "modifiers" },
	{ "cycles:", "modifiers" },
	{ "cycles:u:k", "modifiers" },
	{ "cycles:p", "PEBS" },
	{ "cycles:upp", "PEBS" },
	{ "r00c4:P", "PEBS" },
	{ "BR_MISP_RETIRED:ALL_BRANCHES:pu@0", "PEBS" },
	{ "r", "no such event" },
	{ "r10000c0", NULL },			/* cmask 1: fine, as a control */
	{ "r5300c0", "0x530000" },
	{ "r4000c0", "0x400000" },
	{ "r1000000c0", "0x100000000 " },
	{ "rffffffffffffffffff", "not part" },
	{ "MEM_LOAD_RETIRED", "unit mask" },
	{ "INST_RETIRED:u=0:k=0", "modifiers" },
};

static void test_what_is_refused_and_why(void **state)
{
	struct events_event event;
	char why[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		const struct bad *b = &bads[i];
		int err;

		why[0] = '\0';
		err = events_parse(b->name, &event, why, sizeof(why));
		if (!b->why) {
			assert_int_equal(err, 0);
			continue;
		}
		if (err != -1 || !strstr(why, b->why))
			fail_msg("'%s': %d, \"%s\"", b->name, err, why);
		assert_null(strchr(why, '\n'));
	}
}

/* Fields outside of the event select. */
static void test_places(void **state)
{
	struct events_event event;
	char why[256];

	(void)state;
	assert_int_equal(events_parse("OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT",
				      &event, why, sizeof(why)), 0);
	assert_true(event.has_extra);
	/* Skylake's offcore table: DMND_DATA_RD bit 0, L3_HIT 18 to 20 */
	assert_int_equal(event.extra & 0x1c0001, 0x1c0001);
	assert_int_equal(events_parse("r1b7:u@extra=10001@0@3", &event, why,
				      sizeof(why)), 0);
	assert_int_equal(event.select, 0x101b7);
	assert_int_equal(event.extra, 0x10001);
	assert_int_equal(event.counters, 9);
	assert_int_equal(events_parse("instructions:u@general", &event, why,
				      sizeof(why)), 0);
	assert_false(event.has_extra);
	assert_int_equal(event.counters, 0xffffffff);
}

static void test_a_name_that_is_too_long(void **state)
{
	struct events_event event;
	char name[5000], why[256];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(events_parse(name, &event, why, sizeof(why)), -1);
	name[127] = '\0';
	assert_int_equal(events_parse(name, &event, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "no such event"));
}

static void test_only_user(void **state)
{
	static const struct { const char *given, *name; uint64_t select; } narrowed[] = {
		{ "cycles", "cycles:u", 0x1003c },
		{ "cycles:u", "cycles:u", 0x1003c },
		{ "cycles:uk", "cycles:u", 0x1003c },
		{ "cycles:k", "cycles:k", 0x2003c },	/* to be refused */
		{ "r01c4@2", "r01c4:u@2", 0x101c4 },
		{ "INST_RETIRED:ANY_P", "INST_RETIRED:ANY_P:u", 0x100c0 },
	};
	struct events_event event;
	char why[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(narrowed) / sizeof(narrowed[0]); i++) {
		assert_int_equal(events_parse(narrowed[i].given, &event, why, sizeof(why)), 0);
		events_only_user(&event);
		assert_string_equal(event.name, narrowed[i].name);
		assert_int_equal(event.select, narrowed[i].select);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_codes),
		cmocka_unit_test(test_what_is_refused_and_why),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_a_name_that_is_too_long),
		cmocka_unit_test(test_only_user),
	};

	/* Use libpfm4's tables of a Skylake on any machine. */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
