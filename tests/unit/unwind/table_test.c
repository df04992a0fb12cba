// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/unwind/ with tables and stacks of somebody who lies, under the sanitizers: what is refused;
 * that a lookup stays within the table, the reads of a walk within the thread's stack, and that a walk
 * which repeats the one before gives the chain of one that does not (walk.c).
 * FIRST in the environment: the first seed, else 1 (tests/torture/tables.attack).
 */
#include "test.h"

#include <errno.h>

#include "linux/lbrscope_ring.h"
#include "object/frame_table.h"
#include "object/object.h"
#include "walk.h"

#define TABLES	20000
#define WALKS	64		/* of each table that was taken */
#define SIMILAR	8		/* walks with the same registers, in memory that changes a little */
#define BASE	0x7ffd00000000ULL	/* where the stack begins */
#define CODE	0x400000ULL	/* where the table's code is mapped */
#define SIZE	(1 << 18)
#define FAR	(64ULL << 20)	/* as in kmod/sample/user.h */
#define FOREIGN	(64ULL << 10)	/* as in kmod/unwind/walk.c */

static bool straight;		/* each word of the stack is a return address */
static uint64_t random_state, memory, changes, sp, base, reads, tops, first = 1;

static uint64_t number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t mixed(uint64_t value)
{
	value = (value ^ value >> 31) * 0x9e3779b97f4a7c15ULL;
	value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ULL;
	return value ^ value >> 32;
}

/* Memory that leads a walk on: code, places on the stack, and anything. */
bool walk_memory(uint64_t at, uint64_t *value)
{
	uint64_t word = mixed(at ^ memory);

	reads++;
	/* With a known beginning the whole stack of the thread is its own, a handler may have another one. */
	if (base)
		assert_true((at >= base - FAR && at + 8 <= base) || (at >= sp && at + 8 <= sp + FOREIGN));
	else
		assert_in_range(at, sp, sp + FOREIGN - 8);
	if (straight) {
		*value = CODE + 64;
		return true;
	}
	if (word % 16 == changes % 16)
		word = mixed(word + changes);
	switch (word >> 60) {
	case 0: case 1:
		*value = word;
		break;
	case 2: case 3: case 4: case 5:
		*value = BASE - 65536 + word % 4096 / 8 * 8;
		break;
	default:
		*value = CODE + word % SIZE;
	}
	return word >> 8 & 63;
}

static struct lbrscope_unwind_head *table_of(size_t *size)
{
	enum object_state state;
	struct object *object = object_open(NULL, 0, "/lib64/ld-linux-x86-64.so.2", NULL, 0, &state);
	struct lbrscope_unwind_head *table = frame_table_of(object, size);

	assert_non_null(table);
	object_close(object);
	return table;
}

/* Begins anywhere: other memory, and registers that may have any value. */
static struct walk_registers begin(void)
{
	struct walk_registers registers;

	memory = number();
	for (size_t k = 0; k < NR(registers.value); k++)
		registers.value[k] = number() % 2 ? BASE - number() % 65536 / 8 * 8 : number();
	base = number() % 4 ? BASE : 0;
	sp = number() % 8 ? BASE - 8 - number() % 65536 / 8 * 8 : number() >> 17;
	registers.value[7] = sp;
	registers.value[16] = CODE + number() % SIZE;
	return registers;
}

static void walk_about(void)
{
	const struct walk_range ranges[] = {
		{ CODE, CODE + SIZE / 2, CODE, 0 },
		{ CODE + SIZE / 2, CODE + SIZE / 4 * 3, 0, LBRSCOPE_UNWIND_NO_TABLE },
		{ CODE + SIZE / 4 * 3, CODE + SIZE, CODE, 0 },
	};
	const struct lbrscope_user_chain *chain;
	struct walk_registers registers;

	assert_int_equal(walk_ranges(ranges, NR(ranges)), 0);
	for (unsigned int i = 0; i < WALKS; i++) {
		changes = number();
		if (i % SIMILAR == 0)
			registers = begin();
		chain = walk(&registers, base);
		assert_true(chain->nr <= LBRSCOPE_USER_CHAIN_MAX && chain->end <= LBRSCOPE_CHAIN_TIME);
		tops += chain->top;
	}
}

static void damaged_tables(void **state)
{
	size_t size, whole, refused = 0;
	struct lbrscope_unwind_head *table = table_of(&whole);
	unsigned char *damaged;

	(void)state;
	for (uint64_t seed = first; seed < first + TABLES; seed++) {
		random_state = seed * 0x9e3779b97f4a7c15ULL;
		size = seed % 8 ? whole : (whole * (seed % 1000) / 1000) & ~(size_t)7;
		damaged = malloc(size + 1);
		memcpy(damaged, table, size);
		for (unsigned int i = 0; size && i < 1 + seed % 4; i++)
			damaged[number() % (i % 4 < 3 ? size : size < 64 ? size : 64)] = number() % (seed % 2 ? 256 : 2);
		if (size && walk_table(0, damaged, size, WALK_PART))
			refused++;
		else if (size)
			walk_about();
		walk_forget();
		free(damaged);
	}
	print_message("# %u tables, %zu refused; %lu words read\n", TABLES, refused, reads);
	assert_true(refused > TABLES / 4 && refused < TABLES * 3 / 4);
	free(table);
}

