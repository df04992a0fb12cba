// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/unwind_step.c: what expressions compute, by DWARF 5, 2.5.1; hostile ones end. */
#include <dwarf.h>

#include "stacks/unwind_step.h"
#include "test.h"

#define STACK	0x7000
#define CFA	(STACK + 16)
#define RBX	3

struct sample {
	unsigned char bytes[80];
	uint8_t size;
	bool known;
	uint64_t value;
};

#define BYTES(...)	{ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ })

/* A stack of words 0x100, 0x101 ..., the first of which the stack pointer points to. */
static uint64_t stack[8];
static struct unwind_start start = { .stack = (const unsigned char *)stack, .size = sizeof(stack) };

/* Computes rbx, or the CFA, by a rule of this kind. */
static bool compute(const struct sample *s, enum object_cfi_kind kind, bool is_cfa, uint64_t *value)
{
	struct unwind_step step = { .start = &start };
	struct object_cfi cfi = {
		.cfa = { .kind = OBJECT_CFI_REGISTER, .reg = OBJECT_CFI_STACK_POINTER, .value = 16 },
		.size = s->size,
	};
	const struct unwind_rules rules = { .known = true, .signal = true, .others = &cfi };
	const struct object_cfi_rule rule = { .kind = kind, .size = s->size };

	memcpy(cfi.expressions, s->bytes, s->size);
	cfi.registers[OBJECT_CFI_RETURN_ADDRESS] = (struct object_cfi_rule){ .kind = OBJECT_CFI_OFFSET };
	*(is_cfa ? &cfi.cfa : &cfi.registers[RBX]) = rule;
	step.now.value[OBJECT_CFI_STACK_POINTER] = start.registers[OBJECT_CFI_STACK_POINTER] = STACK;
	step.now.value[OBJECT_CFI_RETURN_ADDRESS] = 0x5555;
	step.now.known = 1U << OBJECT_CFI_STACK_POINTER | 1U << OBJECT_CFI_RETURN_ADDRESS;
	if (unwind_step_out(&step, &rules) != STACKS_END_NONE)
		return false;
	*value = is_cfa ? step.cfa : step.now.value[RBX];
	return is_cfa || step.now.known >> RBX & 1;
}

static void judge(const struct sample *samples, size_t nr, enum object_cfi_kind kind, bool is_cfa)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t value = 0;

		if (compute(&samples[i], kind, is_cfa, &value) != samples[i].known ||
		    (samples[i].known && value != samples[i].value))
			fail_msg("expression %zu: %#lx", i, value);
	}
}

