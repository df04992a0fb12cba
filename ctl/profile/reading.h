/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the samples of a capture into one tally, and the figures of each event that need no
 * stacks. */
#ifndef LBRCTL_PROFILE_READING_H
#define LBRCTL_PROFILE_READING_H

#include "base/hash.h"
#include "profile/analysis.h"
#include "profile/tally.h"
#include "stacks/stitch.h"

struct analysis_reading {
	struct analysis_query query;
	bool leaves;			/* of each sample only the innermost function is needed */
	struct samples *samples;
	struct symbols *symbols;
	struct targets *targets;
	struct stitch *stitch;
	struct group group;
	struct tally *tally;		/* who.event: an index of the list */
	struct analysis **list;		/* sorted by the first sample of each event name */
	size_t max;
	struct hash names;		/* number of elements of the list */
	struct analysis **of;		/* by event; NULL: no sample yet */
	struct tally_stack noted;	/* the stack whose calls are noted for a thread */
};

/* Opens the capture. Returns NULL with the reason printed. */
struct analysis_reading *reading_open(const struct analysis_query *query);
/* Reads all samples. Then the list has at least one analysis. Returns 0, or -1 with the reason
 * printed. */
int reading_samples(struct analysis_reading *reading);
/* Frees the analyses as well. */
void reading_free(struct analysis_reading *reading);

#endif
