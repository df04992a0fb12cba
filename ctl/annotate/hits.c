// SPDX-License-Identifier: GPL-2.0
/* Adds up samples by address and by function. */
#include <stdlib.h>

#include "annotate/hits.h"
#include "base/grow.h"
#include "base/search.h"

static void sum_add(struct share_sum *sum, struct share_sum more)
{
	sum->sum += more.sum;
	sum->squares += more.squares;
}

static void place_add(struct hits_place *p, uint64_t weight)
{
	p->samples++;
	if (__builtin_add_overflow(p->weight, weight, &p->weight))
		p->weight = UINT64_MAX;
	sum_add(&p->sum, (struct share_sum){ weight, (double)weight * weight });
}

int hits_add(struct hits *c, struct place place, uint64_t weight)
{
	uint64_t hash = hash_u64(maps_place_key(place));

	if (hash_reserve(&c->index) ||
	    room_for(&c->places, c->nr + 1, &c->max, sizeof(*c->places)))
		return -1;
	hash_for_each(i, &c->index, hash)
		if (maps_same_place(c->places[i].place, place)) {
			place_add(&c->places[i], weight);
			return 0;
		}
	c->places[c->nr] = (struct hits_place){ .place = place };
	place_add(&c->places[c->nr++], weight);
	hash_put(&c->index, hash);
	return 0;
}

/* As in a report, the innermost function, which may be inlined, has to pass the filter. */
static bool meant(struct symbols *symbols, const struct filter *filter, struct place place)
{
	const struct symbols_function *f;
	const struct symbols_frame *list;
	size_t nr;

	if (!filter_has_frames(filter))
		return true;
	list = symbols_frames(symbols, place, &nr);
	f = symbols_function(symbols, list[nr - 1].function);
	return filter_frame(filter, f->name, f->object);
}

static int place_compare(const void *x, const void *y)
{
	const struct hits_place *a = x, *b = y;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->place.addr < b->place.addr ? -1 : a->place.addr > b->place.addr;
}

/* Sorts equal functions by their places, so that the order is always the same. */
static int function_compare(const void *x, const void *y)
{
	const struct hits_function *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static uint64_t weight_sum(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static void function_add(struct hits *c, const struct hits_place *p)
{
	struct hits_function *f = c->functions + c->nr_functions - 1;

	if (!c->nr_functions || f->function != p->function) {
		f = &c->functions[c->nr_functions++];
		*f = (struct hits_function){ .function = p->function, .places = p };
	}
	f->nr++;
	f->samples += p->samples;
	f->weight = weight_sum(f->weight, p->weight);
	sum_add(&f->sum, p->sum);
	c->samples += p->samples;
	c->weight = weight_sum(c->weight, p->weight);
	sum_add(&c->all, p->sum);
}

int hits_finish(struct hits *c, struct symbols *symbols, const struct filter *filter)
{
	size_t kept = 0;

	hash_free(&c->index);
	for (size_t i = 0; i < c->nr; i++) {
		struct hits_place p = c->places[i];

		if (!meant(symbols, filter, p.place))
			continue;
		p.function = symbols_find(symbols, p.place);
		c->places[kept++] = p;
	}
	c->nr = kept;
	c->functions = calloc(c->nr + 1, sizeof(*c->functions));
	if (!c->functions)
		return -1;
	if (c->nr)
		qsort(c->places, c->nr, sizeof(*c->places), place_compare);
	for (size_t i = 0; i < c->nr; i++)
		function_add(c, &c->places[i]);
	qsort(c->functions, c->nr_functions, sizeof(*c->functions), function_compare);
	return 0;
}

void hits_free(struct hits *c)
{
	free(c->places);
	free(c->functions);
	hash_free(&c->index);
}

struct hits_place hits_between(const struct hits_function *f, uint64_t start, uint64_t end)
{
	struct hits_place sum = { .function = f->function };
	size_t i = search_front(f->nr, n, f->places[n].place.addr < start);

	for (; i < f->nr && f->places[i].place.addr < end; i++) {
		const struct hits_place *p = &f->places[i];

		sum.samples += p->samples;
		sum.weight = weight_sum(sum.weight, p->weight);
		sum_add(&sum.sum, p->sum);
	}
	return sum;
}
