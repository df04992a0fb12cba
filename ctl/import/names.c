// SPDX-License-Identifier: GPL-2.0
/* Keeps names of functions. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "import/names.h"

static uint64_t hash_of(const char *text, uint64_t start)
{
	return hash_add(hash_text(text), start);
}

struct name *names_find(const struct names *names, const char *text, uint64_t start)
{
	hash_for_each(i, &names->index, hash_of(text, start))
		if (names->list[i].start == start && !strcmp(names->list[i].text, text))
			return &names->list[i];
	return NULL;
}

struct name *names_add(struct names *names, const char *text, uint64_t start, uint64_t end)
{
	struct name *name = names_find(names, text, start);
	char *copy;

	if (name) {
		name->end = end > name->end ? end : name->end;
		return name;
	}
	copy = strdup(text);
	if (!copy || hash_reserve(&names->index) ||
	    room_for(&names->list, names->index.used + 1, &names->max, sizeof(*names->list))) {
		free(copy);
		err_fail("out of memory");
		return NULL;
	}
	names->list[names->index.used] = (struct name){ start, end, copy };
	return &names->list[hash_put(&names->index, hash_of(text, start))];
}

static int by_start(const void *x, const void *y)
{
	const struct name *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

size_t names_sort(struct names *names, size_t *conflicts)
{
	const size_t nr = names->index.used;
	size_t kept = 0;

	*conflicts = 0;
	if (nr)
		qsort(names->list, nr, sizeof(*names->list), by_start);
	for (size_t i = 0; i < nr; i++) {
		struct name *last = kept ? &names->list[kept - 1] : NULL;

		if (last && last->start == names->list[i].start) {
			last->end = names->list[i].end > last->end ? names->list[i].end : last->end;
			free(names->list[i].text);
			continue;
		}
		if (last && last->end > names->list[i].start) {
			last->end = names->list[i].start;
			++*conflicts;
		}
		names->list[kept++] = names->list[i];
	}
	names->index.used = kept;
	return kept;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->index.used; i++)
		free(names->list[i].text);
	free(names->list);
	hash_free(&names->index);
}
