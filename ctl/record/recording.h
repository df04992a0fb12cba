/* SPDX-License-Identifier: GPL-2.0 */
/* One recording. Private to ask.c (its terms), start.c, record.c (its course) and files.c. */
#ifndef LBRCTL_RECORD_RECORDING_H
#define LBRCTL_RECORD_RECORDING_H

#include "module/watchdog.h"
#include "record/capture.h"
#include "record/events.h"
#include "record/progress.h"
#include "record/record.h"

#define RECORD_CENSUS_MS	20	/* between two looks at /proc, without the sideband */

struct record {
	struct record_options *options;
	struct control control;
	struct control_info info;
	uint32_t branches;		/* enum lbrscope_branches */
	uint32_t lbr_depth;		/* entries of the LBR that a sample may have */
	struct subject subject;
	struct guardian guardian;
	struct session session;
	struct sideband sideband;
	struct record_events events;
	int dumps;			/* signalfd of SIGUSR2, or -1 */
	unsigned int nr_dumps;
	struct perfdata_writer *writer;
	struct buildid_table buildids;
	struct pidset pids;
	struct census census;		/* used if the sideband is denied */
	struct callers *callers;	/* NULL: no stack is unwound */
	struct tables *tables;		/* NULL: the stacks of waiting tasks are not unwound */
	struct judging judging;		/* used if stacks are unwound where needed */
	struct gate gate;		/* when samples are kept */
	struct capture capture;
	struct control_stats stats;
	struct progress progress;
	uint64_t started, stopped;	/* ns */
	char *file;			/* name of the file being written */
	uint64_t kept;			/* ns: data written until then survives a kill */
	/* Sums over the finished files. */
	uint64_t before;		/* samples written */
	int64_t bytes;
	unsigned int nr_files;
};

/* Returns the number of samples that were to be written so far. */
static inline uint64_t record_kept(const struct record *r)
{
	return r->capture.samples - r->capture.omitted;
}

/* Checks with the module that it can record as the options say, and fills in r->info and
 * r->branches. Returns 0, or the exit status with the reason printed. */
int record_ask(struct record *r);

/* Opens r->session. Returns 0, or -1 with the reason printed. */
int record_open_session(struct record *r);

/* Makes all checks that may refuse the recording, and starts the session. Returns 0, or -1 with the
 * reason printed; what was opened is closed by record.c in both cases. */
int record_open(struct record *r);

/* Opens the first file or the next one. Sets *file to its name, which the caller frees.
 * Returns NULL with the reason printed. */
struct perfdata_writer *record_begin(struct record *r, char **file);

/* Writes records of the kernel and the processes that already ran, except the command, whose
 * exec the sideband reports. Returns 0, or -1 with the reason printed. */
int record_synthesize(struct record *r, struct perfdata_writer *writer);

/* Writes the contents of a flight recorder's rings to a numbered file. The recording goes on.
 * Returns 0, or -1 with the reason printed. */
int record_dump(struct record *r);

/* Finishes the current file and adds its size to r->bytes. Returns 0, or -1 with the reason
 * printed; r->writer is NULL afterwards. */
int record_end(struct record *r);

/* The disk is full: switches to a new file if --switch-max-files allows older files to be
 * removed. Returns 0, or -1 with the reason printed. */
int record_make_room(struct record *r);

/* Finishes the current file and continues in a new one. Returns 0, or -1 with the reason
 * printed. */
int record_switch(struct record *r);

#endif
