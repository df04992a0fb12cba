// SPDX-License-Identifier: GPL-2.0
/* ctl/base/radix.c: sorted, with equal keys in their order, whichever bytes of the keys differ. */
#include <stdbool.h>

#include "base/radix.h"
#include "test.h"

#define MOST	700

static uint64_t random_key(unsigned int kind)
{
	const uint64_t all = (uint64_t)random() << 62 ^ (uint64_t)random() << 31 ^ random();

	return kind == 0 ? all : kind == 1 ? all % 5 : kind == 2 ? 0x7f0000000000 + all % 0x30000 : all << 56;
}

static void sorted(void **state)
{
	static struct radix_key list[MOST];
	static uint64_t keys[MOST];

	(void)state;
	srandom(1);
	for (size_t nr = 0; nr < MOST; nr = nr + 1 + nr / 3) {
		for (unsigned int kind = 0; kind < 4; kind++) {
			bool seen[MOST] = { false };

			for (size_t i = 0; i < nr; i++) {
				keys[i] = random_key(kind);
				list[i] = (struct radix_key){ keys[i], i };
			}
			assert_int_equal(radix_sort(list, nr), 0);
			for (size_t i = 0; i < nr; i++) {
				assert_int_equal(list[i].key, keys[list[i].index]);
				assert_false(seen[list[i].index]);
				seen[list[i].index] = true;
				if (i)
					assert_true(list[i - 1].key < list[i].key || (list[i - 1].key == list[i].key &&
						    list[i - 1].index < list[i].index));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