static void values(void **state)
{
	static const struct sample samples[] = {
		{ {}, 0, true, CFA },		/* which is there at first */
		{ BYTES(DW_OP_plus_uconst, 0x88, 0x01), true, CFA + 136 },
		{ BYTES(DW_OP_breg7, 0x78), true, STACK - 8 },
		{ BYTES(DW_OP_breg7, 0x80, 0x82, 0x80, 0x00), true, STACK + 256 },
		{ BYTES(DW_OP_bregx, 16, 1), true, 0x5556 },
		{ BYTES(DW_OP_breg0, 0), false, 0 },		/* not known */
		{ BYTES(DW_OP_bregx, 0x91, 0x01, 0), false, 0 },
		{ BYTES(DW_OP_const1u, 0xf0), true, 0xf0 },
		{ BYTES(DW_OP_const1s, 0xf0), true, -16 },
		{ BYTES(DW_OP_const2u, 0x01, 0xf0), true, 0xf001 },
		{ BYTES(DW_OP_const2s, 0x01, 0xf0), true, (int16_t)0xf001 },
		{ BYTES(DW_OP_const4u, 1, 0, 0, 0xf0), true, 0xf0000001 },
		{ BYTES(DW_OP_const4s, 1, 0, 0, 0xf0), true, (int32_t)0xf0000001 },
		{ BYTES(DW_OP_const8u, 1, 2, 3, 4, 5, 6, 7, 0xf8), true, 0xf807060504030201 },
		{ BYTES(DW_OP_const8s, 1, 2, 3, 4, 5, 6, 7, 0xf8), true, 0xf807060504030201 },
		{ BYTES(DW_OP_constu, 0xff, 0x7f), true, 0x3fff },
		{ BYTES(DW_OP_consts, 0xff, 0x7e), true, -129 },
		{ BYTES(DW_OP_lit31, DW_OP_neg), true, -31 },
		{ BYTES(DW_OP_lit5, DW_OP_lit3, DW_OP_minus), true, 2 },
		{ BYTES(DW_OP_lit5, DW_OP_lit3, DW_OP_drop), true, 5 },
		{ BYTES(DW_OP_lit5, DW_OP_lit3, DW_OP_pick, 1), true, 5 },
		{ BYTES(DW_OP_lit5, DW_OP_pick, 2), false, 0 },	/* two values */
		{ BYTES(DW_OP_lit8, DW_OP_minus, DW_OP_const4s, 0xe0, 0xff, 0xff, 0xff, DW_OP_and), true, STACK },
		{ BYTES(DW_OP_breg7, 8, DW_OP_deref), true, 0x101 },
		{ BYTES(DW_OP_breg7, 9, DW_OP_deref_size, 1), true, 0x01 },
		{ BYTES(DW_OP_breg7, 0, DW_OP_deref_size, 9), false, 0 },
		{ BYTES(DW_OP_breg7, 0xc0, 0x00, DW_OP_deref), false, 0 },	/* not recorded */
		{ BYTES(DW_OP_lit5, DW_OP_stack_value, DW_OP_lit6), true, 5 },
		{ BYTES(DW_OP_drop), false, 0 },
		{ BYTES(DW_OP_drop, DW_OP_lit1, DW_OP_plus), false, 0 },
		{ BYTES(DW_OP_call_frame_cfa), false, 0 },		/* not in call frame information */
		{ BYTES(DW_OP_skip, 0xfd, 0xff), false, 0 },
		{ BYTES(DW_OP_lit1, DW_OP_bra, 0xfc, 0xff), false, 0 },
		/* cut */
		{ BYTES(DW_OP_const2u, 1), false, 0 }, { BYTES(DW_OP_const8s, 1, 2, 3, 4, 5, 6, 7), false, 0 },
		{ BYTES(DW_OP_pick), false, 0 }, { BYTES(DW_OP_deref_size), false, 0 },
		{ BYTES(DW_OP_const1u), false, 0 },
	};

	(void)state;
	judge(samples, NR(samples), OBJECT_CFI_VALUE, false);
}

static void addresses(void **state)
{
	static const struct sample samples[] = {
		{ {}, 0, true, 0x102 },
		{ BYTES(DW_OP_breg7, 8), true, 0x101 },
		{ BYTES(DW_OP_breg7, 0x78), false, 0 },
		{ BYTES(DW_OP_lit5, DW_OP_stack_value), true, 5 },
	};

	(void)state;
	judge(samples, NR(samples), OBJECT_CFI_EXPRESSION, false);
}

/* Nothing is there at first. */
static void frame_address(void **state)
{
	static const struct sample samples[] = {
		{ {}, 0, false, 0 },
		{ BYTES(DW_OP_plus_uconst, 8), false, 0 },
		{ BYTES(DW_OP_breg7, 0x10, DW_OP_deref, DW_OP_plus_uconst, 8), true, 0x10a },
		/* the rule of the procedure linkage table (PLT) */
		{ BYTES(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit5, DW_OP_ge, DW_OP_lit3,
			DW_OP_shl, DW_OP_plus), true, STACK + 16 },
		{ BYTES(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit6, DW_OP_ge, DW_OP_lit3,
			DW_OP_shl, DW_OP_plus), true, STACK + 8 },
	};

	(void)state;
	judge(samples, NR(samples), OBJECT_CFI_VALUE, true);
}

/* More values than there is room for. */
static void limits(void **state)
{
	struct sample sample = { .size = 0 };
	uint64_t value;

	(void)state;
	memset(sample.bytes, DW_OP_lit7, sizeof(sample.bytes));
	for (sample.size = 60; sample.size < 70; sample.size++)
		assert_int_equal(compute(&sample, OBJECT_CFI_VALUE, true, &value), sample.size <= 64);
}

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(stack); i++)
		stack[i] = 0x100 + i;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(addresses),
		cmocka_unit_test(frame_address),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
