// SPDX-License-Identifier: GPL-2.0
/* Lookups by hash and in sorted lists. */
#include "test.h"
#include "base/hash.h"
#include "base/search.h"

/* Every place in every list of up to 8, with equal elements in it. */
static void test_front(void **state)
{
	(void)state;
	for (size_t nr = 0; nr <= 8; nr++) {
		int list[8];

		for (size_t i = 0; i < nr; i++)
			list[i] = 2 * (i / 2);
		for (int key = -1; key <= 9; key++) {
			size_t below = 0, until = 0;

			for (size_t i = 0; i < nr; i++) {
				below += list[i] < key;
				until += list[i] <= key;
			}
			assert_int_equal(search_front(nr, i, list[i] < key), below);
			assert_int_equal(search_front(nr, i, list[i] <= key), until);
		}
	}
}

#define ENTRIES	1000

struct list {
	unsigned int keys[ENTRIES];
	struct hash hash;
};

/* All entries want the same slot, and few values of the 32 bits that the table keeps differ. */
static uint64_t of(unsigned int key)
{
	return key % 7 << 16 | (uint64_t)key << 32;
}

static size_t find(const struct list *l, unsigned int key)
{
	hash_for_each(i, &l->hash, of(key))
		if (l->keys[i] == key)
			return i;
	return ENTRIES;
}

static void test_hash(void **state)
{
	static struct list l;

	(void)state;
	assert_int_equal(find(&l, 5), ENTRIES);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ENTRIES; i++) {
			assert_int_equal(find(&l, 3 * i), ENTRIES);
			assert_int_equal(hash_reserve(&l.hash), 0);
			l.keys[i] = 3 * i;
			assert_int_equal(hash_put(&l.hash, of(3 * i)), i);
		}
		for (size_t i = 0; i < ENTRIES; i++)
			assert_int_equal(find(&l, 3 * i), i);
		assert_int_equal(find(&l, 1), ENTRIES);
		hash_empty(&l.hash);
		assert_int_equal(find(&l, 3), ENTRIES);
	}
	hash_free(&l.hash);
	hash_empty(&l.hash);
	assert_int_equal(find(&l, 3), ENTRIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_front),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
