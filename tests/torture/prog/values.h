/* SPDX-License-Identifier: GPL-2.0 */
/* Values of attributes that mean something, mostly; for message.h, which includes this. */

static uint64_t below(struct maker *m, uint64_t n)
{
	return draw(m) % n;
}

static bool chance(struct maker *m, unsigned int percent)
{
	return below(m, 100) < percent;
}

static uint64_t interesting(struct maker *m)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536, 1ULL << 31,
		(1ULL << 31) - 1, (1ULL << 32) - 1, 1ULL << 32, 1ULL << 47, 1ULL << 63, ~0ULL, ~0ULL - 1,
		0xffff800000000000ULL, 0xffffffff81000000ULL, 0x00007fffffffefffULL,
	};

	return chance(m, 70) ? values[below(m, ARRAY_SIZE(values))] : draw(m) >> below(m, 64);
}

/* A function to probe, where this program calls it. */
__attribute__((noinline)) void probed(void)
{
	__asm__ volatile("");
}

static uint64_t watched;

static uint64_t offset_of(const void *function)
{
	extern const char __executable_start;

	return (const char *)function - &__executable_start;
}

/* INST_RETIRED, cycles, branches, mispredictions, LLC misses; with AMD's numbers for some. */
static uint64_t config(struct maker *m)
{
	static const uint16_t events[] = { 0xc0, 0x3c, 0xc4, 0xc5, 0x412e, 0x76, 0xc2, 0x1b7, 0xd1 };
	static const uint64_t rings[] = { 1 << 16, 1 << 16, 1 << 16, 1 << 17, 3 << 16 };
	uint64_t ring = privileged || chance(m, 5) ? rings[below(m, ARRAY_SIZE(rings))] : 1 << 16;

	if (m->clock && !chance(m, 5))
		return ring;
	return (chance(m, 3) ? 0 : events[below(m, ARRAY_SIZE(events))]) | ring | (chance(m, 3) ? 1ULL << below(m, 36) : 0);
}

static uint64_t descriptor(struct maker *m)
{
	if (chance(m, 75))
		return m->slot;
	if (chance(m, 60))
		return SLOT_BASE + below(m, SLOTS);
	return chance(m, 70) ? FOREIGN_BASE + below(m, FOREIGN) : interesting(m);
}

static uint64_t format(struct maker *m)
{
	static const uint32_t formats[] = {
		0, LBRSCOPE_FORMAT_USER_REGS, LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK,
		LBRSCOPE_FORMAT_KERNEL_CHAIN, LBRSCOPE_FORMAT_CGROUP, LBRSCOPE_FORMAT_REQUESTS,
	};

	return m->stacks && chance(m, 80) ? formats[2] : formats[below(m, ARRAY_SIZE(formats))];
}

/* A table of unwinding rules, of one bucket. */
#define TABLE_ROWS	16
#define TABLE_RULES	8

struct table {
	struct lbrscope_unwind_head head;
	uint32_t index[2];
	struct lbrscope_unwind_row rows[TABLE_ROWS];
	struct lbrscope_unwind_rule rules[TABLE_RULES];
};

static uint64_t number(struct maker *m, enum value value)
{
	switch (value) {
	case VALUE_SESSION:	return descriptor(m);
	case VALUE_CGROUP:	return chance(m, 80) ? CGROUP_FD : descriptor(m);
	case VALUE_FILE:	return chance(m, 80) ? EXE_FD : descriptor(m);
	case VALUE_BRANCHES:	return below(m, LBRSCOPE_BRANCHES_MAX + 1);
	case VALUE_DEPTH:	return chance(m, 90) ? 1 + below(m, 16) : interesting(m);
	case VALUE_RING:	return LBRSCOPE_RING_SIZE_MIN << (chance(m, 85) ? 0 : below(m, 5));
	case VALUE_FILTER:	return below(m, LBRSCOPE_FILTER_ALL + 1) | (chance(m, 80) ? 6 : 0);
	case VALUE_CPU:		return chance(m, 90) ? below(m, 4) : interesting(m);
	case VALUE_FORMAT:	return format(m);
	case VALUE_STACK:	return 8 << below(m, 13);
	case VALUE_STACKS:	return below(m, LBRSCOPE_STACKS_MAX + 1);
	case VALUE_AUDIT:	return chance(m, 80) ? below(m, 64) : interesting(m);
	case VALUE_BUDGET:	return 1 + below(m, LBRSCOPE_BUDGET_MAX);
	case VALUE_CURSOR:	return chance(m, 80) ? m->cursor : interesting(m);
	case VALUE_CONFIG:	return config(m);
	case VALUE_SOURCE:	return chance(m, 90) ? LBRSCOPE_SOURCE_CLOCK : LBRSCOPE_SOURCE_PMU;
	case VALUE_RATIO:	return chance(m, 90) ? below(m, 10000000) : interesting(m);
	case VALUE_PERIOD:	return chance(m, 10) ? 5000 + below(m, 50000) : 500000 + below(m, 50000000);
	case VALUE_FREQUENCY:	return 1 + below(m, 5000);
	case VALUE_JITTER:	return below(m, LBRSCOPE_JITTER_MAX + 1);
	case VALUE_GROUP:	return below(m, 3);
	case VALUE_COUNTERS:	return chance(m, 50) ? 0xff : 1ULL << below(m, 36);
	case VALUE_TIME:	return 1ULL << below(m, 24);
	case VALUE_RATE:	return 1 + below(m, LBRSCOPE_OFFCPU_RATE_MAX);
	case VALUE_KIND:	return below(m, LBRSCOPE_TRIGGER_MAX + 1);
	case VALUE_ADDRESS:	return chance(m, 80) ? (uintptr_t)&watched : interesting(m);
	case VALUE_LENGTH:	return 1 << below(m, 4);
	case VALUE_OFFSET:	return chance(m, 80) ? offset_of(probed) : below(m, 1 << 20);
	case VALUE_SIGNAL:	return 1 + below(m, 64);
	case VALUE_INDEX:	return below(m, 3);
	case VALUE_TABLE:	return chance(m, 90) ? below(m, 6) : interesting(m);
	case VALUE_TABLE_SIZE:	return chance(m, 90) ? sizeof(struct table) : interesting(m);
	case VALUE_TABLE_OFFSET: return chance(m, 90) ? 0 : chance(m, 50) ? below(m, sizeof(struct table)) : interesting(m);
	case VALUE_PID:		return chance(m, 90) ? (uint64_t)getpid() : below(m, 200);
	default:		return interesting(m);
	}
}

static const char *string(struct maker *m, enum value value)
{
	static const char *const cpus[] = { "0", "0-1", "1", "0,1", "0-3", "", "x", "1-0", "0-99999" };
	static const char *const symbols[] = {
		"do_sys_openat2", "ksys_read", "schedule_timeout", "__x64_sys_getpid", "wake_up_new_task",
		"nobody_has_this", "lbrscope:ls_session_stats_get", "default_do_nmi", "", "do_exit",
	};

	if (value == VALUE_CPUS)
		return cpus[below(m, ARRAY_SIZE(cpus))];
	return symbols[below(m, ARRAY_SIZE(symbols))];
}
