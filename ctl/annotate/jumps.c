// SPDX-License-Identifier: GPL-2.0
/* Draws jumps as arrows, as objdump --visualize-jumps does, in a limited number of columns. */
#include <stdlib.h>
#include <string.h>

#include "annotate/jumps.h"
#include "base/err.h"

/* Maximum length of an arrow, in instructions; longer ones are not readable. */
#define LONGEST	2000

struct jump {
	uint32_t from, to;	/* indexes of instructions */
};

/* All jumps to one target. */
struct arrow {
	uint32_t target, low, high;
};

struct jumps {
	const struct blocks_function *f;
	struct jump *list;	/* by target */
	size_t nr;
	struct arrow *arrows;
	size_t nr_arrows;
	uint32_t (*lanes)[JUMPS_LANES];	/* by instruction: 1 + arrow, 0: none */
	size_t nr_lanes;		/* number of used lanes */
};

static int jump_compare(const void *x, const void *y)
{
	const struct jump *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int arrow_compare(const void *x, const void *y)
{
	const struct arrow *a = x, *b = y;

	if (a->high - a->low != b->high - b->low)
		return a->high - a->low < b->high - b->low ? -1 : 1;
	return a->low < b->low ? -1 : a->low > b->low;
}

static const struct blocks_instruction *target_of(const struct blocks_function *f, size_t i)
{
	const struct blocks_instruction *from = &f->list[i];

	return from->jumps && from->target ? blocks_instruction_at(f, from->target) : NULL;
}

static void collect(struct jumps *j)
{
	for (size_t i = 0; i < j->f->nr; i++) {
		const struct blocks_instruction *to = target_of(j->f, i);

		if (to)
			j->list[j->nr++] = (struct jump){ i, to - j->f->list };
	}
	if (j->nr)
		qsort(j->list, j->nr, sizeof(*j->list), jump_compare);
	for (size_t i = 0; i < j->nr; i++) {
		const struct jump *jump = &j->list[i];
		struct arrow *a = &j->arrows[j->nr_arrows];

		if (!i || jump->to != j->list[i - 1].to)
			j->arrows[j->nr_arrows++] = (struct arrow){ jump->to, jump->to, jump->to };
		else
			a--;
		a->low = jump->from < a->low ? jump->from : a->low;
		a->high = jump->from > a->high ? jump->from : a->high;
	}
	if (j->nr_arrows)
		qsort(j->arrows, j->nr_arrows, sizeof(*j->arrows), arrow_compare);
}

static bool lane_free(const struct jumps *j, const struct arrow *a, size_t lane)
{
	for (uint32_t i = a->low; i <= a->high; i++)
		if (j->lanes[i][lane])
			return false;
	return true;
}

static void draw(struct jumps *j, uint32_t number)
{
	const struct arrow *a = &j->arrows[number];
	size_t lane = 0;

	if (a->high - a->low > LONGEST)
		return;
	while (lane < JUMPS_LANES && !lane_free(j, a, lane))
		lane++;
	if (lane == JUMPS_LANES)
		return;
	for (uint32_t i = a->low; i <= a->high; i++)
		j->lanes[i][lane] = number + 1;
	if (lane >= j->nr_lanes)
		j->nr_lanes = lane + 1;
}

struct jumps *jumps_new(const struct blocks_function *f)
{
	struct jumps *j = calloc(1, sizeof(*j));

	if (j) {
		j->f = f;
		j->list = calloc(f->nr + 1, sizeof(*j->list));
		j->arrows = calloc(f->nr + 1, sizeof(*j->arrows));
		j->lanes = calloc(f->nr + 1, sizeof(*j->lanes));
	}
	if (!j || !j->list || !j->arrows || !j->lanes) {
		err_errno("drawing jumps");
		jumps_free(j);
		return NULL;
	}
	collect(j);
	for (uint32_t i = 0; i < j->nr_arrows; i++)
		draw(j, i);
	return j;
}

void jumps_free(struct jumps *j)
{
	if (!j)
		return;
	free(j->list);
	free(j->arrows);
	free(j->lanes);
	free(j);
}

size_t jumps_columns(const struct jumps *j)
{
	return j->nr ? j->nr_lanes + 2 : 0;
}

/* Whether the arrow begins or ends at instruction i. */
static bool touches(const struct jumps *j, const struct arrow *a, size_t i)
{
	const struct blocks_instruction *to = target_of(j->f, i);

	return a->target == i || (to && (size_t)(to - j->f->list) == a->target);
}

static char corner(const struct arrow *a, size_t i)
{
	if (a->low == a->high)
		return '-';
	return i == a->low ? '/' : i == a->high ? '\\' : '+';
}

void jumps_beside(const struct jumps *j, size_t i, char text[JUMPS_WIDTH + 1])
{
	const struct blocks_instruction *to = target_of(j->f, i);
	size_t columns = jumps_columns(j), end = j->nr_lanes;
	bool line = false, leaves = false;

	memset(text, ' ', columns);
	text[columns] = '\0';
	if (!columns)
		return;
	/* The first lane is the one beside the instruction. */
	for (size_t column = 0; column < end; column++) {
		uint32_t number = j->lanes[i][end - 1 - column];
		const struct arrow *a = number ? &j->arrows[number - 1] : NULL;

		if (a && touches(j, a, i)) {
			text[column] = corner(a, i);
			line = true;
			if (a->target == i)
				text[end + 1] = '>';
			leaves |= to && (size_t)(to - j->f->list) == a->target;
		} else if (a) {
			text[column] = '|';
		} else if (line) {
			text[column] = '-';
		}
	}
	if (line)
		text[end] = '-';
	if (line && text[end + 1] != '>')
		text[end + 1] = '-';
	if (to && !leaves && text[end + 1] != '>')
		text[end + 1] = to > &j->f->list[i] ? 'v' : '^';
}

void jumps_above(const struct jumps *j, size_t i, char text[JUMPS_WIDTH + 1])
{
	size_t columns = jumps_columns(j);

	memset(text, ' ', columns);
	text[columns] = '\0';
	for (size_t lane = 0; columns && i && lane < j->nr_lanes; lane++)
		if (j->lanes[i][lane] && j->lanes[i][lane] == j->lanes[i - 1][lane])
			text[j->nr_lanes - 1 - lane] = '|';
}
