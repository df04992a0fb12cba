/* SPDX-License-Identifier: GPL-2.0 */
/* Merges the rings and the sideband into a perf.data file, sorted by time. */
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
#include "record/gate.h"
#include "record/judging.h"
#include "record/merge.h"
#include "record/sideband.h"
#include "record/tables.h"

/* Merges the rings of a session with the sideband into a perf.data file, sorted by time. */
struct capture {
	/* Set by the caller. */
	struct session *session;
	struct sideband *sideband;	/* the sideband: on no CPU, or on the CPUs of the
					 * session's rings */
	struct perfdata_writer *writer;
	struct perfdata_writer *next;	/* also gets the sideband's records; or NULL */
	struct buildid_table *buildids;
	const struct encode_format *formats;	/* by event */
	unsigned int nr_formats;
	const struct encode_format *trigger_formats;	/* by trigger */
	unsigned int nr_triggers;
	struct encode_format offcpu_format;	/* format of times off the CPU */
	struct encode_format budget_format;	/* format of the marks of the budget */
	const struct encode_format *lost_format;	/* format of the event that
							 * LOST_SAMPLES records name */
	bool flight;			/* the rings are read only while they are frozen */
	struct census *census;		/* used if there is no sideband, or NULL */
	struct callers *callers;	/* unwinds user stacks; NULL: not unwound */
	struct tables *tables;		/* unwind the stacks of waiting tasks in the module; NULL:
					 * they are not unwound
					 */
	struct judging *judging;	/* of the LBR's stacks; NULL: not judged */
	const struct gate *gate;	/* samples that it closes out are not written;
					 * NULL: all are */
	struct pidset *pids;		/* processes to keep the sideband of, grown
					 * by their forks; NULL: all */
	/* Results. */
	uint64_t samples;		/* read, including triggers */
	uint64_t omitted;		/* counted in samples, but not written: closed out */
	bool sampled[LBRSCOPE_EVENTS_MAX];	/* by event: it had a sample */
	uint64_t offcpu;		/* times off the CPU, read */
	uint64_t omitted_offcpu;	/* counted in offcpu, but not written: closed out */
	struct budget budget;		/* actions that kept to the budget */
	uint64_t lost;			/* samples reported lost by LOST_SAMPLES records */
	uint64_t unwritten;		/* counted in samples or offcpu, */
	uint64_t unwritten_offcpu;	/* but not written: the disk was full */
	uint64_t first, last;		/* time of the first and last of them, ns */
	unsigned int nr_cpus;		/* CPUs that samples came from */

	/* Private. */
	struct capture_source *streams;
	struct merge_source **sources, **heap;
	unsigned int nr_sources;
};

/* The largest delay between a record's time and its visibility. A record gets its time before
 * it is written, and a hypervisor may stop the CPU meanwhile. Each round takes only older
 * records, so that none comes late. A record that is late by less than a round is put in place
 * by readers, by means of FINISHED_ROUND. */
#define CAPTURE_SLACK_NS	20000000

/* Returns 0 or -1 with a message; capture_free() in both cases. */
int capture_init(struct capture *capture);
void capture_free(struct capture *capture);

/* One round: writes all records that are older than CAPTURE_SLACK_NS; the last round writes
 * all. For a flight recorder, all rounds but the last concern the sideband only, and the file
 * as a whole has to be sorted. Returns the number of records, or -1 with a message. */
int64_t capture_round(struct capture *capture, bool last);

/* Between two rounds: gives processes their tables and judges samples that wait, until a ring is half full. Returns 0, or -1 with
 * a message. */
int capture_judge(struct capture *capture);

/* Between two rounds: opens the sideband of CPUs that have come online since the last call.
 * Returns 1 if there is one (earlier task events on it are missing), 0, or -1 with a message. */
int capture_return(struct capture *capture);

/* Writes the contents of a frozen flight recorder's rings to a separate file, which already has
 * the sideband. Returns as above. */
int64_t capture_rings(struct capture *capture, struct perfdata_writer *writer);

/* Writes the samples lost beyond those that records reported, which are known when the session
 * has stopped, and the lost times off the CPU, for which there are no records. Call it last.
 * Returns 0, or -1 with a message. */
int capture_account(struct capture *capture, uint64_t lost_total,
		    uint64_t lost_offcpu);

#endif
