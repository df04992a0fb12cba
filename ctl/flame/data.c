// SPDX-License-Identifier: GPL-2.0
/* Writes the data of the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "flame/columns.h"
#include "flame/data.h"

#define US	1000		/* ns */

int flame_data_make(struct flame_data *d, const struct flame *first, enum out_flame_mode mode)
{
	size_t nr = 0;

	*d = (struct flame_data){ .first = first, .mode = mode };
	for (const struct flame *f = first; f; f = f->next)
		nr++;
	d->samples = calloc(nr, sizeof(*d->samples));
	if (!d->samples)
		return -1;
	for (const struct flame *f = first; f; f = f->next) {
		d->nr++;
		for (unsigned int i = 0; i < f->nr_sides; i++)
			if (flame_samples_make(&d->samples[d->nr - 1][i], f, i, &d->threads))
				return -1;
	}
	return 0;
}

void flame_data_free(struct flame_data *d)
{
	for (size_t i = 0; i < d->nr; i++)
		for (unsigned int side = 0; side < 2; side++)
			flame_samples_free(&d->samples[i][side]);
	free(d->samples);
	flame_threads_free(&d->threads);
}

/* The weight of each sample of a side; 0: it varies. */
static double side_each(const struct flame_side *side)
{
	return side->each ? side->each : side->analysis->period;
}

/* The unit that the squares are rounded to, a small part of their mean. */
static double side_square(const struct flame_side *side)
{
	const struct analysis *a = side->analysis;

	return a->nr_samples ? a->squares_sum / a->nr_samples / 64 : 0;
}

static void put_squares(FILE *out, const struct flame_side *side, double squares)
{
	const double square = side_square(side);

	columns_put(out, square ? llround(squares / square) : 0);
}

/* Two captures have two clocks. */
static bool has_cells(const struct flame_data *d, const struct flame_side *side)
{
	return d->mode != OUT_FLAME_DIFF && side->analysis->last_time;
}

/* Returns the time of the first sample of all sides, in µs, where slices of all sides begin. */
static uint64_t start_of(const struct flame_data *d)
{
	uint64_t start = UINT64_MAX, slice = 1;

	for (const struct flame *f = d->first; f; f = f->next)
		for (unsigned int i = 0; i < f->nr_sides; i++) {
			const struct moments *m = &f->sides[i].analysis->moments;

			if (has_cells(d, &f->sides[i]) && m->nr && m->list[0].time / US < start)
				start = m->list[0].time / US;
			if (m->slice / US > slice)
				slice = m->slice / US;
		}
	/* The slices are powers of two of the smallest one. */
	return start == UINT64_MAX ? 0 : start - start % slice;
}

static bool has_concluded(const struct flame *f)
{
	const struct analysis *a = f->sides[0].analysis;

	return f->nr_sides == 1 && (a->unwound || a->pointed || a->stitched);
}

static void put_tree(FILE *out, const struct flame *f)
{
	uint32_t n = 0, before = 0;

	do {
		const struct flame_node *node = &f->nodes[n];

		columns_put(out, n ? f->nodes[before].depth + 1 - node->depth : 0);
		columns_put(out, n ? node->entry + 1ULL : 0);
		before = n;
	} while ((n = flame_next(f, n)));
}

static void put_traces(FILE *out, const struct flame_samples *samples,
		       const struct flame_side *side, bool cells)
{
	for (size_t i = 0; i < samples->nr; i++) {
		const struct flame_trace *t = &samples->list[i];

		columns_put(out, t->node);
		columns_put(out, t->thread);
		columns_put(out, t->cpu);
		columns_put(out, t->verdict);
		columns_put(out, t->concluded);
		if (side->analysis->offcpu)
			columns_put(out, t->up);
		if (cells)
			continue;
		columns_put(out, t->samples);
		if (side_each(side))
			continue;
		columns_put(out, t->period);
		put_squares(out, side, t->squares);
	}
}

static void put_cells(FILE *out, const struct flame_samples *samples,
		      const struct flame_side *side, uint64_t start)
{
	const struct moments *moments = &side->analysis->moments;
	const uint64_t unit = moments->slice ? moments->slice / US : 1;
	uint64_t time = start, weight = 0;

	for (size_t i = 0; i < moments->nr; i++) {
		const struct moment *m = &moments->list[i];
		const uint64_t at = m->time / US;

		columns_put(out, (at - time) / unit);
		time += (at - time) / unit * unit;
		columns_put(out, samples->of[m->trace]);
		if (moments->slice)
			columns_put(out, m->samples);
		if (side_each(side))
			continue;
		columns_put_difference(out, weight, m->period);
		weight = m->period;
		if (moments->slice)
			put_squares(out, side, m->squares);
	}
}

static void put_side(struct json *j, const struct flame_data *d,
		     const struct flame_samples *samples, const struct flame_side *side,
		     uint64_t start)
{
	const struct analysis *a = side->analysis;
	const bool cells = has_cells(d, side);

	json_object(j, NULL);
	json_real(j, "each", side_each(side), JSON_EXACT);
	json_real(j, "square", side_square(side), JSON_EXACT);
	json_bool(j, "ns", d->mode == OUT_FLAME_HOT_COLD || a->offcpu);
	json_bool(j, "off", a->offcpu);
	json_bool(j, "cpus", analysis_has_cpu(a));
	json_unsigned(j, "traces", samples->nr);
	json_line(j);
	json_string_open(j, "trace");
	put_traces(j->out, samples, side, cells);
	json_string_close(j);
	json_unsigned(j, "cells", cells ? a->moments.nr : 0);
	json_unsigned(j, "slice", a->moments.slice / US);
	json_line(j);
	json_string_open(j, "cell");
	if (cells)
		put_cells(j->out, samples, side, start);
	json_string_close(j);
	json_close(j);
}

