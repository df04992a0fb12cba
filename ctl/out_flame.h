/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_OUT_FLAME_H
#define LBRCTL_OUT_FLAME_H

#include "analysis.h"

/* Writes the profile as one self-contained HTML page to path. A page appears there
 * whole or not at all. 0, or -1 with the reason printed. */
int out_flame_write(const struct analysis *analysis, const char *path);

#endif
