// SPDX-License-Identifier: GPL-2.0
/* What a process has mapped, as the session's owner says: which table holds where. */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <asm/processor.h>

#include "base/extack.h"
#include "session/charge.h"
#include "unwind/unwind.h"

static atomic_t ranges_serials;

static bool ls_ranges_is_right(const struct ls_unwind_tables *tables,
			       const struct lbrscope_unwind_range *range, u64 before)
{
	return range->start >= before && range->start < range->end &&
	       range->end <= TASK_SIZE_MAX && !range->reserved &&
	       (range->table == LBRSCOPE_UNWIND_NO_TABLE ||
		(range->table < LBRSCOPE_UNWIND_TABLES_MAX && tables->list &&
		 tables->list[range->table].whole));
}

struct ls_unwind_ranges *ls_unwind_ranges_new(const struct ls_unwind_tables *tables,
					      const struct lbrscope_unwind_range *list, u32 nr,
					      u32 generation, struct ls_extack *extack)
{
	struct ls_unwind_ranges *ranges = kvmalloc(struct_size(ranges, list, nr), CHARGE_GFP);
	u64 before = 0;
	u32 i;

	if (!ranges) {
		ls_extack_set(extack, "no memory for the ranges, here or in your cgroup (memory.max)");
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&ranges->refs, 1);
	ranges->serial = (u32)atomic_inc_return(&ranges_serials);
	ranges->generation = generation;
	ranges->nr = nr;
	for (i = 0; i < nr; i++) {
		if (!ls_ranges_is_right(tables, &list[i], before)) {
			kvfree(ranges);
			ls_extack_set(extack, "range %u is wrong, not behind the one before it, or its table is not whole",
				      i);
			return ERR_PTR(-EINVAL);
		}
		ranges->list[i] = (struct ls_unwind_range){ list[i].start, list[i].end, list[i].bias };
		if (list[i].table != LBRSCOPE_UNWIND_NO_TABLE)
			ranges->list[i].table = tables->list[list[i].table].head;
		before = list[i].end;
	}
	return ranges;
}

void ls_unwind_ranges_put(struct ls_unwind_ranges *ranges)
{
	if (ranges && refcount_dec_and_test(&ranges->refs))
		kvfree_rcu(ranges, rcu);
}
