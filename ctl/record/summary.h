/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the summary of a recording. */
#ifndef LBRCTL_RECORD_SUMMARY_H
#define LBRCTL_RECORD_SUMMARY_H

#include <stdint.h>

#include "module/netlink.h"
#include "perfdata/budget.h"
#include "perfdata/losses.h"

/* The results of a recording. */
struct summary {
	const struct control_stats *stats;
	bool quiet;		/* only warnings */
	bool offcpu;		/* times off the CPU were requested */
	struct losses losses;
	const struct budget *budget;	/* actions that kept to the budget */
	uint64_t unwritten;	/* samples that were delivered but not written: the disk was full */
	uint64_t omitted;	/* samples, and times off the CPU, that were delivered but not */
	uint64_t omitted_offcpu;	/* written: the recording was disabled */
	unsigned int missed;	/* processes, see census.h */
	unsigned int nr_cpus;	/* CPUs that samples came from */
	double seconds;
	int64_t bytes;		/* of the file, or of all files */
	const char *file;
	unsigned int nr_files;	/* number of files, whose names continue `file`; 0: one file */
};

/* Prints one line to stderr, whose figures scripts may parse, and further lines on overhead,
 * budget and times off the CPU; warns if stacks are incomplete for lack of memory. */
void summary_print(const struct summary *summary);

#endif
