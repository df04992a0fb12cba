/* SPDX-License-Identifier: GPL-2.0 */
/* The live view: records slices and shows the newest. */
#ifndef LBRCTL_TOP_TOP_H
#define LBRCTL_TOP_TOP_H

#include "profile/filter.h"
#include "profile/symbols.h"
#include "record/record.h"

struct top_options {
	struct record_options record;	/* the recording */
	struct filter filter;		/* the samples that are shown */
	struct symbols_options names;	/* how functions are named */
	uint64_t delay;			/* ns from one picture to the next */
};

/* Shows where the time is spent until the user quits. Returns the exit status of `lbrctl top`;
 * messages were printed. */
int top_run(struct top_options *options);

#endif
