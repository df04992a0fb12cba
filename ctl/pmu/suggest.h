/* SPDX-License-Identifier: GPL-2.0 */
/* Names events that are similar to a misspelled one. */
#ifndef LBRCTL_PMU_SUGGEST_H
#define LBRCTL_PMU_SUGGEST_H

#include <stddef.h>

/* Returns what lbrctl has in place of one of perf's events that are not the PMU's, a sentence; NULL: it is
 * none of these. */
const char *events_of_perf(const char *name);

/* Writes up to three names of events of this CPU with a spelling similar to name, separated by
 * ", "; or "". libpfm4 must be initialized. */
void events_near(const char *name, char *out, size_t size);

#endif
