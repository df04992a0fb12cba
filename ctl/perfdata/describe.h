/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the description of a capture: machine, command, build ids. */
#ifndef LBRCTL_PERFDATA_DESCRIBE_H
#define LBRCTL_PERFDATA_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "object/buildid.h"
#include "perfdata/losses.h"
#include "perfdata/read.h"
#include "perfdata/write.h"

/* The description of a recording for the header of its capture. */
struct perfdata_description {
	const char *cpuid;	/* as perf writes it: vendor,family,model,stepping */
	uint32_t lbr_depth;	/* entries */
	bool history;		/* the branch stacks are no call stacks */
	char **argv;		/* command line of the recorder, from the verb on */
	int argc;
	const struct perfdata_event *events;
	unsigned int nr_events;
	uint32_t nr_cpus;	/* of perfdata_describe_again(): the largest CPU number of a
				 * sample, + 1; 0: not known */
	uint64_t first, last;	/* time of the first and the last sample, ns */
	const struct buildid_table *buildids;
	const struct perfdata_audit *audits;	/* by process */
	size_t nr_audits;		/* number of audited processes */
	bool audited;			/* samples were to be audited */
	struct losses losses;
};

/* Sets the features of the file: the machine's from uname, /proc and the like,
 * the others from the description. Returns 0 or -1 with a message. */
int perfdata_describe(struct perfdata_writer *writer,
		      const struct perfdata_description *description);

/* The same for a capture that was made of another one: the machine is that one's. cpuid,
 * lbr_depth, argv, audits and losses of the description are not used. */
int perfdata_describe_again(struct perfdata_writer *writer,
			    const struct perfdata_description *description,
			    const struct perfdata_info *info);

#endif
