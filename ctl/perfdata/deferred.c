// SPDX-License-Identifier: GPL-2.0
/* Joins samples with the user call chains that were taken later. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "perfdata/deferred.h"
#include "perfdata/parse.h"

/* Newer than the headers of Debian 12. */
#define RECORD_DEFERRED		22		/* PERF_RECORD_CALLCHAIN_DEFERRED */
#define CONTEXT_DEFERRED	(-640ULL)	/* PERF_CONTEXT_USER_DEFERRED */

#define WORD	8

struct deferred_chain {
	uint64_t cookie;
	const unsigned char *addresses;
	uint64_t nr;
};

bool deferred_is(const struct perfdata_sample *s)
{
	return s->chain_nr >= 2 &&
	       perfdata_u64(s->chain + WORD * (s->chain_nr - 2)) == CONTEXT_DEFERRED;
}

static int add(struct deferred *d, const unsigned char *record, uint64_t size)
{
	struct perfdata_window w = { record + sizeof(struct perf_event_header), record + size, false };
	struct deferred_chain chain = { .cookie = perfdata_take_u64(&w) };

	chain.nr = perfdata_take_u64(&w);
	chain.addresses = perfdata_take_array(&w, chain.nr, WORD);
	if (w.failed)
		return 0;
	if (room_for(&d->list, d->nr + 1, &d->max, sizeof(*d->list)))
		return -1;
	d->list[d->nr++] = chain;
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct deferred_chain *a = x, *b = y;

	if (a->cookie != b->cookie)
		return a->cookie < b->cookie ? -1 : 1;
	return a->addresses < b->addresses ? -1 : a->addresses > b->addresses;
}

/* The reader of the records says what is damaged. */
static int read_all(struct deferred *d, const unsigned char *data, uint64_t at, uint64_t end)
{
	struct perf_event_header header;
	const char *wrong;
	uint64_t size;

	d->read = true;
	while ((size = perfdata_record_size(data + at, end - at, &wrong))) {
		memcpy(&header, data + at, sizeof(header));
		if (header.type == RECORD_DEFERRED && add(d, data + at, header.size))
			return -1;
		at += size;
	}
	if (d->nr)
		qsort(d->list, d->nr, sizeof(*d->list), compare);
	return 0;
}

int deferred_join(struct deferred *d, const unsigned char *data, uint64_t begin, uint64_t end,
		  struct perfdata_sample *s)
{
	const uint64_t cookie = perfdata_u64(s->chain + WORD * (s->chain_nr - 1));
	const uint64_t user = PERF_CONTEXT_USER;
	const struct deferred_chain *chain;
	size_t own = s->chain_nr - 2, i;

	if (!d->read && read_all(d, data, begin, end))
		return -1;
	i = search_front(d->nr, n, d->list[n].cookie < cookie);
	chain = i < d->nr && d->list[i].cookie == cookie ? &d->list[i] : NULL;
	s->chain_nr = own;
	if (!chain || !chain->nr)
		return 0;
	if (room_for(&d->joined, WORD * (own + 1 + chain->nr), &d->room, 1))
		return -1;
	memcpy(d->joined, s->chain, WORD * own);
	/* The record's addresses begin with this as well. */
	memcpy(d->joined + WORD * own, &user, WORD);
	memcpy(d->joined + WORD * (own + 1), chain->addresses, WORD * chain->nr);
	s->chain = d->joined;
	s->chain_nr = own + 1 + chain->nr;
	return 0;
}

void deferred_free(struct deferred *d)
{
	free(d->list);
	free(d->joined);
}
