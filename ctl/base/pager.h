/* SPDX-License-Identifier: GPL-2.0 */
/* Shows long output through a pager on a terminal. */
#ifndef LBRCTL_BASE_PAGER_H
#define LBRCTL_BASE_PAGER_H

#include <stddef.h>

/* From here on, output to a terminal goes through $PAGER (default: less). Does nothing if
 * stdout is not a terminal or the pager cannot be started. */
void pager_start(void);

/* Returns the columns of the terminal that shows the output, through a pager or not; 0: it goes
 * elsewhere. */
size_t pager_columns(void);

/* Closes stdout and waits until the user leaves the pager. */
void pager_end(void);

#endif
