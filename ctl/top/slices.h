/* SPDX-License-Identifier: GPL-2.0 */
/* Records in slices, in a process of its own. */
#ifndef LBRCTL_TOP_SLICES_H
#define LBRCTL_TOP_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/record.h"

/*
 * A recording that is looked at while it goes on. A process of its own records as `lbrctl
 * record --switch-output` does, into a folder that nobody else can read; each file of it is
 * a slice, a whole capture that analysis_open() takes. So what is shown live came the one
 * way that all captures go, and what the analysis costs in time and memory keeps no ring
 * from being read. A slice that nobody took in time makes room for newer ones.
 */
struct slices {
	char folder[256];
	pid_t recorder;		/* 0: none any more */
	int pidfd;		/* polls readable once it has ended */
	int ready;		/* polls readable when there is a slice */
	int said;		/* what the recorder has to say is written there */
};

struct slice {
	char file[320];
	/* Of the session, when the slice ended. */
	double rate;		/* samples a second since the one before */
	double seconds;		/* since it began */
	double overhead;	/* percent of the CPUs' time, of all of it, */
	uint64_t lost;		/* and samples lost */
};

/* Starts to record slices of ns each. The options' output, rotation and finished are ours;
 * they outlive the slices. Stdin and stdout of the recorder, and of its command, are
 * /dev/null. Returns 0 or -1 with a message. */
int slices_start(struct slices *slices, struct record_options *options, uint64_t ns);

/* The newest one that has come in; others are thrown away. Returns whether there is one. */
bool slices_take(struct slices *slices, struct slice *newest);

/* The slice is not needed any more. */
void slices_drop(const struct slice *slice);

/* Ends the recording, if it goes on, and waits until the session is closed. The last
 * slices can still be taken. Returns the exit status that `lbrctl record` would have. */
int slices_end(struct slices *slices);

/* Prints what the recorder said to stderr, and removes the folder. */
void slices_close(struct slices *slices);

#endif
