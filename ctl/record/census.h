/* SPDX-License-Identifier: GPL-2.0 */
/* Reads mappings from /proc for a user who may not read perf's task events. */
#ifndef LBRCTL_RECORD_CENSUS_H
#define LBRCTL_RECORD_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/pidset.h"
#include "record/synth.h"

/*
 * The processes of a capture by what /proc says of them, looked at again and again:
 * for who is denied perf's task events. What comes and goes between two looks is not
 * seen.
 */
struct census {
	struct synth synth;
	/* Its own. */
	struct pidset met;
	struct census_process {
		uint32_t pid;
		uint64_t mark;	/* of its name and mappings, when they were written */
	} *processes;		/* that still live */
	size_t nr, max;
	uint64_t next;		/* look */
	/* Result: processes that were gone before they were looked at. */
	unsigned int missed;
};

/* Before the first record of the process is written. Returns 0 or -1 with a
 * message. */
int census_meet(struct census *census, uint32_t pid);

/* Writes anew what has changed since the last look, unless that was just before
 * now, ns of a clock. Returns 0 or -1 with a message. */
int census_look(struct census *census, uint64_t now);

void census_free(struct census *census);

#endif
