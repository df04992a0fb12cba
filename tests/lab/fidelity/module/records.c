// SPDX-License-Identifier: GPL-2.0
/*
 * The LBR of any model: its entries by their age, 0 the youngest, and its filter
 * in terms of LBR_SELECT.
 */
#include <linux/kernel.h>
#include "fidelity.h"

/* SDM vol. 3B, "IA32_LBR_CTL": the bits that let in what bit i of LBR_SELECT keeps out */
static const u64 ctl_bits[] = {
	LBR_CTL_OS, LBR_CTL_USR,
	BIT_ULL(16), BIT_ULL(19), BIT_ULL(20), BIT_ULL(21), BIT_ULL(18), BIT_ULL(17), BIT_ULL(22),
};

static u64 ctl(u64 select)
{
	u64 value = LBR_CTL_EN | (select & BIT(9) ? LBR_CTL_CALLSTACK : 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(ctl_bits); i++)
		if (!(select & BIT(i)))
			value |= ctl_bits[i];
	return value;
}

/* Where the LBR is switched on, and by what value. */
u32 lbr_switch(u64 select, u64 *value)
{
	if (on(SAPPHIRERAPIDS)) {
		*value = ctl(select);
		return LBR_CTL;
	}
	set(LBR_SELECT, select);
	*value = DEBUGCTL_LBR;
	return DEBUGCTL;
}

/* The LBR is on while the snippet's body runs. */
void record(snippet_fn *snippet, u64 select)
{
	u64 value;
	u32 msr = lbr_switch(select, &value);

	snippet(msr, value);
}

static int slot(int age)
{
	if (on(SAPPHIRERAPIDS))
		return age;
	return (get(LBR_TOS) - age) & (model->lbr_depth - 1);
}

u64 entry_from(int age)
{
	return get((on(SAPPHIRERAPIDS) ? ARCH_FROM(0) : LBR_FROM(0)) + slot(age));
}

u64 entry_to(int age)
{
	return get((on(SAPPHIRERAPIDS) ? ARCH_TO(0) : LBR_TO(0)) + slot(age));
}

/* Of models that have it. */
u64 entry_info(int age)
{
	return get((on(SAPPHIRERAPIDS) ? ARCH_INFO(0) : LBR_INFO(0)) + slot(age));
}

bool entry_mispredicted(int age)
{
	return (on(HAS_LBR_INFO) ? entry_info(age) : entry_from(age)) >> 63;
}

/* What FROM holds besides the address. */
static u64 from_flags(void)
{
	switch (model->lbr_format) {
	case LBR_FLAGS_FORMAT:
		return BIT_ULL(63);
	case LBR_FLAGS2_FORMAT:
		return BIT_ULL(63) | BIT_ULL(62) | BIT_ULL(61);
	}
	return 0;
}

/* Whatever its flag of misprediction; no transaction was ever recorded. */
bool entry_is(int age, const char *from, const char *to)
{
	u64 mispredicted = from_flags() & BIT_ULL(63);

	return (entry_from(age) & ~mispredicted) == ((u64)from & ~from_flags()) && entry_to(age) == (u64)to;
}

bool entry_is_empty(int age)
{
	return !entry_from(age) && !entry_to(age) && (!on(HAS_LBR_INFO) || !entry_info(age));
}

/* Changes with every record (of branches that differ); one RDMSR. */
u64 lbr_position(void)
{
	return get(on(SAPPHIRERAPIDS) ? ARCH_FROM(0) : LBR_TOS);
}

void lbr_clear(void)
{
	int i;

	if (on(SAPPHIRERAPIDS)) {
		set(LBR_CTL, 0);
		set(ARCH_DEPTH, model->lbr_depth);
		return;
	}
	set(LBR_SELECT, 0);
	for (i = 0; i < model->lbr_depth; i++) {
		set(LBR_FROM(i), 0);
		set(LBR_TO(i), 0);
		if (on(HAS_LBR_INFO))
			set(LBR_INFO(i), 0);
	}
	set(LBR_TOS, 0);
}
