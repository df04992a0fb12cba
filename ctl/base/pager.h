/* SPDX-License-Identifier: GPL-2.0 */
/* Shows long output through a pager on a terminal. */
#ifndef LBRCTL_BASE_PAGER_H
#define LBRCTL_BASE_PAGER_H

/* From here on what goes to a terminal goes through $PAGER, less without it; nothing
 * happens where stdout is no terminal, or the pager cannot be had. */
void pager_start(void);

/* Waits until it was left. Stdout is at its end. */
void pager_end(void);

#endif