/* Tests the last object first: functions of one object usually follow each other. */
static void put_entries(struct json *j, const struct flame *f)
{
	const char *object = NULL;
	size_t nr = 0;

	json_line(j);
	json_array(j, "objects");
	for (size_t i = 0; i < f->nr_entries; i++) {
		const char *own = f->entries[i]->object ? f->entries[i]->object : "";

		if (object && !strcmp(own, object))
			continue;
		json_text(j, NULL, own);
		json_line(j);
		object = own;
	}
	json_close(j);
	json_line(j);
	json_array(j, "entries");
	object = NULL;
	for (size_t i = 0; i < f->nr_entries; i++) {
		const struct profile_entry *e = f->entries[i];
		const char *own = e->object ? e->object : "";

		nr += !object || strcmp(own, object);
		object = own;
		json_array(j, NULL);
		json_text(j, NULL, e->name);
		json_unsigned(j, NULL, nr - 1);
		json_unsigned(j, NULL, flame_kind(e));
		json_close(j);
		json_line(j);
	}
	json_close(j);
}

static void put_graph(struct json *j, const struct flame_data *d, const struct flame *f,
		      const struct flame_samples *samples, uint64_t start)
{
	json_line(j);
	json_object(j, NULL);
	json_text(j, "event", f->sides[f->nr_sides - 1].analysis->event);
	json_unsigned(j, "nodes", f->nr_nodes);
	json_bool(j, "concluded", has_concluded(f));
	json_array(j, "sides");
	for (unsigned int i = 0; i < f->nr_sides; i++)
		put_side(j, d, &samples[i], &f->sides[i], start);
	json_close(j);
	put_entries(j, f);
	json_line(j);
	json_string_open(j, "tree");
	put_tree(j->out, f);
	json_string_close(j);
	json_close(j);
}

static void put_threads(struct json *j, const struct flame_threads *threads)
{
	json_array(j, "threads");
	for (size_t i = 0; i < threads->index.used; i++) {
		const struct flame_thread *t = &threads->list[i];

		json_array(j, NULL);
		json_unsigned(j, NULL, t->pid);
		json_unsigned(j, NULL, t->tid);
		json_text(j, NULL, t->comm);
		json_close(j);
		json_line(j);
	}
	json_close(j);
}

static void put_losses(struct json *j, const struct samples *samples, uint64_t time)
{
	size_t nr;
	const struct samples_loss *list = samples_each_loss(samples, &nr);

	json_string_open(j, "losses");
	for (size_t i = 0; i < nr; i++) {
		columns_put_difference(j->out, time, list[i].time / US);
		time = list[i].time / US;
		columns_put(j->out, list[i].lost.samples);
		columns_put(j->out, list[i].lost.records);
	}
	json_string_close(j);
}

static void put_marks(struct json *j, const struct samples *samples, uint64_t time)
{
	size_t nr;
	const struct samples_mark *list = samples_each_mark(samples, &nr);

	json_string_open(j, "marks");
	for (size_t i = 0; i < nr; i++) {
		columns_put_difference(j->out, time, list[i].time / US);
		time = list[i].time / US;
		columns_put(j->out, list[i].cpu);
		columns_put(j->out, list[i].action.stretch);
	}
	json_string_close(j);
}

static void put_codes(struct json *j, const struct flame_codes *codes)
{
	json_array(j, "code");
	for (size_t i = 0; i < codes->nr; i++) {
		json_array(j, NULL);
		json_text(j, NULL, codes->list[i].name);
		json_text(j, NULL, codes->list[i].object);
		json_text(j, NULL, codes->list[i].text);
		json_close(j);
		json_line(j);
	}
	json_close(j);
}

void flame_data_put(FILE *out, const struct flame_data *d)
{
	static const char *const modes[] = { "single", "hotcold", "diff" };
	const struct analysis *a = d->first->sides[0].analysis;
	struct json j = json_to(out);
	const uint64_t start = start_of(d);
	size_t nr = 0;

	json_object(&j, NULL);
	json_text(&j, "mode", modes[d->mode]);
	json_unsigned(&j, "start", start);
	json_array(&j, "verdicts");
	for (int i = 0; i < STACKS_NR_VERDICTS; i++)
		json_text(&j, NULL, stacks_verdict_name(i));
	json_close(&j);
	json_line(&j);
	put_threads(&j, &d->threads);
	if (d->mode != OUT_FLAME_DIFF) {
		put_losses(&j, a->samples, start);
		put_marks(&j, a->samples, start);
	}
	put_codes(&j, d->codes);
	json_array(&j, "graphs");
	for (const struct flame *f = d->first; f; f = f->next)
		put_graph(&j, d, f, d->samples[nr++], start);
	json_close(&j);
	json_close(&j);
}
