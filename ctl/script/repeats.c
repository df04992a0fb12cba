// SPDX-License-Identifier: GPL-2.0
/* The printed stacks of samples by their words. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/memo.h"
#include "script/repeats.h"

#define MOST_TEXT	(16UL << 20)

struct repeat {
	size_t at, size;		/* script_repeats.text[at..at + size) */
};

struct script_repeats {
	struct memo *memo;		/* memo_entry.number: index + 1 in the list; 0: not kept */
	struct memo_entry *entry;	/* of the text that is being added; NULL: it is not kept */
	struct repeat *list;
	char *text;
	size_t begin;			/* of the text that is being added */
	size_t nr, size, max, max_text;
};

/* Returns 0, or -1 when memory is short. */
static int forget(struct script_repeats *r)
{
	memo_free(r->memo);
	r->memo = memo_new();
	r->entry = NULL;
	r->nr = r->size = 0;
	return r->memo ? 0 : -1;
}

const char *script_repeats_find(struct script_repeats *r, const uint64_t *words, size_t nr,
				size_t *size)
{
	struct memo_entry *entry = r->memo && nr && !memo_rests(r->memo) ? memo_entry(r->memo, words, nr) : NULL;

	r->entry = NULL;
	if (!entry)
		return NULL;
	if (entry->number) {
		*size = r->list[entry->number - 1].size;
		return r->text + r->list[entry->number - 1].at;
	}
	if (entry->noted)
		r->entry = entry;
	entry->noted = true;
	r->begin = r->size;
	return NULL;
}

void script_repeats_add(struct script_repeats *r, const char *text, size_t size)
{
	if (!r->entry)
		return;
	if (size > MOST_TEXT - r->size || room_for(&r->text, r->size + size, &r->max_text, 1)) {
		forget(r);
		return;
	}
	memcpy(r->text + r->size, text, size);
	r->size += size;
}

void script_repeats_end(struct script_repeats *r)
{
	if (!r->entry || room_for(&r->list, r->nr + 1, &r->max, sizeof(*r->list)))
		return;
	r->list[r->nr++] = (struct repeat){ r->begin, r->size - r->begin };
	r->entry->number = r->nr;
	r->entry = NULL;
}

struct script_repeats *script_repeats_new(void)
{
	struct script_repeats *r = calloc(1, sizeof(*r));

	if (r && !forget(r))
		return r;
	script_repeats_free(r);
	return NULL;
}

void script_repeats_free(struct script_repeats *r)
{
	if (!r)
		return;
	memo_free(r->memo);
	free(r->list);
	free(r->text);
	free(r);
}
