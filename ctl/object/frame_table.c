// SPDX-License-Identifier: GPL-2.0
/* Packs rows of unwinding rules, and looks them up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "object/frame_table.h"
#include "object/load.h"

/* A bucket has this many rows or more, on average: its index takes a byte a row at most. */
#define BUCKET_ROWS	4

/* The different rules, by their bytes. */
struct rules {
	struct lbrscope_unwind_rule *list;
	size_t max;
	struct hash index;
};

static uint64_t bytes_of(const struct lbrscope_unwind_rule *rule)
{
	uint64_t bytes;

	_Static_assert(sizeof(bytes) == sizeof(*rule), "a rule has 8 bytes");
	memcpy(&bytes, rule, sizeof(bytes));
	return bytes;
}

static bool fits(int32_t value)
{
	return value == (int16_t)value;
}

static struct lbrscope_unwind_rule rule_of(const struct frame_row *row)
{
	const bool at = row->kind == LBRSCOPE_UNWIND_SP_AT || row->kind == LBRSCOPE_UNWIND_BP_AT;
	struct lbrscope_unwind_rule rule = { .kind = row->kind, .rbp = row->rbp | row->reg << 4, .rbp_at = row->rbp_at / 8,
					 .offset = row->offset };

	if (at)
		rule.offset = (uint16_t)row->offset | (uint32_t)(uint16_t)row->behind << 16;
	if (row->rbp_at % 8 || !fits(row->rbp_at / 8) || (at && !(fits(row->offset) && fits(row->behind))))
		return (struct lbrscope_unwind_rule){ .kind = LBRSCOPE_UNWIND_OTHER };
	return rule;
}

/* Returns the index of the rule, which is added if it is new; -1 with errno. */
static int rule_index(struct rules *r, const struct frame_row *row)
{
	const struct lbrscope_unwind_rule rule = rule_of(row);
	const uint64_t hash = hash_u64(bytes_of(&rule));

	if (hash_reserve(&r->index))
		return -1;
	hash_for_each(i, &r->index, hash)
		if (bytes_of(&r->list[i]) == bytes_of(&rule))
			return i;
	if (r->index.used == LBRSCOPE_UNWIND_RULES_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (room_for(&r->list, r->index.used + 1, &r->max, sizeof(*r->list)))
		return -1;
	r->list[r->index.used] = rule;
	return hash_put(&r->index, hash);
}

static uint32_t *index_of(const struct lbrscope_unwind_head *t)
{
	return (uint32_t *)(t + 1);
}

static struct lbrscope_unwind_row *rows_of(const struct lbrscope_unwind_head *t)
{
	return (struct lbrscope_unwind_row *)(index_of(t) + t->nr_buckets + 1);
}

/* Rows and index have multiples of 4 bytes. */
static size_t rules_at(const struct lbrscope_unwind_head *t)
{
	const size_t rows = sizeof(*t) + sizeof(uint32_t) * (t->nr_buckets + 1ULL) +
			    sizeof(struct lbrscope_unwind_row) * (size_t)t->nr_rows;

	return (rows + 7) & ~(size_t)7;
}

/* Sets the numbers of the head. Returns false if the code takes more than 4 GB. */
static bool measure(struct lbrscope_unwind_head *t, const struct frame_rows *rows)
{
	uint64_t last;

	*t = (struct lbrscope_unwind_head){
		.magic = LBRSCOPE_UNWIND_MAGIC, .version = LBRSCOPE_UNWIND_VERSION, .shift = LBRSCOPE_UNWIND_SHIFT_MIN,
		.base = rows->nr ? rows->list[0].vaddr & ~0xffffULL : 0,
		.nr_rows = rows->nr + 1,
	};
	last = rows->nr ? rows->list[rows->nr - 1].vaddr - t->base : 0;
	if (last > UINT32_MAX || rows->nr >= UINT32_MAX)
		return false;
	while (t->shift < LBRSCOPE_UNWIND_SHIFT_MAX && (last >> t->shift) * BUCKET_ROWS > rows->nr)
		t->shift++;
	t->nr_buckets = (last >> t->shift) + 1;
	return true;
}

/* The first row holds from the base on. */
static int fill(struct lbrscope_unwind_head *t, const struct frame_rows *rows, struct rules *rules)
{
	const struct frame_row outside = { .kind = rows->outside };
	struct lbrscope_unwind_row *to = rows_of(t);
	uint32_t *index = index_of(t);
	size_t bucket = 1;
	int rule = rule_index(rules, &outside);

	if (rule < 0)
		return -1;
	index[0] = 0;
	to[0] = (struct lbrscope_unwind_row){ 0, rule };
	for (size_t i = 0; i < rows->nr; i++) {
		const uint64_t offset = rows->list[i].vaddr - t->base;

		for (; bucket <= offset >> t->shift; bucket++)
			index[bucket] = i;	/* the row before this one, behind the first one of the table */
		rule = rule_index(rules, &rows->list[i]);
		if (rule < 0)
			return -1;
		to[i + 1] = (struct lbrscope_unwind_row){ offset, rule };
	}
	for (; bucket <= t->nr_buckets; bucket++)
		index[bucket] = rows->nr;
	return 0;
}

struct lbrscope_unwind_head *frame_table_pack(const struct frame_rows *rows, size_t *size)
{
	struct lbrscope_unwind_head head, *table = NULL, *whole = NULL;
	struct rules rules = { .max = 0 };

	if (!measure(&head, rows)) {
		errno = E2BIG;
		return NULL;
	}
	table = calloc(1, rules_at(&head));
	if (table) {
		*table = head;
		if (!fill(table, rows, &rules)) {
			*size = rules_at(&head) + rules.index.used * sizeof(*rules.list);
			whole = realloc(table, *size);
		}
	}
	if (whole) {
		whole->nr_rules = rules.index.used;
		memcpy((char *)whole + rules_at(whole), rules.list, rules.index.used * sizeof(*rules.list));
	} else {
		free(table);
	}
	free(rules.list);
	hash_free(&rules.index);
	return whole;
}

static struct lbrscope_unwind_head *table_of(Elf *elf, size_t *size)
{
	struct lbrscope_unwind_head *table = NULL;
	struct gotable go = { .format = NULL };
	struct frame_rows rows;

	gotable_load(&go, elf);
	if (!frame_rows_make(&rows, elf, &go) && (rows.nr || rows.outside == LBRSCOPE_UNWIND_POINTER))
		table = frame_table_pack(&rows, size);
	frame_rows_free(&rows);
	return table;
}

/* Another thread may use the object's Elf. */
struct lbrscope_unwind_head *frame_table_of(const struct object *o, size_t *size)
{
	struct lbrscope_unwind_head *table = NULL;
	Elf *elf;

	if (!o->x86_64)
		return NULL;
	elf = o->image ? elf_memory((char *)o->image, o->image_size) : elf_begin(o->fd, ELF_C_READ, NULL);
	if (elf)
		table = table_of(elf, size);
	elf_end(elf);
	return table;
}
