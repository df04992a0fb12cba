/* SPDX-License-Identifier: GPL-2.0 */
/* Commands to a running recording, from a pipe, as with perf's --control. */
#ifndef LBRCTL_RECORD_REMOTE_H
#define LBRCTL_RECORD_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#define REMOTE_LINE_MAX	64	/* bytes of a command */

enum remote_command {
	REMOTE_NONE,		/* no whole command has arrived */
	REMOTE_ENABLE, REMOTE_DISABLE, REMOTE_SNAPSHOT, REMOTE_STOP, REMOTE_PING,
};

struct remote {
	const char *text;	/* the argument, for messages; NULL: no commands are wanted */
	int commands, acks;	/* descriptors; -1: none */
	char *fifos[2];		/* or names of pipes, which remote_open() opens; malloc'd */
	char line[REMOTE_LINE_MAX];
	size_t len;		/* bytes of the line so far */
	bool warned;		/* that acknowledgements are lost */
	bool skips;		/* the line is too long: up to its end it is left out */
};

/* Parses fd:COMMANDS[,ACKS] or fifo:COMMANDS[,ACKS]. Returns whether the text is valid. */
bool remote_parse(struct remote *remote, const char *text);

/* Opens the pipes, if some are wanted. Returns 0, or -1 with a message; remote_close() in both
 * cases. */
int remote_open(struct remote *remote);
void remote_close(struct remote *remote);

/*
 * Takes the next command that has arrived; warns about words that are not commands. When
 * no command can arrive any more, remote->commands is -1. Does not wait: call it when the
 * descriptor is readable, until it returns REMOTE_NONE.
 */
enum remote_command remote_next(struct remote *remote);

/* Says that a command was carried out. Does not wait for a reader. */
void remote_ack(struct remote *remote);

#endif
