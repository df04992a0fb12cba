/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what a recording came to. */
#ifndef LBRCTL_RECORD_SUMMARY_H
#define LBRCTL_RECORD_SUMMARY_H

#include <stdint.h>

#include "module/netlink.h"
#include "perfdata/budget.h"

/* What a recording came to. */
struct summary {
	const struct control_stats *stats;
	bool offcpu;		/* times off the CPU were asked for */
	const struct budget *budget;	/* what was done to keep to it */
	uint64_t unwritten;	/* samples that were delivered, but not to the file: the
				 * disk was full */
	unsigned int missed;	/* processes, see census.h */
	unsigned int nr_cpus;	/* that samples came from */
	double seconds;
	int64_t bytes;		/* of the file, or all of them */
	const char *file;
	unsigned int nr_files;	/* that it was, with more behind that name; 0: one */
};

/* One line to stderr, whose figures scripts look for, and others of what it took,
 * of the budget and of the times off the CPU; a warning where stacks suffered. */
void summary_print(const struct summary *summary);

#endif
