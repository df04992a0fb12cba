/* SPDX-License-Identifier: GPL-2.0 */
/* The keys and what they do. */
#ifndef LBRCTL_BROWSE_HELP_H
#define LBRCTL_BROWSE_HELP_H

#include <stdbool.h>
#include <stddef.h>

/* live: of lbrctl top. */
size_t help_lines(bool live);
const char *help_line(size_t i);

#endif
