/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_BASE_DURATION_H
#define LBRCTL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* Parses "100us", or "0", into ns. Returns whether it is a duration. */
bool duration_parse(const char *text, uint64_t *ns);

#endif
