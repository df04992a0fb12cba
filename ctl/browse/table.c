// SPDX-License-Identifier: GPL-2.0
/* The functions of an event as lines of a table. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "browse/cells.h"
#include "browse/table.h"

/* Cells of the figures before the ratios, and of a ratio. */
#define TABLE_FIGURES	44
#define TABLE_RATIO	8
/* A name is not cut to fewer cells than this; wider ones leave room for the object. */
#define TABLE_NAME	16
#define TABLE_OBJECT_ROOM	18

static int compare_text(const struct picture_function *a, const struct picture_function *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : (int)a->kind - (int)b->kind;
}

static int falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* As the report does; the first column to differ decides. */
static int compare(const void *x, const void *y, void *ctx)
{
	const struct table *t = ctx;
	const struct picture_function *a = &t->event->functions[*(const uint32_t *)x];
	const struct picture_function *b = &t->event->functions[*(const uint32_t *)y];
	int order = t->sort == TABLE_TOTAL ? falling(a->total.period, b->total.period) :
		    t->sort == TABLE_SAMPLES ? falling(a->self.samples, b->self.samples) :
		    t->sort == TABLE_FUNCTION ? compare_text(a, b) :
		    t->sort == TABLE_OBJECT ? strcmp(a->object, b->object) : 0;

	if (!order)
		order = falling(a->self.period, b->self.period);
	if (!order)
		order = falling(a->total.period, b->total.period);
	return order ? order : compare_text(a, b);
}

int table_make(struct table *t, const struct picture_event *e, const char *search,
	       const char *object)
{
	free(t->rows);
	t->rows = calloc(e->index.used + 1, sizeof(*t->rows));
	t->event = e;
	t->nr = t->name_cells = 0;
	if (!t->rows)
		return -1;
	for (size_t i = 0; i < e->index.used; i++) {
		const struct picture_function *f = &e->functions[i];
		size_t cells;
		char *name;

		if (!f->total.samples || (*search && !strcasestr(f->name, search)) ||
		    (object && strcmp(f->object, object)))
			continue;
		t->rows[t->nr++] = i;
		name = report_name(f->name, false, 0);
		if (!name)
			return -1;
		cells = cells_of(name) + strlen(profile_kind_suffix(f->kind));
		free(name);
		if (cells > t->name_cells)
			t->name_cells = cells;
	}
	qsort_r(t->rows, t->nr, sizeof(*t->rows), compare, t);
	return 0;
}

void table_free(struct table *t)
{
	free(t->rows);
	t->rows = NULL;
	t->nr = 0;
}

static size_t ratio_cells(const struct report_ratio *ratio)
{
	const size_t cells = strlen(ratio->name) + 1;

	return cells > TABLE_RATIO ? cells : TABLE_RATIO;
}

/* The cells that the column of names takes on a screen of this width. */
static size_t name_width(const struct table *t, size_t width)
{
	size_t taken = TABLE_FIGURES + TABLE_OBJECT_ROOM, room;

	for (size_t i = 0; i < t->event->nr_ratios; i++)
		taken += ratio_cells(&t->event->ratios[i]);
	room = width > taken + TABLE_NAME ? width - taken : TABLE_NAME;
	return t->name_cells < TABLE_NAME ? TABLE_NAME :
	       t->name_cells < room ? t->name_cells : room;
}

static const char *title(const struct table *t, enum table_sort column)
{
	static const char *const titles[TABLE_NR_SORTS][2] = {
		[TABLE_SELF] = { "Self", "[Self]" },
		[TABLE_TOTAL] = { "Total", "[Total]" },
		[TABLE_SAMPLES] = { "Samples", "[Samples]" },
		[TABLE_FUNCTION] = { "Function", "[Function]" },
		[TABLE_OBJECT] = { "Object", "[Object]" },
	};

	return titles[column][t->sort == column];
}

void table_title(const struct table *t, size_t width, FILE *out)
{
	fprintf(out, "#%8s %6s %8s %6s %9s", title(t, TABLE_SELF), "+-", title(t, TABLE_TOTAL),
		"+-", title(t, TABLE_SAMPLES));
	for (size_t i = 0; i < t->event->nr_ratios; i++)
		fprintf(out, "%*s", (int)ratio_cells(&t->event->ratios[i]),
			t->event->ratios[i].name);
	fprintf(out, "  ");
	cells_pad(out, title(t, TABLE_FUNCTION), name_width(t, width));
	fprintf(out, " %s", title(t, TABLE_OBJECT));
}

static void put_share(FILE *out, const struct profile_weight *weight, struct share_sum all)
{
	fprintf(out, "%7.2f%% %6.2f ", 100 * share_of(picture_sum(weight), all),
		100 * share_margin(picture_sum(weight), all));
}

static void put_ratios(const struct table *t, size_t i, FILE *out)
{
	const struct picture_event *e = t->event;

	for (size_t n = 0; n < e->nr_ratios; n++) {
		double ratio = report_ratio(&e->ratios[n], e->counts + t->rows[i] * e->nr_counts);

		if (isnan(ratio))
			fprintf(out, "%*s", (int)ratio_cells(&e->ratios[n]), "-");
		else
			fprintf(out, "%*.2f", (int)ratio_cells(&e->ratios[n]), ratio);
	}
}

void table_line(const struct table *t, size_t i, size_t width, FILE *out)
{
	const struct picture_function *f = &t->event->functions[t->rows[i]];
	const struct share_sum all = picture_sum(&t->event->nodes[0].total);
	const size_t names = name_width(t, width), suffix = strlen(profile_kind_suffix(f->kind));
	const char *object = report_object(f->object);
	char *name = report_name(f->name, false, names - suffix);
	size_t cells = name ? cells_of(name) : 0;

	fputc(' ', out);
	put_share(out, &f->self, all);
	put_share(out, &f->total, all);
	fprintf(out, "%9" PRIu64, f->self.samples);
	put_ratios(t, i, out);
	fprintf(out, "  ");
	if (cells + suffix > names)
		cells = names - suffix;
	cells_pad(out, name ? name : "", cells);
	free(name);
	fprintf(out, "%s%*s ", profile_kind_suffix(f->kind), (int)(names - cells - suffix), "");
	cells_put(out, object, 0, strlen(object));
}
