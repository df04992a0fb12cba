// SPDX-License-Identifier: GPL-2.0
/* kmod/unwind/ over the shims. */
#include "../kmod/shim/kernel.h"
#include "walk.h"

static const unsigned int tsc_khz = 1000000;

uint64_t walk_look_ns;

/* A cycle is a nanosecond. */
static u64 rdtsc(void)
{
	static u64 now;

	return now += walk_look_ns;
}

#define user_access_begin(from, size)	((void)(from), (void)(size), true)
#define user_access_end()
#define array_index_mask_nospec(i, n)	((i) < (n) ? ~0ULL : 0)
#define unsafe_get_user(value, from, label)						\
do {										\
	if (!walk_memory((uintptr_t)(from), (uint64_t *)&(value)))		\
		goto label;							\
} while (0)

#include "../../../kmod/base/extack.c"
#include "../../../kmod/unwind/ranges.c"
#include "../../../kmod/unwind/table.c"
#include "../../../kmod/unwind/walk.c"

static struct ls_unwind_tables tables;
static struct ls_unwind_ranges *ranges;

int walk_table(uint32_t number, const void *table, size_t size, size_t part)
{
	size_t offset = 0, len;
	int err;

	do {
		len = min_t(size_t, part, size - offset);
		err = ls_unwind_table_take(&tables, number, size, offset,
					   (const char *)table + offset, len, 1ULL << 30, NULL);
		offset += len;
	} while (!err && offset < size);
	return err;
}

void walk_forget(void)
{
	ls_unwind_ranges_put(ranges);
	ranges = NULL;
	ls_unwind_table_free(&tables);
	tables = (struct ls_unwind_tables){ .list = NULL };
}

int walk_ranges(const struct walk_range *list, size_t nr)
{
	struct lbrscope_unwind_range *said = calloc(nr + 1, sizeof(*said));
	struct ls_unwind_ranges *new;
	size_t i;

	for (i = 0; i < nr; i++)
		said[i] = (struct lbrscope_unwind_range){
			list[i].start, list[i].end, list[i].bias, list[i].table, 0 };
	new = ls_unwind_ranges_new(&tables, said, nr, 1, NULL);
	free(said);
	if (IS_ERR(new))
		return PTR_ERR(new);
	ls_unwind_ranges_put(ranges);
	ranges = new;
	return 0;
}

const void *walk(const struct walk_registers *r, uint64_t base)
{
	const uint64_t *v = r->value;
	const struct pt_regs regs = {
		.ax = v[0], .dx = v[1], .cx = v[2], .bx = v[3], .si = v[4], .di = v[5], .bp = v[6],
		.sp = v[7], .r8 = v[8], .r9 = v[9], .r10 = v[10], .r11 = v[11], .r12 = v[12],
		.r13 = v[13], .r14 = v[14], .r15 = v[15], .ip = v[16], .cs = __USER_CS,
	};
	static struct ls_unwind_walker walker, fresh;
	static u64 words[sizeof(walker.chain) / sizeof(u64)];

	/* A cache that knows more than this walk changes nothing. */
	fresh = (struct ls_unwind_walker){ .cache.list[0].at = 0 };
	ls_unwind_walk(ranges, &regs, base, &fresh.chain, &fresh.cache);
	ls_unwind_walk(ranges, &regs, base, &walker.chain, &walker.cache);
	assert(!memcmp(&walker.chain, &fresh.chain, ls_unwind_chain_words(&fresh.chain) * sizeof(u64)));
	ls_unwind_chain_put(words, &walker.chain);
	return words;
}
