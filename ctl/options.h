/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_OPTIONS_H
#define LBRCTL_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/* What the verbs that read a capture have in common. Defaults are set before. */
struct options_reading {
	const char *input;	/* the capture */
	const char *event;	/* as samples_select() takes it */
	const char *output;
	bool strict, help;
};

/* Codes of long options without a letter; a verb's own begin behind these. */
enum { OPTIONS_STRICT = 256, OPTIONS_OWN };

#define OPTIONS_READING_LONG						\
	{ "input", required_argument, NULL, 'i' },			\
	{ "event", required_argument, NULL, 'e' },			\
	{ "help", no_argument, NULL, 'h' }

/* Takes what getopt_long() returned, if the verb's list has it. Returns 0, or an exit
 * status with a message where that is no option. */
int options_reading(const char *verb, int c, char **argv,
		    struct options_reading *options);

/* What getopt_long() saw of a bad option, '?' or ':'. Returns ERR_EXIT_USAGE. */
int options_bad(const char *verb, int c, char **argv);

/* Behind the last option there is nothing. Returns 0, or ERR_EXIT_USAGE. */
int options_end(const char *verb, int argc, char **argv);

#endif
