/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_OPTIONS_H
#define LBRCTL_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "filter.h"
#include "record.h"
#include "rows.h"
#include "symbols.h"

/* What the verbs that read a capture have in common. Defaults are set before. */
struct options_reading {
	const char *input;	/* the capture */
	const char *event;	/* as samples_select() takes it */
	const char *output;
	bool strict, help;
	struct symbols_options names;
	struct filter filter;	/* of verbs that have FILTER_OPTIONS */
};

/* Codes of long options without a letter; a verb's own begin behind these. */
enum { OPTIONS_STRICT = 256, OPTIONS_NO_INLINE, OPTIONS_NO_DEMANGLE,
       OPTIONS_DEBUGINFOD, OPTIONS_OWN };

#define OPTIONS_READING_LONG						\
	{ "input", required_argument, NULL, 'i' },			\
	{ "event", required_argument, NULL, 'e' },			\
	{ "help", no_argument, NULL, 'h' }

/* Of the names of functions. */
#define OPTIONS_NAMES_LONG						\
	{ "no-inline", no_argument, NULL, OPTIONS_NO_INLINE },		\
	{ "no-demangle", no_argument, NULL, OPTIONS_NO_DEMANGLE },	\
	{ "debuginfod", optional_argument, NULL, OPTIONS_DEBUGINFOD }
#define OPTIONS_NAMES_USAGE						\
	"      --no-inline      no frames for inlined functions\n"	\
	"      --no-demangle    C++ and Rust names as the files spell them\n" \
	"      --debuginfod[=URL]\n"					\
	"                       ask a server for debug files that are not here\n"

/* Takes what getopt_long() returned, if the verb's list has it. Returns 0, or an exit
 * status with a message where that is no option. */
int options_reading(const char *verb, int c, char **argv,
		    struct options_reading *options);

/* Arguments that several verbs take: "sym,dso", and 0 to 100. Both return 0, or
 * ERR_EXIT_USAGE with a message. */
int options_sort(const char *verb, const char *text, struct rows_sort *sort);
int options_percent(const char *verb, const char *text, double *value);

/* Parses a decimal number of up to max. Returns whether it is one. */
bool options_number(const char *text, uint64_t max, uint64_t *number);

/* Before the first option of a verb that samples: its command line, which the file keeps,
 * and that no option has chosen a jitter. */
void options_sampling_begin(struct record_options *options, int argc, char **argv);

/* Takes -e, -F or -c of a verb that samples; and, behind the last option, what none of
 * them said: cycles, at 999 Hz, and the jitter that goes with it. Both return 0, or
 * ERR_EXIT_USAGE with a message. */
int options_sampling(const char *verb, int c, const char *text,
		     struct record_options *options);
int options_sampling_end(const char *verb, struct record_options *options);

/* What getopt_long() saw of a bad option, '?' or ':'. Returns ERR_EXIT_USAGE. */
int options_bad(const char *verb, int c, char **argv);

/* Prints a verb's help. Returns the exit status. */
int options_help(const char *text);

/* Behind the last option there is nothing. Returns 0, or ERR_EXIT_USAGE. */
int options_end(const char *verb, int argc, char **argv);

#endif
