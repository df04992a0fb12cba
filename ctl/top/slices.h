/* SPDX-License-Identifier: GPL-2.0 */
/* Records in slices, in a separate process. */
#ifndef LBRCTL_TOP_SLICES_H
#define LBRCTL_TOP_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/record.h"

/*
 * A recording that is watched while it runs. A separate process records as `lbrctl record
 * --switch-output` does, into a folder that only the user can read; each file is a slice, a
 * complete capture for analysis_open(). So live views come from the same code as all captures,
 * and the time and memory of the analysis do not delay the reading of the rings. Slices that
 * are not read in time are removed.
 */
struct slices {
	char folder[256];
	pid_t recorder;		/* 0: it has ended */
	int pidfd;		/* polls readable once it has ended */
	int ready;		/* polls readable when there is a slice */
	int said;		/* file with the recorder's messages */
};

struct slice {
	char file[320];
	/* The session at the end of the slice. */
	double rate;		/* samples a second since the previous slice */
	double seconds;		/* since the session began */
	double overhead;	/* of the whole session: percent of the CPUs' time, */
	uint64_t lost;		/* and lost samples */
};

/* Starts to record slices of ns each; the first is shorter. Sets the options' output, rotation
 * and finished; the options must outlive the slices. Stdin and stdout of the recorder, and of its
 * command, are /dev/null. Returns 0 or -1 with a message. */
int slices_start(struct slices *slices, struct record_options *options, uint64_t ns);

/* Takes the newest slice and removes older ones. Returns whether there is one. It stays until
 * slices_drop(). */
bool slices_take(struct slices *slices, struct slice *newest);
/* Whether the recorder has ended. */
bool slices_ended(const struct slices *slices);

/* Removes a slice, if there is one. */
void slices_drop(const struct slice *slice);

/* Ends the recording if it is running, and waits until the session is closed. The last slices
 * can still be read. Returns the exit status that `lbrctl record` would have. */
int slices_end(struct slices *slices);

/* Prints the recorder's messages to stderr, and removes the folder. */
void slices_close(struct slices *slices);

#endif
