/* SPDX-License-Identifier: GPL-2.0 */
/* Reads mappings from /proc for a user who may not read perf's task events. */
#ifndef LBRCTL_RECORD_CENSUS_H
#define LBRCTL_RECORD_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/pidset.h"
#include "record/synth.h"

/*
 * The mappings and names of the captured processes, read from /proc again and again, if the
 * user is denied perf's task events. Changes between two looks that are undone again are not
 * seen.
 */
struct census {
	struct synth synth;
	/* Private. */
	struct pidset met;
	struct census_process {
		uint32_t pid;
		uint64_t mark;	/* stands for its name and mappings when they were written */
	} *processes;		/* processes that still live */
	size_t nr, max;
	uint64_t next;		/* number of the look */
	/* Result: processes that were gone before they were looked at. */
	unsigned int missed;
};

/* Call before the first record of the process is written. Returns 0, or -1 with a message. */
int census_meet(struct census *census, uint32_t pid);

/* Writes what has changed since the last look, unless that was shortly before now (ns of a
 * clock). Returns 0, or -1 with a message. */
int census_look(struct census *census, uint64_t now);

void census_free(struct census *census);

#endif
