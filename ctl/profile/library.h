/* SPDX-License-Identifier: GPL-2.0 */
/* What analyses of successive captures of one machine share: its files, the answers about their
 * code, and the names of their functions. Bounded; begins anew when it has become large. */
#ifndef LBRCTL_PROFILE_LIBRARY_H
#define LBRCTL_PROFILE_LIBRARY_H

#include "profile/symbols.h"
#include "stacks/recorded.h"

struct library;

/* Returns NULL with the reason printed. */
struct library *library_new(void);
/* Only after the analysis that used it last. */
void library_free(struct library *library);

/* Returns what a new analysis begins with. The one before must have been freed. NULL with the
 * reason printed. */
struct recorded *library_recorded(struct library *library);
/* Returns the symbols for it, with the options of the first analysis but these call targets. NULL
 * when memory is short. */
struct symbols *library_symbols(struct library *library, const struct symbols_options *options);

#endif
