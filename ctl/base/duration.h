/* SPDX-License-Identifier: GPL-2.0 */
/* The durations of all options. */
#ifndef LBRCTL_BASE_DURATION_H
#define LBRCTL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#define DURATION_MS	1000000ULL	/* ns */

/* What an error message says of a duration. */
#define DURATION_UNITS	"ns, us, ms, s, m, h or d"

/* Parses a number with one of DURATION_UNITS ("100us", "10m"), or "0", into ns. A number
 * without a unit counts `plain` ns; 0: it is refused. Returns whether it is a duration;
 * *ns is left alone if not. */
bool duration_parse(const char *text, uint64_t plain, uint64_t *ns);

#endif
