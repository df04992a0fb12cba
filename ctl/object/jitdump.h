/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that a program makes at run time, as described in its jit-PID.dump, the format of
 * perf inject --jit (tools/perf/Documentation/jitdump-specification.txt in Linux). The program
 * maps the file executable when it opens it, so that its name is in the capture.
 *
 * A piece of code is identified by the position of its bytes in the file, since addresses are
 * reused.
 */
#ifndef LBRCTL_OBJECT_JITDUMP_H
#define LBRCTL_OBJECT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jitdump;
struct machine;

struct jitdump_code {
	uint64_t start, end;	/* offsets in the file */
	const char *name;	/* as the file spells it; owned by the jitdump */
};

/* From time on the code that begins at offset `at` is in memory from start to end. */
struct jitdump_load {
	uint64_t time;		/* ns of CLOCK_MONOTONIC */
	uint64_t start, end, at;
};

/* Whether a file of that name is a jitdump, by perf's convention. */
bool jitdump_is_name(const char *path);

/* Reads the file as process pid sees it (0: as lbrctl does), up to the first damage. NULL: it
 * does not exist or is no jitdump, it does not belong to the process `writer` (see
 * machine_own_stream()), its times are of another clock, or memory is short. */
struct jitdump *jitdump_open(const struct machine *machine, uint32_t pid, const char *path,
			     uint32_t writer);
void jitdump_close(struct jitdump *dump);

/* Returns load number n (from 0) in order of time; NULL behind the last one. */
const struct jitdump_load *jitdump_load(const struct jitdump *dump, size_t n);

/* Returns the piece of code at an offset of the file, or NULL. */
const struct jitdump_code *jitdump_find(const struct jitdump *dump, uint64_t at);

/* Reads the code at an offset of the file, up to the end of the piece. Returns the bytes read. */
size_t jitdump_read(const struct jitdump *dump, uint64_t at, unsigned char *bytes, size_t size);

#endif
