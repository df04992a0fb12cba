// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of unwinding rules: takes their parts, and checks them.
 *
 * A table comes from a user who may lie.  It is checked on the module's own copy, so that a
 * lookup of any address stays within it.  What the rules say is not checked: walk.c bounds
 * what they lead to.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/extack.h"
#include "session/charge.h"
#include "unwind/unwind.h"

/* Rows that are checked without a pause. */
#define TABLE_PAUSE	(1U << 16)

static bool ls_table_head_is_right(const struct lbrscope_unwind_head *head, u32 size)
{
	u64 rules;

	if (size < sizeof(*head) || head->magic != LBRSCOPE_UNWIND_MAGIC ||
	    head->version != LBRSCOPE_UNWIND_VERSION || head->base & 0xffff ||
	    head->shift < LBRSCOPE_UNWIND_SHIFT_MIN || head->shift > LBRSCOPE_UNWIND_SHIFT_MAX ||
	    !head->nr_buckets || !head->nr_rows || !head->nr_rules ||
	    head->nr_rules > LBRSCOPE_UNWIND_RULES_MAX)
		return false;
	rules = (const void *)ls_unwind_rules(head) - (const void *)head;
	return rules + head->nr_rules * sizeof(struct lbrscope_unwind_rule) == size;
}

/* The index rises and stays within the rows. */
static bool ls_table_index_is_right(const struct lbrscope_unwind_head *head)
{
	const u32 *index = ls_unwind_index(head);
	u32 i;

	for (i = 0; i < head->nr_buckets; i++) {
		if (index[i] > index[i + 1])
			return false;
		if (i % TABLE_PAUSE == 0)
			cond_resched();
	}
	return index[head->nr_buckets] < head->nr_rows;
}

static bool ls_table_rows_are_right(const struct lbrscope_unwind_head *head)
{
	const struct lbrscope_unwind_row *rows = ls_unwind_rows(head);
	u32 i;

	for (i = 0; i < head->nr_rows; i++) {
		if (rows[i].rule >= head->nr_rules)
			return false;
		if (i % TABLE_PAUSE == 0)
			cond_resched();
	}
	return true;
}

static bool ls_table_rules_are_right(const struct lbrscope_unwind_head *head)
{
	const struct lbrscope_unwind_rule *rules = ls_unwind_rules(head);
	u32 i;

	for (i = 0; i < head->nr_rules; i++)
		if (rules[i].kind >= LBRSCOPE_UNWIND_NR_KINDS ||
		    (rules[i].rbp & 0xf) >= LBRSCOPE_UNWIND_NR_RBPS)
			return false;
	return true;
}

static bool ls_table_is_right(const struct ls_unwind_table *table)
{
	return ls_table_head_is_right(table->head, table->size) &&
	       ls_table_index_is_right(table->head) && ls_table_rows_are_right(table->head) &&
	       ls_table_rules_are_right(table->head);
}

static void ls_table_forget(struct ls_unwind_tables *tables, struct ls_unwind_table *table)
{
	kvfree(table->head);
	tables->bytes -= table->size;
	*table = (struct ls_unwind_table){};
}

/* Begins a table, or begins it anew. */
static int ls_table_begin(struct ls_unwind_tables *tables, struct ls_unwind_table *table, u32 size,
			  u64 spare, struct ls_extack *extack)
{
	ls_table_forget(tables, table);
	if (size > spare) {
		ls_extack_set(extack, "the tables of this session, or of all users without privilege, would take too much memory");
		return -ENOSPC;
	}
	table->head = kvmalloc(size, CHARGE_GFP);
	if (!table->head) {
		ls_extack_set(extack, "no memory for the table, here or in your cgroup (memory.max)");
		return -ENOMEM;
	}
	table->size = size;
	tables->bytes += size;
	return 0;
}

static int ls_table_find(struct ls_unwind_tables *tables, u32 number, u32 size, u32 offset,
			 u64 spare, struct ls_unwind_table **table, struct ls_extack *extack)
{
	if (!tables->list)
		tables->list = kvcalloc(LBRSCOPE_UNWIND_TABLES_MAX, sizeof(*tables->list),
					CHARGE_GFP);
	if (!tables->list) {
		ls_extack_set(extack, "no memory for tables, here or in your cgroup (memory.max)");
		return -ENOMEM;
	}
	*table = &tables->list[number];
	if ((*table)->whole) {
		ls_extack_set(extack, "table %u is whole", number);
		return -EEXIST;
	}
	return offset ? 0 : ls_table_begin(tables, *table, size, spare, extack);
}

int ls_unwind_table_take(struct ls_unwind_tables *tables, u32 number, u32 size, u32 offset,
			 const void *data, u32 len, u64 spare, struct ls_extack *extack)
{
	struct ls_unwind_table *table;
	int err = ls_table_find(tables, number, size, offset, spare, &table, extack);

	if (err)
		return err;
	if (!table->head || size != table->size || offset != table->filled ||
	    len > size - offset) {
		ls_extack_set(extack, "not the next part of table %u: it has %u of %u bytes",
			      number, table->filled, table->size);
		return -ERANGE;
	}
	memcpy((void *)table->head + offset, data, len);
	table->filled += len;
	if (table->filled < size)
		return 0;
	table->whole = ls_table_is_right(table);
	if (table->whole)
		return 0;
	ls_table_forget(tables, table);
	ls_extack_set(extack, "table %u is wrong: see <linux/lbrscope_unwind.h>", number);
	return -EINVAL;
}

void ls_unwind_table_free(struct ls_unwind_tables *tables)
{
	u32 i;

	for (i = 0; tables->list && i < LBRSCOPE_UNWIND_TABLES_MAX; i++)
		kvfree(tables->list[i].head);
	kvfree(tables->list);
}
