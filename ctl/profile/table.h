/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of a report: self and total by the sort keys. Keys are numbers until a row is
 * shown.
 */
#ifndef LBRCTL_PROFILE_TABLE_H
#define LBRCTL_PROFILE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/tally.h"
#include "profile/tree.h"

enum rows_key {
	/* From a frame. */
	ROWS_SYMBOL,
	ROWS_OBJECT,
	ROWS_LINE,
	/* From a sample. */
	ROWS_COMM,
	ROWS_PID,
	ROWS_TID,
	ROWS_CPU,
	ROWS_CGROUP,
	ROWS_STATE,
	ROWS_NR_KEYS
};

/* The key columns in their order; each once. */
struct rows_sort {
	enum rows_key keys[ROWS_NR_KEYS];
	size_t nr;
};

/* Parses "dso,sym", by perf's names. Returns false for an unknown or repeated name. */
bool rows_parse(struct rows_sort *sort, const char *text);
/* Returns all names, "sym, dso, …". */
const char *rows_key_names(void);
/* Return the name in perf's option, and the title of the column. */
const char *rows_key_name(enum rows_key key);
const char *rows_key_title(enum rows_key key);

/* A source line; file is NULL if it is not known. */
struct rows_line {
	const char *file;		/* outlives the rows */
	uint32_t line;
};

bool rows_has(const struct rows_sort *sort, enum rows_key key);
/* Whether rows differ by frames, so that self and total differ. */
bool rows_of_frames(const struct rows_sort *sort);

struct rows_row {
	uint32_t who, frame;		/* numbers */
	struct profile_weight self, total;
	uint64_t last_stack;		/* recursive functions count once */
};

struct rows {
	const struct rows_sort *sort;
	struct rows_row *list;
	size_t nr, max;
	struct profile_weight all;
	uint64_t *counts;		/* of self, nr_counts for each row */
	size_t nr_counts, max_counts;
	struct rows_index *index;
};

/* sort outlives the rows. NULL when memory is short. */
struct rows *rows_new(const struct rows_sort *sort, size_t nr_counts);
void rows_free(struct rows *rows);

/* Adds samples of a stack by its path in the profile, as profile_add(), and the source line of
 * each of its entries. own: the index in the path of the entry whose self they are. The profile must
 * outlive the rows. Returns 0, or -1 when memory is short. */
struct rows_path {
	const uint32_t *entries;
	const struct rows_line *lines;
	size_t nr, own;
};
int rows_add(struct rows *rows, const struct profile *profile, const struct rows_path *path,
	     const struct tally_stack *stack);

/* Sorts by self or total, the largest first, then by key. Call it once, after the last
 * rows_add(). Returns 0, or -1 when memory is short. */
int rows_order(struct rows *rows, bool by_total);

/* Returns a row's key: its text or number. Columns that are not keys have none. */
const char *rows_text(const struct rows *rows, const struct rows_row *row,
		      enum rows_key key);
uint64_t rows_number(const struct rows *rows, const struct rows_row *row,
		     enum rows_key key);
bool rows_is_number(enum rows_key key);
/* Returns the kind of the row's function. */
enum profile_kind rows_kind(const struct rows *rows, const struct rows_row *row);

/* Write JSON: the list "sort" of the keys' names; a row's key; and the kind of a row's
 * function, if rows have one. */
struct json;
void rows_put_sort(const struct rows_sort *sort, struct json *json);
void rows_put_key(const struct rows *rows, const struct rows_row *row, enum rows_key key,
		  struct json *json);
void rows_put_kind(const struct rows *rows, const struct rows_row *row, struct json *json);

#endif
