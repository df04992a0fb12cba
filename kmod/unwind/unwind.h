/* SPDX-License-Identifier: GPL-2.0 */
/* User stacks, unwound by tables of rules that the session's owner has sent. */
#ifndef LBRSCOPE_UNWIND_H
#define LBRSCOPE_UNWIND_H

#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include <linux/lbrscope_ring.h>
#include <linux/lbrscope_unwind.h>

#include "lbr/lbr.h"

struct ls_extack;
struct pt_regs;

/*
 * A table.  It is written while its parts arrive, and checked when it is whole: from then on
 * it is constant, and ranges point to it, until the session ends.
 * Locks: session->lock.
 */
struct ls_unwind_table {
	struct lbrscope_unwind_head *head;	/* NULL: no part has arrived */
	u32 size, filled;	/* bytes */
	bool whole;
};

/* The tables of a session, by number. */
struct ls_unwind_tables {
	struct ls_unwind_table *list;	/* LBRSCOPE_UNWIND_TABLES_MAX of them; NULL: none yet */
	u64 bytes;		/* of all tables together */
};

/* What a process has mapped: constant.  Threads share it, and children that they create. */
struct ls_unwind_ranges {
	struct rcu_head rcu;
	refcount_t refs;
	u32 serial;		/* other ranges have other ones, up to 4 billion of them */
	u32 generation;
	u32 nr;
	struct ls_unwind_range {
		u64 start, end, bias;
		const struct lbrscope_unwind_head *table;	/* NULL: code with frame pointers */
	} list[];
};

/* The call chain of a task. */
struct ls_unwind_chain {
	struct lbrscope_user_chain head;
	u64 words[LBRSCOPE_USER_CHAIN_MAX + LBRSCOPE_USER_CHAIN_TOP];	/* addresses, and then head.top words */
};

/*
 * Rules of addresses that walks came to, by a hash of the address.
 * Locks: of one CPU and one context, whose walks read and write it.
 */
#define UNWIND_CACHE_BITS	10
struct ls_unwind_cache {
	struct ls_unwind_cached {
		u64 at;
		u32 serial;	/* of the ranges by which the rule was found; 0: none */
		struct lbrscope_unwind_rule rule;
	} list[1 << UNWIND_CACHE_BITS];
};

/* Memory of a CPU for walks. */
struct ls_unwind_walkers {
	struct ls_unwind_walker {
		struct ls_unwind_chain chain;
		struct ls_unwind_cache cache;
	} nmi, tick;		/* tick: the interrupt of clocks */
	struct ls_unwind_cache hook;	/* of the scheduler's hooks */
};

/*
 * Takes the part of a table.  spare: the bytes that the tables may grow by.
 * Returns: 0, or -ERANGE, -EEXIST, -EINVAL, -ENOSPC, -ENOMEM with the reason in extack.
 */
int ls_unwind_table_take(struct ls_unwind_tables *tables, u32 number, u32 size, u32 offset,
			 const void *data, u32 len, u64 spare, struct ls_extack *extack);
void ls_unwind_table_free(struct ls_unwind_tables *tables);

/*
 * Makes the ranges of a process, with one reference.
 * Returns: ERR_PTR(-EINVAL) or ERR_PTR(-ENOMEM), with the reason in extack.
 */
struct ls_unwind_ranges *ls_unwind_ranges_new(const struct ls_unwind_tables *tables,
					      const struct lbrscope_unwind_range *list, u32 nr,
					      u32 generation, struct ls_extack *extack);

/* Drops a reference; NULL is ignored.  Readers under RCU may still use the ranges. */
void ls_unwind_ranges_put(struct ls_unwind_ranges *ranges);

/*
 * Unwinds the stack of the current task, which left user mode at `user`.  base: the stack
 * pointer that it began with; 0: not known.  cache: of this context.
 * Context: interrupts off, or NMI; the task's memory is loaded.
 */
void ls_unwind_walk(const struct ls_unwind_ranges *ranges, const struct pt_regs *user,
		    unsigned long base, struct ls_unwind_chain *chain,
		    struct ls_unwind_cache *cache);

/* Returns: how many words there are, the head among them. */
static __always_inline u32 ls_unwind_chain_words(const struct ls_unwind_chain *chain)
{
	return 1 + chain->head.nr + chain->head.top;
}

/* Returns: the first word behind the chain. */
static __always_inline u64 *ls_unwind_chain_put(u64 *word, const struct ls_unwind_chain *chain)
{
	return ls_lbr_copy(word, (const u64 *)chain, ls_unwind_chain_words(chain));
}

/* Returns the table's array of rules. */
static inline const struct lbrscope_unwind_rule *
ls_unwind_rules(const struct lbrscope_unwind_head *head)
{
	const u64 rows = sizeof(*head) + sizeof(u32) * (head->nr_buckets + 1ULL) +
			 sizeof(struct lbrscope_unwind_row) * (u64)head->nr_rows;

	return (const void *)head + ALIGN(rows, sizeof(struct lbrscope_unwind_rule));
}

static inline const u32 *ls_unwind_index(const struct lbrscope_unwind_head *head)
{
	return (const u32 *)(head + 1);
}

static inline const struct lbrscope_unwind_row *
ls_unwind_rows(const struct lbrscope_unwind_head *head)
{
	return (const void *)(ls_unwind_index(head) + head->nr_buckets + 1);
}

#endif
