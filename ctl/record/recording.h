/* SPDX-License-Identifier: GPL-2.0 */
/* One recording. Private to record.c (its course), ask.c (its start) and files.c (its files). */
#ifndef LBRCTL_RECORD_RECORDING_H
#define LBRCTL_RECORD_RECORDING_H

#include <time.h>

#include "module/watchdog.h"
#include "record/capture.h"
#include "record/events.h"
#include "record/progress.h"
#include "record/record.h"

struct record {
	struct record_options *options;
	struct control control;
	struct control_info info;
	uint32_t branches;		/* enum lbrscope_branches */
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
	struct capture capture;
	struct control_stats stats;
	struct progress progress;
	uint64_t started, stopped;	/* ns */
	char *file;			/* name of the file being written */
	uint64_t kept;			/* ns: what was written by then survives a kill */
	/* Of the finished files. */
	uint64_t before;		/* samples */
	int64_t bytes;
	unsigned int nr_files;
};

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t record_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Asks the module whether it can record as the options say, and fills r->info and
 * r->branches. Returns 0 or the exit status, with the reason printed. */
int record_ask(struct record *r);

/* Opens r->session. Returns 0, or -1 with the reason printed. */
int record_open_session(struct record *r);

/* Opens the first file or the next one. Sets *file to its name, which the caller frees.
 * Returns NULL with the reason printed. */
struct perfdata_writer *record_begin(struct record *r, char **file);

/* Writes records of what was there before: the kernel and the running processes, but not
 * the command, whose exec comes by the sideband. Returns 0, or -1 with the reason printed. */
int record_synthesize(struct record *r, struct perfdata_writer *writer);

/* Writes what the rings of a flight recorder hold to a numbered file of its own. The
 * recording goes on. Returns 0, or -1 with the reason printed. */
int record_dump(struct record *r);

/* Finishes the present file and adds its size to r->bytes. Returns 0, or -1 with the reason
 * printed; there is no r->writer then. */
int record_end(struct record *r);

/* The disk is full. Where --switch-max-files allows older files to be removed, goes on in
 * another one. Returns 0, or -1 with the reason printed. */
int record_make_room(struct record *r);

/* Finishes the present file and goes on in another. Returns 0, or -1 with the reason
 * printed. */
int record_switch(struct record *r);

#endif
