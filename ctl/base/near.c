// SPDX-License-Identifier: GPL-2.0
/* Compares words by the letters that have to be changed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"

#define NEAR_MAX_LEN	63

/* Edits (insert, drop, replace a letter) from a to b, letter case ignored. */
static unsigned int near_distance(const char *a, const char *b)
{
	unsigned char row[NEAR_MAX_LEN + 1];
	size_t lb = strnlen(b, NEAR_MAX_LEN), i, j;
	unsigned char diagonal, above, best;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 0; a[i] && i < NEAR_MAX_LEN; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 0; j < lb; j++) {
			above = row[j + 1];
			best = diagonal + (toupper((unsigned char)a[i]) !=
					   toupper((unsigned char)b[j]));
			if (above + 1 < best)
				best = above + 1;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			row[j + 1] = best;
			diagonal = above;
		}
	}
	return row[lb];
}

void near_offer(struct near *n, const char *word)
{
	unsigned int distance = near_distance(n->word, word);
	size_t i = 0;

	if (distance > strlen(n->word) / 3 + 1 || 2 * distance > strlen(n->word))
		return;
	for (size_t other = 0; other < NEAR_NR; other++)
		if (n->best[other].word && !strcmp(n->best[other].word, word))
			return;
	while (i < NEAR_NR && n->best[i].word && n->best[i].distance <= distance)
		i++;
	if (i == NEAR_NR)
		return;
	for (size_t j = NEAR_NR - 1; j > i; j--)
		n->best[j] = n->best[j - 1];
	n->best[i] = (struct near_best){ word, distance };
}

void near_text(const struct near *n, const char *prefix, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < NEAR_NR && n->best[i].word && at < size; i++)
		at += snprintf(text + at, size - at, "%s%s%s", i ? ", " : "", prefix,
			       n->best[i].word);
}
