/* SPDX-License-Identifier: GPL-2.0 */
/* The runs of a capture, checked against the code. */
#ifndef LBRCTL_BLOCKS_CAPTURE_H
#define LBRCTL_BLOCKS_CAPTURE_H

#include "blocks/disassemble.h"
#include "blocks/runs.h"
#include "profile/filter.h"
#include "profile/samples.h"
#include "profile/symbols.h"

struct blocks_capture {
	struct samples *samples;
	struct symbols *symbols;
	struct blocks *blocks;
	struct runs runs;		/* without those that the code contradicts */
	uint64_t contradicted;		/* executions of contradicted runs */
	double limit;			/* percent of the total; smaller runs are not printed */
	uint64_t executions, instructions, cycles;	/* totals of the runs, */
	uint64_t timed;			/* executions with cycles, */
	uint64_t unread;		/* and executions without instructions: the code is not
					 * available */
};

/* Whether the samples of an event have calls, jumps and returns: with only some kinds of branches,
 * the code between two of them is no run. */
bool blocks_whole(const struct perfdata_event *event);

/* Adds up the runs of the samples of an event (NULL: all) that pass the filter, after the caller
 * has opened the samples. Returns 0, or -1 with a message. */
int blocks_read(struct blocks_capture *capture, const char *input, const char *event,
		struct filter *filter);

/* After runs_finish(): removes the runs that the code contradicts, and with the frames of a
 * filter (NULL: none) those that begin elsewhere; counts the instructions of the others. */
void blocks_decode(struct blocks_capture *capture, const struct filter *filter);

#endif
