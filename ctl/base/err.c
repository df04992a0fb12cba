// SPDX-License-Identifier: GPL-2.0
/* Messages to stderr, and exit statuses. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

static bool no_warnings;

void err_silence_warnings(bool silent)
{
	no_warnings = silent;
}

static void err_line(const char *kind, const char *fmt, va_list ap,
		     const char *tail)
{
	char text[2048];
	unsigned char *c;

	vsnprintf(text, sizeof(text), fmt, ap);
	for (c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	fflush(stdout);
	fprintf(stderr, "lbrctl: %s%s%s\n", kind, text, tail);
}

int err_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_line("", fmt, ap, "");
	va_end(ap);
	return -1;
}

int err_errno(const char *fmt, ...)
{
	int saved = errno;
	char tail[160];
	va_list ap;

	snprintf(tail, sizeof(tail), ": %s", strerror(saved));
	va_start(ap, fmt);
	err_line("", fmt, ap, tail);
	va_end(ap);
	errno = saved;
	return -1;
}

void err_warn(const char *fmt, ...)
{
	va_list ap;

	if (no_warnings)
		return;
	va_start(ap, fmt);
	err_line("warning: ", fmt, ap, "");
	va_end(ap);
}

int err_usage(const char *verb, const char *fmt, ...)
{
	char tail[96];
	va_list ap;

	snprintf(tail, sizeof(tail), " (see 'lbrctl %s --help')", verb);
	va_start(ap, fmt);
	err_line("", fmt, ap, tail);
	va_end(ap);
	return ERR_EXIT_USAGE;
}

static bool short_of_memory;

void err_short_of_memory(void)
{
	short_of_memory = true;
}

int err_whole(void)
{
	return short_of_memory ?
	       err_fail("not enough memory: the result is incomplete") : 0;
}

int err_flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return err_whole();
	if (errno == EPIPE)
		return 0;
	return err_errno("writing to standard output");
}
