// SPDX-License-Identifier: GPL-2.0
/* Compares two profiles of one event. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/report.h"

#define DIFF_CHANCE	0.05
/* With fewer samples in both captures nothing is called a change: the test assumes that sums are
 * normally distributed, and a few samples of large weight are not. */
#define DIFF_SAMPLES	10

const char *diff_text(const struct diff_line *line, enum rows_key key)
{
	if (line->of_file && key == ROWS_SYMBOL)
		return "[all functions]";
	return line->of_file && key == ROWS_LINE ? "" : rows_text(line->rows, line->row, key);
}

static int diff_compare_key(const struct diff_line *a, const struct diff_line *b,
			    enum rows_key key)
{
	uint64_t x, y;

	if (!rows_is_number(key))
		return key == ROWS_OBJECT ? strcmp(a->object, b->object) :
					    strcmp(diff_text(a, key), diff_text(b, key));
	x = rows_number(a->rows, a->row, key);
	y = rows_number(b->rows, b->row, key);
	return x < y ? -1 : x > y;
}

static int diff_compare_keys(const struct diff_line *a, const struct diff_line *b)
{
	const struct rows_sort *sort = a->rows->sort;
	int order = 0;

	for (size_t i = 0; !order && i < sort->nr; i++)
		order = diff_compare_key(a, b, sort->keys[i]);
	if (order || (a->of_file && b->of_file))
		return order;
	return (int)rows_kind(a->rows, a->row) - (int)rows_kind(b->rows, b->row);
}

/* The two captures may spell a line differently: the later one's name is used. */
static int diff_compare_lines(const void *x, const void *y)
{
	const struct diff_line *a = x, *b = y;
	int order = diff_compare_keys(a, b);

	if (!order)
		order = b->side - a->side;
	if (!order && rows_has(a->rows->sort, ROWS_OBJECT))
		order = strcmp(rows_text(a->rows, a->row, ROWS_OBJECT),
			       rows_text(b->rows, b->row, ROWS_OBJECT));
	return order;
}

static int diff_compare_change(const void *x, const void *y)
{
	const struct diff_line *a = x, *b = y;

	if (a->beyond_chance != b->beyond_chance)
		return a->beyond_chance ? -1 : 1;
	if (fabs(a->delta) != fabs(b->delta))
		return fabs(a->delta) > fabs(b->delta) ? -1 : 1;
	return diff_compare_keys(a, b);
}

static void diff_add(struct profile_weight *to, const struct profile_weight *weight)
{
	to->samples += weight->samples;
	to->period = tally_sum(to->period, weight->period);
	to->squares += weight->squares;
}

static struct share_sum diff_sum(const struct profile_weight *weight)
{
	return (struct share_sum){ weight->period, weight->squares };
}

static int diff_compare_names(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Lists the names of a side's files, sorted, each once. Returns NULL when memory is short. */
static const char **diff_names(const struct rows *rows, size_t *nr)
{
	const char **names = calloc(rows->nr + 1, sizeof(*names));
	size_t all = 0;

	*nr = 0;
	for (; names && all < rows->nr; all++)
		names[all] = report_object(rows_text(rows, &rows->list[all], ROWS_OBJECT));
	if (names)
		qsort(names, all, sizeof(*names), diff_compare_names);
	for (size_t i = 0; i < all; i++)
		if (!*nr || strcmp(names[*nr - 1], names[i]))
			names[(*nr)++] = names[i];
	return names;
}

/* Adds the names to the list's text that the other side does not have. */
static void diff_alone(char text[128], const char *const *names, size_t nr, const char **others,
		       size_t nr_others)
{
	size_t at = 0;

	for (size_t i = 0; i < nr && at < 128; i++)
		if (!bsearch(&names[i], others, nr_others, sizeof(*others), diff_compare_names))
			at += snprintf(text + at, 128 - at, "%s%s", at ? ", " : "", names[i]);
}

/* Sorted names of files, and for each whether a function of it has a name. */
struct diff_files {
	const char **names;
	bool *named;
	size_t nr;
};

/* Returns the index of the name, or the number of names. */
static size_t diff_file(const struct diff_files *files, const char *name)
{
	const char **found = bsearch(&name, files->names, files->nr, sizeof(name), diff_compare_names);

	return found ? (size_t)(found - files->names) : files->nr;
}

static bool diff_has_names(const struct diff_files *files, const char *name)
{
	const size_t i = diff_file(files, name);

	return i == files->nr || files->named[i];
}

/* Compares those files as a whole whose functions have names on one side only. */
static void diff_join_files(struct diff *diff, struct diff_line *lines, size_t nr, const struct diff_files files[])
{
	for (size_t i = 0; i < nr; i++) {
		size_t at = diff_file(&files[lines[i].side], lines[i].object);

		if (at < files[lines[i].side].nr)
			files[lines[i].side].named[at] |=
				strcmp(rows_text(lines[i].rows, lines[i].row, ROWS_SYMBOL), "[unknown]") != 0;
	}
	for (size_t i = 0; i < nr; i++)
		lines[i].of_file = diff_has_names(&files[DIFF_BEFORE], lines[i].object) !=
				   diff_has_names(&files[DIFF_AFTER], lines[i].object);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0, at = 0; i < files[side].nr && at < sizeof(diff->nameless[side]); i++)
			if (!files[side].named[i] && diff_file(&files[!side], files[side].names[i]) < files[!side].nr &&
			    diff_has_names(&files[!side], files[side].names[i]))
				at += snprintf(diff->nameless[side] + at, sizeof(diff->nameless[side]) - at, "%s%s",
					       at ? ", " : "", files[side].names[i]);
}

