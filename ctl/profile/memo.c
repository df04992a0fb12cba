// SPDX-License-Identifier: GPL-2.0
/* Cache from a sample's raw words to its tally entry. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/memo.h"

#define MOST_WORDS	(4UL << 20)	/* 32 MiB */
#define MOST_ENTRIES	(1UL << 18)
/* After TRIAL lookups of which fewer than an eighth found their words, the next REST ones are not worth it. */
#define TRIAL		(1U << 16)
#define TRIAL_SHARE	8
#define REST		(8 * TRIAL)

struct kept {
	uint64_t hash;
	uint32_t at, nr;		/* memo.words[at..at+nr) */
	struct memo_entry entry;
};

struct memo {
	uint64_t *words;
	struct kept *kept;
	struct hash index;
	size_t nr_words;
	uint32_t asked, found;		/* of this trial */
	uint32_t rest;			/* lookups left of the rest */
};

/* Hashes two halves in parallel: a multiplication has a longer latency than throughput. */
static uint64_t words_hash(const uint64_t *words, size_t nr)
{
	const uint64_t factor = 0x9e3779b97f4a7c15ULL;
	uint64_t even = nr, odd = factor;
	size_t i;

	for (i = 0; i + 1 < nr; i += 2) {
		even = (even ^ words[i]) * factor;
		even ^= even >> 32;
		odd = (odd ^ words[i + 1]) * factor;
		odd ^= odd >> 32;
	}
	if (i < nr)
		even = (even ^ words[i]) * factor;
	return hash_u64(even ^ (odd << 1 | odd >> 63));
}

static void forget(struct memo *m)
{
	hash_empty(&m->index);
	m->nr_words = 0;
}

static void count_lookup(struct memo *m, bool found)
{
	m->found += found;
	if (++m->asked < TRIAL)
		return;
	m->rest = m->found < TRIAL / TRIAL_SHARE ? REST : 0;
	m->asked = m->found = 0;
}

bool memo_rests(struct memo *m)
{
	return m->rest && m->rest--;
}

struct memo_entry *memo_entry(struct memo *m, const uint64_t *words, size_t nr)
{
	uint64_t hash = words_hash(words, nr);
	struct kept *kept;

	if (hash_reserve(&m->index))
		return NULL;
	hash_for_each(i, &m->index, hash) {
		kept = &m->kept[i];
		if (kept->hash == hash && kept->nr == nr &&
		    !memcmp(m->words + kept->at, words, nr * sizeof(*words))) {
			count_lookup(m, true);
			return &kept->entry;
		}
	}
	count_lookup(m, false);
	if (m->index.used == MOST_ENTRIES || nr > MOST_WORDS - m->nr_words) {
		forget(m);
		if (nr > MOST_WORDS)
			nr = 0;
	}
	kept = &m->kept[hash_put(&m->index, hash)];
	*kept = (struct kept){ .hash = hash, .at = m->nr_words, .nr = nr };
	memcpy(m->words + m->nr_words, words, nr * sizeof(*words));
	m->nr_words += nr;
	return &kept->entry;
}

/* Reserves address space for the maximum; only the used part takes memory. */
struct memo *memo_new(void)
{
	struct memo *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->words = malloc(MOST_WORDS * sizeof(*m->words));
	m->kept = malloc(MOST_ENTRIES * sizeof(*m->kept));
	if (m->words && m->kept)
		return m;
	memo_free(m);
	return NULL;
}

void memo_free(struct memo *m)
{
	if (!m)
		return;
	free(m->words);
	free(m->kept);
	hash_free(&m->index);
	free(m);
}
