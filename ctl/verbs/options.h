/* SPDX-License-Identifier: GPL-2.0 */
/* The command lines of the verbs. */
#ifndef LBRCTL_VERBS_OPTIONS_H
#define LBRCTL_VERBS_OPTIONS_H

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
	struct filter filter;	/* of verbs that have FILTER_ROWS */
};

/* Codes of options without a letter. Those of a verb begin with OPTIONS_OWN. */
enum { OPTIONS_STRICT = 256, OPTIONS_NO_INLINE, OPTIONS_NO_DEMANGLE,
       OPTIONS_DEBUGINFOD, OPTIONS_SYMFS, OPTIONS_CHILDREN, OPTIONS_NO_CHILDREN, OPTIONS_LIMIT,
       OPTIONS_TABLE_JSON, OPTIONS_TABLE_CSV, OPTIONS_NO_PAGER, OPTIONS_OWN,
       OPTIONS_LIST = 1 << 16 };

/* Where the files of a capture are. */
#define OPTIONS_SYMFS_ROW \
	{ "symfs", OPTIONS_SYMFS, "FOLDER", \
	  "what the recorded machine has in / is in there" }

/* Of the names of functions. */
#define OPTIONS_NAMES_ROWS \
	{ "no-inline", OPTIONS_NO_INLINE, NULL, \
	  "no frames for inlined functions" }, \
	{ "no-demangle", OPTIONS_NO_DEMANGLE, NULL, \
	  "C++ and Rust names as the files spell them" }, \
	{ "debuginfod", OPTIONS_DEBUGINFOD, "[=URL]", \
	  "ask a server for debug files that are not here" }

/* One option. --help, getopt_long()'s tables, the completion of bash and the tests go by
 * these rows alone; the verb's take() does what the option says. */
struct options_option {
	const char *name;	/* its long name, without dashes; NULL ends a list */
	int code;		/* its letter, or a number from 256 on */
	const char *value;	/* "FILE"; "[=FILE]" may be left out; "=FILE" only with the
				 * long name, the letter takes none; NULL: takes none */
	const char *help;	/* without line ends */
};

/* A verb's command line. --help need not be among the options. */
struct options_verb {
	const char *name;
	const char *usage;		/* how to call it, and what it does */
	void (*help_more)(void);	/* prints what follows the options; NULL: nothing */
	const struct options_option *options;
	/* Takes one option, getopt's, into what options_take() was given. 0, or an exit
	 * status with a message. NULL: there is none but --help. */
	int (*take)(int c, void *options);
	int arguments;			/* behind the options, at most */
	bool command;			/* options end where a command begins */
};
#define OPTIONS_ANY	INT_MAX

/* Takes all options. True: the verb goes on, with the arguments from optind on. False: its
 * exit status is *status, after an error, --help, or --list-options, which prints a line
 * for each option: name, letter or "-", value or "-". */
bool options_take(const struct options_verb *verb, int argc, char **argv, void *options,
		  int *status);

/* Take an option that the verb does not have by itself. Return 0, or an exit status with
 * a message. */
int options_reading(const char *verb, int c, struct options_reading *options);
/* OPTIONS_NAMES_ROWS alone. */
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

#define OPTIONS_TABLE_ROWS \
	{ "strict", OPTIONS_STRICT, NULL, "without stacks that are broken or disputed" }, \
	FILTER_ROWS, \
	OPTIONS_NAMES_ROWS, \
	OPTIONS_SYMFS_ROW, \
	{ "json", OPTIONS_TABLE_JSON, NULL, "for scripts: one JSON object, see lbrctl-json(7)" }, \
	{ "csv", OPTIONS_TABLE_CSV, NULL, "for scripts: a table" }, \
	{ "no-pager", OPTIONS_NO_PAGER, NULL, "not through $PAGER, if it is a terminal" }

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
