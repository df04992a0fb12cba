// SPDX-License-Identifier: GPL-2.0
/* A table of strings. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "export/strings.h"

static uint64_t key(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x9e3779b97f4a7c15ULL;
	return hash_u64(hash);
}

size_t strings_number(struct strings *s, const char *text)
{
	uint64_t hash = key(text = text ? text : "");
	char *copy;

	if (hash_reserve(&s->index))
		goto err;
	hash_for_each(i, &s->index, hash)
		if (!strcmp(s->list[i], text))
			return i;
	if (room_for(&s->list, s->index.used + 1, &s->max, sizeof(*s->list)) ||
	    !(copy = strdup(text)))
		goto err;
	s->list[s->index.used] = copy;
	return hash_put(&s->index, hash);
err:
	s->failed = true;
	return 0;
}

void strings_free(struct strings *s)
{
	for (size_t i = 0; i < s->index.used; i++)
		free(s->list[i]);
	free(s->list);
	hash_free(&s->index);
}
