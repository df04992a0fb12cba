/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_VERBS_OPTIONS_H
#define LBRCTL_VERBS_OPTIONS_H

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>

#include "profile/filter.h"
#include "profile/symbols.h"
#include "profile/table.h"
#include "record/record.h"

/* What the verbs that read a capture have in common. Defaults are set before. */
struct options_reading {
	const char *input;	/* the capture */
	const char *event;	/* as samples_select() takes it */
	const char *output;
	bool strict;
	struct symbols_options names;
	struct filter filter;	/* of verbs that have FILTER_OPTIONS */
};

/* Codes of long options without a letter; a verb's own begin behind these. */
enum { OPTIONS_STRICT = 256, OPTIONS_NO_INLINE, OPTIONS_NO_DEMANGLE,
       OPTIONS_DEBUGINFOD, OPTIONS_SYMFS, OPTIONS_CHILDREN, OPTIONS_NO_CHILDREN, OPTIONS_LIMIT,
       OPTIONS_TABLE_JSON, OPTIONS_TABLE_CSV, OPTIONS_NO_PAGER, OPTIONS_OWN };

#define OPTIONS_READING_LONG						\
	{ "input", required_argument, NULL, 'i' },			\
	{ "event", required_argument, NULL, 'e' },			\
	{ "help", no_argument, NULL, 'h' }

/* Where the files of a capture are. */
#define OPTIONS_SYMFS_LONG						\
	{ "symfs", required_argument, NULL, OPTIONS_SYMFS }
#define OPTIONS_SYMFS_USAGE						\
	"      --symfs FOLDER   what the recorded machine has in / is in there\n"

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

/* A verb's command line. */
struct options_verb {
	const char *name, *help;
	void (*help_more)(void);	/* prints what comes behind it; NULL: nothing */
	const char *letters;		/* in getopt(3)'s way, from "+:" or ":" on */
	const struct option *table;	/* has "help" */
	/* Takes one option, getopt's, into what options_take() was given. 0, or an exit
	 * status with a message. NULL: there is none but --help. */
	int (*take)(int c, void *options);
	int arguments;			/* behind the options, at most */
};
#define OPTIONS_ANY	INT_MAX

/* Takes all options. True: the verb goes on, with the arguments from optind on; else its
 * exit status is *status: something was refused, or the help was asked for. */
bool options_take(const struct options_verb *verb, int argc, char **argv, void *options,
		  int *status);

/* Take an option that the verb does not have by itself. Return 0, or an exit status with
 * a message. */
int options_reading(const char *verb, int c, struct options_reading *options);
/* OPTIONS_NAMES_LONG alone. */
int options_names(int c, struct symbols_options *names);

/* What is shown of a capture as a table. */
enum options_form { OPTIONS_TEXT, OPTIONS_JSON, OPTIONS_CSV, OPTIONS_FORMS };
struct options_table {
	struct options_reading reading;
	struct rows_sort sort;
	double limit;		/* percent; negative: as the form has it */
	bool by_total, no_pager;
	enum options_form form;
};
#define OPTIONS_TABLE_DEFAULT						\
	{ .reading.input = "perf.data", .limit = -1,			\
	  .sort = { .keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 } }
#define OPTIONS_TABLE	"e:s:" FILTER_OPTIONS "h"
#define OPTIONS_TABLE_LONG						\
	{ "event", required_argument, NULL, 'e' },			\
	{ "help", no_argument, NULL, 'h' },				\
	FILTER_LONG_OPTIONS,						\
	OPTIONS_NAMES_LONG,						\
	OPTIONS_SYMFS_LONG,						\
	{ "sort", required_argument, NULL, 's' },			\
	{ "children", no_argument, NULL, OPTIONS_CHILDREN },		\
	{ "no-children", no_argument, NULL, OPTIONS_NO_CHILDREN },	\
	{ "percent-limit", required_argument, NULL, OPTIONS_LIMIT },	\
	{ "strict", no_argument, NULL, OPTIONS_STRICT },		\
	{ "json", no_argument, NULL, OPTIONS_TABLE_JSON },		\
	{ "csv", no_argument, NULL, OPTIONS_TABLE_CSV },		\
	{ "no-pager", no_argument, NULL, OPTIONS_NO_PAGER }
#define OPTIONS_TABLE_USAGE						\
	"      --strict         without stacks that are broken or disputed\n" \
	FILTER_USAGE							\
	OPTIONS_NAMES_USAGE						\
	OPTIONS_SYMFS_USAGE						\
	"      --json, --csv    for scripts: see lbrctl-json(7)\n"	\
	"      --no-pager       not through $PAGER, if it is a terminal\n" \
	"  -h, --help           this text\n"

int options_table(const char *verb, int c, struct options_table *options);

/* What is below is left out, in percent. */
double options_limit(const struct options_table *options);

/* Around the printing, to stdout. The end returns 0, or -1 with a message. */
void options_table_begin(const struct options_table *options);
int options_table_end(void);

/* 0 to 100. Returns 0, or ERR_EXIT_USAGE with a message. */
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

#endif
