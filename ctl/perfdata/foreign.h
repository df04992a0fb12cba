/* SPDX-License-Identifier: GPL-2.0 */
/* Files that people take for captures. */
#ifndef LBRCTL_PERFDATA_FOREIGN_H
#define LBRCTL_PERFDATA_FOREIGN_H

#include <stddef.h>

/* Says of a file that is no perf.data of version 2 what it is, and what to do. Returns -1. */
int foreign_refuse(const char *path, const unsigned char *bytes, size_t size);

#endif
