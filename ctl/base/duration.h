/* SPDX-License-Identifier: GPL-2.0 */
/* The durations of all options. */
#ifndef LBRCTL_BASE_DURATION_H
#define LBRCTL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_MS	1000000ULL	/* ns */

/* The units, for error messages. */
#define DURATION_UNITS	"ns, us, ms, s, m, h or d"

/* Parses a number with one of DURATION_UNITS ("100us", "10m"), or "0", into ns. A number
 * without a unit counts `plain` ns; with plain 0 it is refused. Returns whether the text is a
 * duration; if not, *ns is unchanged. */
bool duration_parse(const char *text, uint64_t plain, uint64_t *ns);

#endif
