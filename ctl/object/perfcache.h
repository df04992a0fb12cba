/* SPDX-License-Identifier: GPL-2.0 */
/* The recorded files that perf keeps: perf-buildid-cache(1). */
#ifndef LBRCTL_OBJECT_PERFCACHE_H
#define LBRCTL_OBJECT_PERFCACHE_H

#include <stddef.h>
#include <stdint.h>

/* Opens the copy of the file with this build id in ~/.debug. Returns a descriptor of a regular file; -1
 * if there is none. */
int perfcache_open(const uint8_t *id, size_t size);

#endif
