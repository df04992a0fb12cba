/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to stderr, and exit statuses. */
#ifndef LBRCTL_BASE_ERR_H
#define LBRCTL_BASE_ERR_H

#include <stdbool.h>

/* Exit statuses of lbrctl. A verb that runs a command after `--` returns the command's own
 * status, and ERR_EXIT_COMMAND if lbrctl itself fails. */
enum {
	ERR_EXIT_DONE = 0,
	ERR_EXIT_FAILED = 1,
	ERR_EXIT_USAGE = 2,
	ERR_EXIT_COMMAND = 125,
};

/* All of these print one line to stderr that begins with "lbrctl: ". Control characters in it
 * become '?', since names come from foreign files. */

/* Returns -1, so that a failing function can `return err_fail(...)`. Say what
 * was tried, what was wrong, and what to do about it. */
int err_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As err_fail(), followed by ": " and the text of errno. Preserves errno. */
int err_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* While it is silent, no warning is printed: for a second reading of what the first one has warned of. */
void err_silence_warnings(bool silent);

/* For a result that is valid but lacks something. */
void err_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Wrong arguments of a verb; adds a hint to the usage. Returns ERR_EXIT_USAGE. */
int err_usage(const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Notes that an optional allocation failed (for a symbol's name, say). Work goes on;
 * err_whole() then refuses to call the result complete. */
void err_short_of_memory(void);

/* Call before a result is presented as complete. Returns 0; -1 with a message if an
 * optional allocation has failed. */
int err_whole(void);

/* Flushes stdout. Returns 0, or -1 with a message when output could not be written or is
 * incomplete. A reader that closed the pipe early is no error. */
int err_flush_stdout(void);

#endif
