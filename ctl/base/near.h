/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the words that a misspelled one may stand for. */
#ifndef LBRCTL_BASE_NEAR_H
#define LBRCTL_BASE_NEAR_H

#include <stddef.h>

#define NEAR_NR		3	/* words that are kept */

/* The most similar of the words offered so far. Start with the word and all else 0. */
struct near {
	const char *word;	/* the misspelled one */
	struct near_best {
		const char *word;	/* NULL: none */
		unsigned int distance;
	} best[NEAR_NR];
};

/* Keeps a word, which must outlive the search, if it is among the most similar ones: at most a
 * third of the letters and one, and no more than half, may differ. */
void near_offer(struct near *near, const char *word);

/* Writes the kept words, the most similar first, each behind prefix, separated by ", "; or "". */
void near_text(const struct near *near, const char *prefix, char *text, size_t size);

#endif
