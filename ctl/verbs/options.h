/* SPDX-License-Identifier: GPL-2.0 */
/* The command lines of the verbs. */
#ifndef LBRCTL_VERBS_OPTIONS_H
#define LBRCTL_VERBS_OPTIONS_H

#include <getopt.h>	/* optind */
#include <limits.h>
#include <stdbool.h>

#include "base/part.h"
#include "profile/filter.h"
#include "profile/symbols.h"
#include "profile/table.h"
#include "record/record.h"

/* Options common to the verbs that read a capture. The caller sets the defaults. */
struct options_reading {
	const char *input;	/* the capture */
	const char *event;	/* as samples_select() takes it */
	const char *output;
	bool strict;
	struct symbols_options names;
	struct filter filter;	/* of verbs that have FILTER_ROWS */
};

/*
 * One option. --help, getopt_long()'s tables, the completion of bash and the tests use only
 * these rows.
 *
 * take() stores the option's value in its part of the structure passed to options_take().
 * value is NULL for an option without one. Returns 0, or an exit status with a message.
 */
struct options_option {
	const char *name;	/* its long name, without dashes; NULL ends a list */
	char letter;		/* 0: no letter */
	const char *value;	/* "FILE"; "[=FILE]": optional; "=FILE": only with the long
				 * name, the letter has none; NULL: no value */
	const char *help;	/* help text, without line ends */
	int (*take)(const char *verb, const char *value, void *part);
	size_t part;		/* offset of the part, by part_of(); 0: the whole structure */
};

/* Functions for options of several verbs, with the type of their part. */
int options_set(const char *verb, const char *none, void *part);	/* bool: true */
int options_clear(const char *verb, const char *none, void *part);	/* bool: false */
int options_ignore(const char *verb, const char *none, void *part);	/* none */
int options_text(const char *verb, const char *value, void *part);	/* const char * */
int options_percent(const char *verb, const char *value, void *part);	/* double, 0 to 100 */
int options_cpus(const char *verb, const char *value, void *part);	/* struct cpulist */
int options_events(const char *verb, const char *value, void *part);	/* struct eventlist */
int options_frequency(const char *verb, const char *value, void *part);	/* struct record_options */
int options_period(const char *verb, const char *value, void *part);	/* the same */
int options_duration(const char *verb, const char *text, void *part);	/* uint64_t, ns */
int options_capture(const char *verb, const char *text, void *part);	/* const char *, to write */
int options_sort(const char *verb, const char *value, void *part);	/* struct rows_sort */
int options_json(const char *verb, const char *none, void *part);	/* enum options_form */
int options_csv(const char *verb, const char *none, void *part);	/* the same */
int options_symfs(const char *verb, const char *folder, void *part);	/* none */
int options_sources(const char *verb, const char *folder, void *part);	/* none */
int options_debuginfod(const char *verb, const char *url, void *part);	/* none */

/* Options for the folders with the files of a capture. */
#define OPTIONS_SYMFS_ROW \
	{ "symfs", 0, "FOLDER", \
	  "the folder with the recorded machine's files", \
	  options_symfs, 0 }

/* For verbs that show source text. */
#define OPTIONS_SOURCES_ROW \
	{ "source-prefix", 0, "FOLDER", \
	  "the folder with the source files, under any end of their recorded paths", \
	  options_sources, 0 }

/* at: a bool of the type. */
#define OPTIONS_PAGER_ROW(type, at) \
	{ "no-pager", 0, NULL, "do not use $PAGER on a terminal", \
	  options_set, part_of(type, at, bool) }

/* Options for the names of functions; at: a struct symbols_options of the type. */
#define OPTIONS_NAMES_ROWS(type, at) \
	{ "no-inline", 0, NULL, \
	  "no frames for inlined functions", \
	  options_set, part_of(type, at.no_inlines, bool) }, \
	{ "no-demangle", 0, NULL, \
	  "do not demangle C++ and Rust names", \
	  options_set, part_of(type, at.mangled, bool) }, \
	{ "debuginfod", 0, "[=URL]", \
	  "ask a server for debug files that this machine does not have", \
	  options_debuginfod, 0 }

/* For verbs whose capture may be an option or an argument, or be perf.data; *input: NULL without
 * the option. Returns 0, or an exit status with a message. */
int options_input(const char *verb, const char **input, const char *argument);

/* A verb's command line. The rows need not contain --help. */
struct options_verb {
	const char *name;
	const char *usage;		/* usage, and purpose of the verb */
	void (*help_more)(void);	/* prints what follows the options; NULL: nothing */
	const struct options_option *options;
	int arguments;			/* maximum number of arguments behind the options */
	bool command;			/* options end at the command to run */
};
#define OPTIONS_ANY	INT_MAX

/* Parses all options. Returns true: the verb continues, with the arguments from optind on.
 * false: its exit status is *status, after an error, --help, or --list-options, which prints a
 * line for each option: name, letter or "-", value or "-", help. */
bool options_take(const struct options_verb *verb, int argc, char **argv, void *options,
		  int *status);

/* The forms of a table of a capture. */
enum options_form { OPTIONS_TEXT, OPTIONS_JSON, OPTIONS_CSV, OPTIONS_FORMS };
struct options_table {
	struct options_reading reading;
	struct rows_sort sort;
	double limit;		/* percent; negative: the default of the form */
	bool by_total, no_pager, full_names;
	enum options_form form;
};
#define OPTIONS_TABLE_DEFAULT						\
	{ .reading.input = "perf.data", .limit = -1,			\
	  .sort = { .keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 } }

/* at: "" or "member.", of a struct options_table. */
#define OPTIONS_TABLE_ROWS(type, at) \
	{ "strict", 0, NULL, "omit stacks that are broken or disputed", \
	  options_set, part_of(type, at reading.strict, bool) }, \
	FILTER_ROWS(type, at reading.filter), \
	FILTER_VERDICT_ROW(type, at reading.filter), \
	OPTIONS_NAMES_ROWS(type, at reading.names), \
	{ "full-names", 0, NULL, \
	  "whole names of functions, with their template arguments, and paths of files", \
	  options_set, part_of(type, at full_names, bool) }, \
	OPTIONS_SYMFS_ROW, \
	{ "json", 0, NULL, "for scripts: one JSON object, see lbrctl-json(7)", \
	  options_json, part_of(type, at form, enum options_form) }, \
	{ "csv", 0, NULL, "for scripts: a table", \
	  options_csv, part_of(type, at form, enum options_form) }, \
	OPTIONS_PAGER_ROW(type, at no_pager)

/* Lines below this are omitted, in percent. */
double options_limit(const struct options_table *options);

/* Begin and end the output to stdout. The end returns 0, or -1 with a message. */
void options_table_begin(const struct options_table *options);
int options_table_end(void);

/* Parses a decimal number of up to max. Returns whether it is one. */
bool options_number(const char *text, uint64_t max, uint64_t *number);
/* The same for numbers from 1 on; returns 0 if the text is invalid. */
uint64_t options_positive(const char *text, uint64_t max);

/* Call it before the first option of a verb that samples. Stores its command line, which the
 * file keeps, and the mark that no option has chosen a jitter. */
void options_sampling_begin(struct record_options *options, int argc, char **argv);

/* Call it after the last option of a verb that samples. Sets the defaults that depend on the
 * options: cycles, 999 Hz, and the jitter. Returns 0, or ERR_EXIT_USAGE with a message. */
int options_sampling_end(const char *verb, struct record_options *options);

#endif
