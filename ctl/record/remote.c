// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to a running recording, from a pipe, as with perf's --control: lines with the names
 * of tools/perf/Documentation/perf-record.txt of Linux 6.1, each answered by "ack".
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "record/remote.h"

#define REMOTE_READ_MAX	4096	/* bytes at a time: samples wait meanwhile */

static const char remote_ack_line[] = "ack\n";

static bool remote_parse_fd(const char *text, int *fd)
{
	char *end;
	long number = strtol(text, &end, 10);

	*fd = number;
	return *text >= '0' && *text <= '9' && !*end && number <= INT_MAX;
}

bool remote_parse(struct remote *r, const char *text)
{
	const char *names = strchr(text, ':'), *second;
	char *first;
	bool valid;

	*r = (struct remote){ .text = text, .commands = -1, .acks = -1 };
	if (!names++)
		return false;
	second = strchr(names, ',');
	first = strndup(names, second ? (size_t)(second - names) : strlen(names));
	if (!first)
		return false;
	if (!strncmp(text, "fd:", 3)) {
		valid = remote_parse_fd(first, &r->commands) &&
			(!second || remote_parse_fd(second + 1, &r->acks));
		free(first);
		return valid;
	}
	r->fifos[0] = first;
	r->fifos[1] = second ? strdup(second + 1) : NULL;
	return !strncmp(text, "fifo:", 5) && *first && (!second || (r->fifos[1] && second[1]));
}

/* Opened for reading and writing, a pipe neither waits for its other end nor ends with it. */
static int remote_open_fifo(const char *name, int *fd)
{
	struct stat st;

	*fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return err_errno("opening %s for --control", name);
	if (fstat(*fd, &st))
		return err_errno("examining %s", name);
	return S_ISFIFO(st.st_mode) ? 0 :
	       err_fail("--control: %s is no named pipe: make one by mkfifo", name);
}

static int remote_check_fd(const struct remote *r, int fd, int mode)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return err_fail("--control %s: descriptor %d is not open", r->text, fd);
	if ((flags & O_ACCMODE) == O_RDWR || (flags & O_ACCMODE) == mode)
		return 0;
	return err_fail("--control %s: descriptor %d is not open for %s", r->text, fd,
			mode == O_RDONLY ? "reading" : "writing");
}

int remote_open(struct remote *r)
{
	/* Not descriptor 0, which is the input of the recorded command. */
	if (!r->text) {
		r->commands = r->acks = -1;
		return 0;
	}
	/* The reader of the acknowledgements may end before the recording. */
	signal(SIGPIPE, SIG_IGN);
	if (r->fifos[0])
		return remote_open_fifo(r->fifos[0], &r->commands) ||
		       (r->fifos[1] && remote_open_fifo(r->fifos[1], &r->acks)) ? -1 : 0;
	return remote_check_fd(r, r->commands, O_RDONLY) ||
	       (r->acks >= 0 && remote_check_fd(r, r->acks, O_WRONLY)) ? -1 : 0;
}

/* Descriptors that lbrctl was given stay open, as the caller may use them. */
void remote_close(struct remote *r)
{
	if (r->fifos[0] && r->commands >= 0)
		close(r->commands);
	if (r->fifos[1] && r->acks >= 0)
		close(r->acks);
	free(r->fifos[0]);
	free(r->fifos[1]);
	r->fifos[0] = r->fifos[1] = NULL;
}

static enum remote_command remote_command(struct remote *r)
{
	static const char *const names[] = {
		[REMOTE_ENABLE] = "enable", [REMOTE_DISABLE] = "disable",
		[REMOTE_SNAPSHOT] = "snapshot", [REMOTE_STOP] = "stop", [REMOTE_PING] = "ping",
	};

	r->line[r->len] = '\0';
	for (size_t i = REMOTE_ENABLE; i < sizeof(names) / sizeof(*names) && !r->skips; i++)
		if (!strcmp(r->line, names[i]))
			return i;
	err_warn("--control: no command '%s%s': enable, disable, snapshot, stop and ping are "
		 "known", r->line, r->skips ? "..." : "");
	return REMOTE_NONE;
}

/* Reads a byte at a time: what follows the line is another command, or another reader's. */
enum remote_command remote_next(struct remote *r)
{
	struct pollfd fd = { .fd = r->commands, .events = POLLIN };
	enum remote_command command;
	ssize_t n;
	char byte;

	for (int i = 0; i < REMOTE_READ_MAX && poll(&fd, 1, 0) > 0; i++) {
		n = read(r->commands, &byte, 1);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return REMOTE_NONE;
		if (n <= 0) {
			r->commands = -1;
			return REMOTE_NONE;
		}
		if (byte != '\n') {
			if (r->len < sizeof(r->line) - 1)
				r->line[r->len++] = byte;
			else
				r->skips = true;
			continue;
		}
		command = remote_command(r);
		r->len = 0;
		r->skips = false;
		if (command != REMOTE_NONE)
			return command;
	}
	return REMOTE_NONE;
}

void remote_ack(struct remote *r)
{
	struct pollfd fd = { .fd = r->acks, .events = POLLOUT };

	if (r->acks < 0)
		return;
	if (poll(&fd, 1, 0) == 1 && fd.revents & POLLOUT &&
	    write(r->acks, remote_ack_line, sizeof(remote_ack_line) - 1) > 0)
		return;
	if (!r->warned)
		err_warn("--control: nobody reads the acknowledgements");
	r->warned = true;
}
