/* SPDX-License-Identifier: GPL-2.0 */
/* Merges the rings and the sideband into a perf.data file, in order of time. */
#ifndef LBRCTL_RECORD_CAPTURE_H
#define LBRCTL_RECORD_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pidset.h"
#include "module/session.h"
#include "object/buildid.h"
#include "perfdata/budget.h"
#include "perfdata/write.h"
#include "record/callers.h"
#include "record/census.h"
#include "record/encode.h"
#include "record/merge.h"
#include "record/sideband.h"

/* From the rings of a session and the sideband to a perf.data, in the order of
 * time. */
struct capture {
	/* Set by the caller. */
	struct session *session;
	struct sideband *sideband;	/* of no CPU, or of the same as the session's rings */
	struct perfdata_writer *writer;
	struct perfdata_writer *next;	/* the sideband goes there as well; or NULL */
	struct buildid_table *buildids;
	const struct encode_format *formats;	/* by event */
	unsigned int nr_formats;
	const struct encode_format *trigger_formats;	/* by trigger */
	unsigned int nr_triggers;
	struct encode_format offcpu_format;	/* of times off the CPU */
	struct encode_format budget_format;	/* of the marks of the budget */
	const struct encode_format *lost_format;	/* of the event that lost samples
					 * are said to be of */
	bool flight;			/* the rings are read when they stand still */
	struct census *census;		/* where there is no sideband, or NULL */
	struct callers *callers;	/* unwinds user stacks; NULL: nobody does */
	struct pidset *pids;		/* processes to keep the sideband of, grown
					 * by their forks; NULL: all */
	/* Results. */
	uint64_t samples;		/* and triggers, written */
	bool sampled[LBRSCOPE_EVENTS_MAX];	/* by event: it had a sample */
	uint64_t offcpu;		/* times off the CPU, written */
	struct budget budget;		/* what was done to keep to it */
	uint64_t lost;			/* samples that LOST_SAMPLES records tell of */
	uint64_t unwritten;		/* samples, and times off the CPU, that are counted */
	uint64_t unwritten_offcpu;	/* above, but for which the disk was full */
	uint64_t first, last;		/* time of the first and last of them, ns */
	unsigned int nr_cpus;		/* that samples came from */

	/* Its own. */
	struct capture_source *streams;
	struct merge_source **sources, **heap;
	unsigned int nr_sources;
};

/* A record is stamped before it can be seen, by as long as it takes to write
 * one, or as a hypervisor keeps that CPU from running. Only older ones are
 * taken in a round, so that none comes late; one that does, by less than a
 * round, is put right by readers, for that FINISHED_ROUND is there. */
#define CAPTURE_SLACK_NS	20000000

/* Returns 0 or -1 with a message; capture_free() in both cases. */
int capture_init(struct capture *capture);
void capture_free(struct capture *capture);

/* One round: writes what has come in up to a moment (CAPTURE_SLACK_NS) ago, or, when it is the
 * last one, everything. Of a flight recorder all rounds but the last are about
 * the sideband alone, and the file is in order only when it is sorted as a whole.
 * Returns the number of records, or -1 with a message. */
int64_t capture_round(struct capture *capture, bool last);

/* Between two rounds: looks after the sideband of CPUs that have come online since the
 * last time. Returns 1 where there is one: of what began on it before, nothing is
 * written; 0, or -1 with a message. */
int capture_return(struct capture *capture);

/* Writes what the rings of a frozen flight recorder hold to a file of its own,
 * which has the sideband already. Returns as above. */
int64_t capture_rings(struct capture *capture, struct perfdata_writer *writer);

/* As the last, writes what the session lost beyond what its records told: the difference to
 * the total, known when it has stopped; and the times off the CPU that it lost,
 * of which records do not tell. Returns 0 or -1 with a message. */
int capture_account(struct capture *capture, uint64_t lost_total,
		    uint64_t lost_offcpu);

#endif