/* All kinds of rules, in random order: nothing of it was ever made by a compiler. */
static void random_rules(void **state)
{
	size_t whole;
	struct lbrscope_unwind_head *table = table_of(&whole);
	struct lbrscope_unwind_rule *rules = (void *)((char *)table + whole - table->nr_rules * sizeof(*rules));

	(void)state;
	for (uint64_t seed = first; seed < first + TABLES; seed++) {
		random_state = seed * 0x9e3779b97f4a7c15ULL;
		for (size_t i = 0; i < table->nr_rules; i++)
			rules[i] = (struct lbrscope_unwind_rule){
				.kind = number() % LBRSCOPE_UNWIND_NR_KINDS,
				.rbp = (number() % LBRSCOPE_UNWIND_NR_RBPS) | number() % 16 << 4,
				.rbp_at = number() % 2 ? number() % 16 : number(),
				.offset = number() % 2 ? number() % 64 * 8 : number(),
			};
		assert_int_equal(walk_table(0, table, whole, WALK_PART), 0);
		walk_about();
		walk_forget();
	}
	print_message("# %lu words read, %lu for chains that began along a frame pointer\n", reads, tops);
	assert_true(reads > 1000000 && tops > 1000);
	free(table);
}

/* Frames of 16 bytes, more than a chain has, more than there are, and more than there is time for. */
static void long_chains(void **state)
{
	const struct walk_range range = { CODE, CODE + SIZE, CODE, 0 };
	struct walk_registers registers = { 0 };
	const struct lbrscope_user_chain *chain;
	size_t whole;
	struct lbrscope_unwind_head *table = table_of(&whole);
	struct lbrscope_unwind_rule *rules = (void *)((char *)table + whole - table->nr_rules * sizeof(*rules));

	(void)state;
	for (size_t i = 0; i < table->nr_rules; i++)
		rules[i] = (struct lbrscope_unwind_rule){ .kind = LBRSCOPE_UNWIND_SP, .offset = 16 };
	assert_int_equal(walk_table(0, table, whole, WALK_PART), 0);
	assert_int_equal(walk_ranges(&range, 1), 0);
	straight = true;
	sp = registers.value[7] = BASE - 65536;
	registers.value[16] = CODE + 64;
	base = BASE;
	chain = walk(&registers, base);
	assert_int_equal(chain->nr, LBRSCOPE_USER_CHAIN_MAX);
	assert_int_equal(chain->end, LBRSCOPE_CHAIN_FULL);
	base = sp + 450 * 16;
	chain = walk(&registers, base);
	assert_int_equal(chain->nr, 450);
	assert_int_equal(chain->end, LBRSCOPE_CHAIN_MEMORY);
	/* Looked at behind 8, 16 and 24 frames: 50 us have passed. */
	walk_look_ns = 20000;
	chain = walk(&registers, base);
	assert_int_equal(chain->nr, 24);
	assert_int_equal(chain->end, LBRSCOPE_CHAIN_TIME);
	walk_look_ns = 0;
	straight = false;
	walk_forget();
	free(table);
}

static void parts_in_order(void **state)
{
	size_t whole;
	struct lbrscope_unwind_head *table = table_of(&whole);
	const struct walk_range missing = { CODE, CODE + SIZE, CODE, 1 };
	const struct walk_range wrong[] = {
		{ CODE, CODE, CODE, 0 }, { CODE + 1, CODE, CODE, 0 }, { CODE, 1ULL << 63, CODE, 0 },
		{ CODE, CODE + 1, CODE, 1U << 31 },
	};
	const struct walk_range overlapping[] = {
		{ CODE, CODE + 16, CODE, 0 }, { CODE + 15, CODE + 32, CODE, 0 },
	};

	(void)state;
	assert_int_equal(walk_ranges(&missing, 1), -EINVAL);
	assert_int_equal(walk_table(0, table, whole, 100), 0);
	assert_int_equal(walk_table(0, table, whole, 100), -EEXIST);
	assert_int_equal(walk_table(1, table, whole - 8, WALK_PART), -EINVAL);
	assert_int_equal(walk_ranges(&missing, 1), -EINVAL);
	for (size_t i = 0; i < NR(wrong); i++)
		assert_int_equal(walk_ranges(&wrong[i], 1), -EINVAL);
	assert_int_equal(walk_ranges(overlapping, 2), -EINVAL);
	assert_int_equal(walk_ranges(overlapping, 1), 0);
	assert_int_equal(walk_ranges(NULL, 0), 0);
	walk_forget();
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_in_order),
		cmocka_unit_test(long_chains),
		cmocka_unit_test(damaged_tables),
		cmocka_unit_test(random_rules),
	};

	if (getenv("FIRST"))
		first = strtoull(getenv("FIRST"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
