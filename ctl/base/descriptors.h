/* SPDX-License-Identifier: GPL-2.0 */
/* The number of files that this process may have open. */
#ifndef LBRCTL_BASE_DESCRIPTORS_H
#define LBRCTL_BASE_DESCRIPTORS_H

#include <stdbool.h>

/* Raises the limit as far as it goes without privilege. Programs started later inherit it. Returns whether it
 * is a higher one now. */
bool descriptors_raise(void);

#endif
