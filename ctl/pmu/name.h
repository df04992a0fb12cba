/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the name of libpfm4 for an event select. */
#ifndef LBRCTL_PMU_NAME_H
#define LBRCTL_PMU_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds libpfm4's name on this CPU for an event select, "EVENT:UMASK" or "EVENT": of the event
 * with the same edge, inv and cmask, else of one without these. Returns false if there is
 * none.
 */
bool events_name(uint64_t select, char *name, size_t size);

#endif
