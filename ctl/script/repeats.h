/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches the printed stacks of samples that are recorded again and again. A stack is kept from its second
 * time on, and only where enough of them repeat. Bounded; emptied when full.
 */
#ifndef LBRCTL_SCRIPT_REPEATS_H
#define LBRCTL_SCRIPT_REPEATS_H

#include <stddef.h>
#include <stdint.h>

struct script_repeats;

/* Returns NULL when memory is short. */
struct script_repeats *script_repeats_new(void);
void script_repeats_free(struct script_repeats *repeats);

/* Returns the text of a sample with these words (recorded_words()), valid until the next call; NULL: it is
 * not known. Then script_repeats_add() takes its pieces, and script_repeats_end() completes it. */
const char *script_repeats_find(struct script_repeats *repeats, const uint64_t *words, size_t nr,
				size_t *size);
void script_repeats_add(struct script_repeats *repeats, const char *text, size_t size);
void script_repeats_end(struct script_repeats *repeats);

#endif
