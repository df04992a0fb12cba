/* SPDX-License-Identifier: GPL-2.0 */
/* perf's names of the events that Linux counts. */
#ifndef LBRCTL_PMU_SOFTWARE_H
#define LBRCTL_PMU_SOFTWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the event, without modifiers, and writes its PERF_COUNT_SW_*. Returns false if perf has no such name. */
bool software_find(const char *name, uint64_t *config);

/* Returns the name of event i, counted from 0; NULL: there are no more. */
const char *software_name(size_t i);

#endif
