/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that a program makes at run time, in the simple format: /tmp/perf-PID.map has a line
 * "START SIZE NAME" in hexadecimal for each function. Many JIT compilers write it for perf
 * (tools/perf/Documentation/jit-interface.txt in Linux). It has no times: where functions
 * overlap, the last one counts.
 */
#ifndef LBRCTL_OBJECT_PERFMAP_H
#define LBRCTL_OBJECT_PERFMAP_H

#include <stdint.h>
#include <stdio.h>

#define PERFMAP_PATH "/tmp/perf-%u.map"	/* The map of one process. */

struct machine;
struct perfmap;

struct perfmap_function {
	uint64_t start, end;	/* addresses */
	const char *name;	/* as the file spells it; owned by the map */
};

/* Reads the map of process pid: path here, or in the process's own file system. Invalid lines
 * are skipped. NULL: there is no such file, it is not the process's own (see machine_own_stream()), or
 * memory is short. */
struct perfmap *perfmap_open(const struct machine *machine, uint32_t pid, const char *path);
/* Opens that file. Returns NULL if it does not exist, or is not the process's own. */
FILE *perfmap_file(const struct machine *machine, uint32_t pid, const char *path);
void perfmap_close(struct perfmap *map);

/* Returns the function at an address, or NULL. */
const struct perfmap_function *perfmap_find(const struct perfmap *map, uint64_t address);

#endif