/* Sets the file that each line is compared by. Returns 0, or -1 when memory is short. */
static int diff_pair(struct diff *diff, struct diff_line *lines, size_t nr)
{
	const struct rows_sort *sort = diff->sides[DIFF_BEFORE]->rows->sort;
	struct diff_files files[DIFF_SIDES] = { { .nr = 0 } };
	bool both = true;

	if (!rows_has(sort, ROWS_OBJECT))
		return 0;
	for (int side = 0; side < DIFF_SIDES; side++) {
		files[side].names = diff_names(diff->sides[side]->rows, &files[side].nr);
		files[side].named = calloc(files[side].nr + 1, sizeof(bool));
		both &= files[side].names && files[side].named;
	}
	for (int side = 0; both && rows_has(sort, ROWS_SYMBOL) && side < DIFF_SIDES; side++)
		diff_alone(diff->alone[side], files[side].names, files[side].nr, files[!side].names, files[!side].nr);
	if (!*diff->alone[DIFF_BEFORE] || !*diff->alone[DIFF_AFTER])
		*diff->alone[DIFF_BEFORE] = *diff->alone[DIFF_AFTER] = '\0';
	for (size_t i = 0; both && i < nr; i++) {
		const int other = !lines[i].side;

		lines[i].object = report_object(rows_text(lines[i].rows, lines[i].row, ROWS_OBJECT));
		if (*diff->alone[other] && diff_file(&files[other], lines[i].object) == files[other].nr)
			lines[i].object = "";
	}
	if (both && rows_has(sort, ROWS_SYMBOL) && !diff->by_total)
		diff_join_files(diff, lines, nr, files);
	for (int side = 0; side < DIFF_SIDES; side++) {
		free(files[side].names);
		free(files[side].named);
	}
	return both ? 0 : -1;
}

/* Makes a line for each row of both, then merges equal ones. */
static int diff_match(struct diff *diff)
{
	size_t max = diff->sides[DIFF_BEFORE]->rows->nr + diff->sides[DIFF_AFTER]->rows->nr;
	struct diff_line *lines = calloc(max + 1, sizeof(*lines));
	size_t nr = 0;

	if (!lines)
		return -1;
	diff->lines = lines;
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct rows *rows = diff->sides[side]->rows;

		for (size_t i = 0; i < rows->nr; i++, nr++) {
			const struct rows_row *row = &rows->list[i];

			lines[nr].rows = rows;
			lines[nr].row = row;
			lines[nr].side = side;
			lines[nr].weights[side] = diff->by_total ? row->total : row->self;
		}
	}
	if (diff_pair(diff, lines, nr))
		return -1;
	qsort(lines, nr, sizeof(*lines), diff_compare_lines);
	for (size_t i = 0; i < nr; i++) {
		struct diff_line *last = diff->nr ? &lines[diff->nr - 1] : NULL;

		if (!last || diff_compare_keys(last, &lines[i])) {
			lines[diff->nr++] = lines[i];
			continue;
		}
		for (int side = 0; side < DIFF_SIDES; side++)
			diff_add(&last->weights[side], &lines[i].weights[side]);
	}
	return 0;
}

/* Functions without samples of their own in either capture are not compared: they would only
 * weaken the test of the others. */
static void diff_drop_empty(struct diff *diff)
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr; i++)
		if (diff->lines[i].weights[DIFF_BEFORE].samples ||
		    diff->lines[i].weights[DIFF_AFTER].samples)
			diff->lines[nr++] = diff->lines[i];
	diff->nr = nr;
}

static struct share_sum diff_all(const struct analysis *a)
{
	return (struct share_sum){ a->period_sum, a->squares_sum };
}

static bool diff_is_change(const struct diff_line *line)
{
	const struct profile_weight *weights = line->weights;

	return line->change.corrected < DIFF_CHANCE &&
	       (weights[DIFF_BEFORE].samples >= DIFF_SAMPLES ||
		weights[DIFF_AFTER].samples >= DIFF_SAMPLES);
}

double diff_share(const struct diff *d, const struct diff_line *line, int side)
{
	const struct analysis *a = d->sides[side];

	return a->period_sum ? (double)line->weights[side].period / a->period_sum : 0;
}

bool diff_shows(const struct diff *d, const struct diff_line *line)
{
	return 100 * fmax(diff_share(d, line, DIFF_BEFORE), diff_share(d, line, DIFF_AFTER)) >= d->limit;
}

int diff_build(struct diff *diff)
{
	struct share_sum before = diff_all(diff->sides[DIFF_BEFORE]);
	struct share_sum after = diff_all(diff->sides[DIFF_AFTER]);
	struct share_change *changes;
	int ret;

	diff->lines = NULL;
	diff->nr = diff->changed = 0;
	if (diff_match(diff))
		return -1;
	diff_drop_empty(diff);
	changes = calloc(diff->nr + 1, sizeof(*changes));
	if (!changes)
		return -1;
	for (size_t i = 0; i < diff->nr; i++)
		changes[i] = (struct share_change){
			.before = diff_sum(&diff->lines[i].weights[DIFF_BEFORE]),
			.after = diff_sum(&diff->lines[i].weights[DIFF_AFTER]),
		};
	ret = share_changes(changes, diff->nr, before, after);
	for (size_t i = 0; !ret && i < diff->nr; i++) {
		diff->lines[i].change = changes[i];
		diff->lines[i].delta = share_of(changes[i].after, after) -
				       share_of(changes[i].before, before);
		diff->lines[i].beyond_chance = diff_is_change(&diff->lines[i]);
		diff->changed += diff->lines[i].beyond_chance;
	}
	free(changes);
	if (!ret)
		qsort(diff->lines, diff->nr, sizeof(*diff->lines), diff_compare_change);
	return ret;
}

void diff_free(struct diff *diff)
{
	free(diff->lines);
}
