/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_HOLDERS_H
#define LBRCTL_HOLDERS_H

#include <stddef.h>

/* Writes one sentence, without a full stop, on who may hold the PMU, and what
 * to do about it. The kernel keeps no record of that: these are the processes
 * that could. */
void holders_describe(char *out, size_t size);

#endif
