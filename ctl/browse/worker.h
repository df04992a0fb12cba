/* SPDX-License-Identifier: GPL-2.0 */
/* Reads captures and annotates functions in a thread, so that keys are answered meanwhile. */
#ifndef LBRCTL_BROWSE_WORKER_H
#define LBRCTL_BROWSE_WORKER_H

#include "browse/picture.h"

struct worker;

/* All jobs have these. The pointers must outlive the process if a job never ends. */
struct worker_options {
	const char *event;
	struct filter *filter;
	const struct symbols_options *names;
	bool live;			/* captures follow one another: they share a library, and
					 * one without samples is no error */
};

struct worker_job {
	const char *file;		/* the capture; stays until the job is done */
	/* Annotates the functions of a name; NULL: makes a picture of the capture. */
	char *function;			/* the job frees both */
	char *event;			/* name of the event, */
	uint32_t pid, tid;		/* thread (0: all), */
	size_t width;			/* and columns of the text */
};

/* The result of a job. picture and text are both NULL if it failed. The receiver frees picture,
 * text and messages. */
struct worker_result {
	struct picture *picture;
	char *text;
	char *messages;			/* lines for stderr, "" if there are none; or NULL */
};

/* Stderr becomes a file of messages. The thread takes no signal that the caller has blocked. Returns
 * NULL with the reason printed. */
struct worker *worker_start(const struct worker_options *options);
/* Stderr becomes the terminal again. Returns false if a job is still being done: the worker
 * cannot be stopped, and the process must end by _exit(). */
bool worker_end(struct worker *worker);

/* Begins a job. Only if the worker is not busy. */
void worker_ask(struct worker *worker, const struct worker_job *job);
bool worker_busy(const struct worker *worker);

/* Polls readable when a job is done. */
int worker_fd(const struct worker *worker);
/* Takes the result of a job that is done. */
struct worker_result worker_take(struct worker *worker);

#endif
