// SPDX-License-Identifier: GPL-2.0
/* Takes the options of a verb, and prints its help, by one table. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/pager.h"
#include "base/sysroot.h"
#include "object/debugfile.h"
#include "verbs/options.h"

/* A counter is loaded with minus the period, of which 31 bits count. */
#define OPTIONS_PERIOD_MAX	0x7fffffffULL
/* Not 1000, which is a timer's: samples would fall into step with it. */
#define OPTIONS_FREQUENCY_DEFAULT	999
/* Percent of a period; so that samples do not fall into step with a loop of the
 * program either. Of a period that was asked for, none: it is taken at its word. */
#define OPTIONS_JITTER_DEFAULT	10
/* Percent of the total: what has less is left out where people read. */
#define OPTIONS_LIMIT_DEFAULT	0.5

/* What getopt_long() saw of a bad option, '?' or ':'. */
static int options_bad(const char *verb, int c, char **argv)
{
	const char *text = argv[optind - 1];

	if (c == ':')
		return err_usage(verb, "option %s wants a value", text);
	/* Of "-xy" only getopt knows which it was. */
	if (strncmp(text, "--", 2) && optopt > 0 && optopt <= UCHAR_MAX)
		return err_usage(verb, "no option -%c", optopt);
	/* It knows that one, and so it is the value. */
	if (optopt)
		return err_usage(verb, "option %.*s takes no value",
				 (int)strcspn(text, "="), text);
	return err_usage(verb, "no option %s", text);
}

#define OPTIONS_MAX	64

/* Where the text of the help stands, and where its lines end. */
#define HELP_COLUMN	23
#define HELP_WIDTH	80

/* Columns of a UTF-8 text. */
static int help_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

/* Prints the words of a text from a column on, in lines of HELP_WIDTH at most. */
static void help_wrap(const char *text, int column)
{
	while (*text) {
		int length = strcspn(text, " "), columns;
		char word[128];

		snprintf(word, sizeof(word), "%.*s", length, text);
		columns = help_columns(word);
		if (column > HELP_COLUMN && column + 1 + columns > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
		column += printf("%s", column > HELP_COLUMN ? " " : "");
		fputs(word, stdout);
		column += columns;
		text += length;
		text += *text == ' ';
	}
	putchar('\n');
}

static void help_option(const struct options_option *o)
{
	char letter[] = "   ", left[128];
	int columns;

	if (o->code <= UCHAR_MAX)
		snprintf(letter, sizeof(letter), "-%c,", o->code);
	snprintf(left, sizeof(left), "  %s --%s%s%s", letter, o->name,
		 o->value && !strchr("[=", *o->value) ? " " : "", o->value ? o->value : "");
	columns = help_columns(left);
	fputs(left, stdout);
	if (columns >= HELP_COLUMN) {
		putchar('\n');
		columns = 0;
	}
	printf("%*s", HELP_COLUMN - columns, "");
	help_wrap(o->help, HELP_COLUMN);
}

static const struct options_option help_row = { "help", 'h', NULL, "this text" };

static int options_help(const struct options_verb *verb)
{
	printf("%s\n", verb->usage);
	for (const struct options_option *o = verb->options; o && o->name; o++)
		help_option(o);
	help_option(&help_row);
	if (verb->help_more)
		verb->help_more();
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static void list_option(const struct options_option *o)
{
	const char letter[] = { o->code <= UCHAR_MAX ? o->code : '-', '\0' };

	printf("%s %s %s\n", o->name, letter, o->value ? o->value : "-");
}

static int options_list(const struct options_verb *verb)
{
	for (const struct options_option *o = verb->options; o && o->name; o++)
		list_option(o);
	list_option(&help_row);
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* What getopt_long() goes by. */
struct options_getopt {
	struct option table[OPTIONS_MAX];
	char letters[3 * OPTIONS_MAX + 3];	/* "+:" first, then each with up to two colons */
};

static struct option *getopt_add(struct options_getopt *g, struct option *next,
				 const struct options_option *o)
{
	static const char *const colons[] = {
		[no_argument] = "", [required_argument] = ":", [optional_argument] = "::" };
	int has = !o->value ? no_argument : *o->value == '[' ? optional_argument :
							     required_argument;
	size_t at = strlen(g->letters);

	*next = (struct option){ o->name, has, NULL, o->code };
	if (o->code <= UCHAR_MAX)
		sprintf(g->letters + at, "%c%s", o->code,
			o->value && *o->value == '=' ? "" : colons[has]);
	return next + 1;
}

static void getopt_make(struct options_getopt *g, const struct options_verb *verb)
{
	static const struct options_option list = { "list-options", OPTIONS_LIST, NULL, "" };
	struct option *next = g->table;

	memset(g, 0, sizeof(*g));
	strcpy(g->letters, verb->command ? "+:" : ":");
	for (const struct options_option *o = verb->options;
	     o && o->name && next < g->table + OPTIONS_MAX - 3; o++)
		next = getopt_add(g, next, o);
	next = getopt_add(g, next, &help_row);
	getopt_add(g, next, &list);
}

bool options_take(const struct options_verb *verb, int argc, char **argv, void *options,
		  int *status)
{
	struct options_getopt g;
	int c;

	getopt_make(&g, verb);
	opterr = 0;
	*status = 0;
	while (!*status &&
	       (c = getopt_long(argc, argv, g.letters, g.table, NULL)) != -1) {
		if (c == 'h' || c == OPTIONS_LIST) {
			*status = c == 'h' ? options_help(verb) : options_list(verb);
			return false;
		}
		*status = c == '?' || c == ':' ? options_bad(verb->name, c, argv) :
						 verb->take(c, options);
	}
	if (!*status && argc - optind > verb->arguments)
		*status = err_usage(verb->name, "unexpected '%s'",
				    argv[optind + verb->arguments]);
	return !*status;
}

int options_names(int c, struct symbols_options *names)
{
	switch (c) {
	case OPTIONS_NO_INLINE:
		names->no_inlines = true;
		return 0;
	case OPTIONS_NO_DEMANGLE:
		names->mangled = true;
		return 0;
	default:
		return debugfile_ask(optarg) ? ERR_EXIT_FAILED : 0;
	}
}

int options_reading(const char *verb, int c, struct options_reading *options)
{
	switch (c) {
	case 'i':
		options->input = optarg;
		return 0;
	case 'e':
		options->event = optarg;
		return 0;
	case 'o':
		options->output = optarg;
		return 0;
	case OPTIONS_STRICT:
		options->strict = true;
		return 0;
	case OPTIONS_NO_INLINE:
	case OPTIONS_NO_DEMANGLE:
	case OPTIONS_DEBUGINFOD:
		return options_names(c, &options->names);
	case OPTIONS_SYMFS:
		return root_set(optarg) ? ERR_EXIT_FAILED : 0;
	default:
		return filter_option(verb, c, optarg, &options->filter);
	}
}

static int options_sort(const char *verb, const char *text, struct rows_sort *sort)
{
	if (rows_parse(sort, text))
		return 0;
	return err_usage(verb, "-s %s: it is a list of some of %s", text,
			 rows_key_names());
}

int options_table(const char *verb, int c, struct options_table *options)
{
	switch (c) {
	case 's':
		return options_sort(verb, optarg, &options->sort);
	case OPTIONS_CHILDREN:
	case OPTIONS_NO_CHILDREN:
		options->by_total = c == OPTIONS_CHILDREN;
		return 0;
	case OPTIONS_LIMIT:
		return options_percent(verb, optarg, &options->limit);
	case OPTIONS_TABLE_JSON:
	case OPTIONS_TABLE_CSV:
		options->form = c == OPTIONS_TABLE_JSON ? OPTIONS_JSON : OPTIONS_CSV;
		return 0;
	case OPTIONS_NO_PAGER:
		options->no_pager = true;
		return 0;
	default:
		return options_reading(verb, c, &options->reading);
	}
}

double options_limit(const struct options_table *options)
{
	if (options->limit >= 0)
		return options->limit;
	return options->form == OPTIONS_TEXT ? OPTIONS_LIMIT_DEFAULT : 0;
}

void options_table_begin(const struct options_table *options)
{
	if (options->form == OPTIONS_TEXT && !options->no_pager)
		pager_start();
}

int options_table_end(void)
{
	int err = err_flush_stdout();

	pager_end();
	return err;
}

int options_percent(const char *verb, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= 0 && *value <= 100))
		return err_usage(verb, "--percent-limit takes a percentage from 0 to 100, not '%s'",
				 text);
	return 0;
}

bool options_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && isdigit((unsigned char)*text) && !*end && *number <= max;
}

static int options_events(const char *verb, const char *text, struct eventlist *events)
{
	char why[512];

	if (!eventlist_parse(events, text, why, sizeof(why)))
		return 0;
	return err_usage(verb, "%s", why);
}

int options_sampling(const char *verb, int c, const char *text,
		     struct record_options *o)
{
	uint64_t number = 0;

	if (c == 'e')
		return options_events(verb, text, &o->events);
	if (!options_number(text, c == 'F' ? LBRSCOPE_FREQUENCY_MAX :
					     OPTIONS_PERIOD_MAX, &number))
		number = 0;
	if (c == 'F') {
		o->frequency = number;
		return number ? 0 :
		       err_usage(verb, "-F %s: a frequency is a number of samples a "
				 "second from 1 to %d", text, LBRSCOPE_FREQUENCY_MAX);
	}
	o->period = number;
	return number ? 0 : err_usage(verb, "-c %s: a period is a number of events "
				      "from 1 to %llu", text, OPTIONS_PERIOD_MAX);
}

void options_sampling_begin(struct record_options *o, int argc, char **argv)
{
	o->jitter = RECORD_JITTER_UNSET;
	o->argc = argc;
	o->argv = argv;
}

int options_sampling_end(const char *verb, struct record_options *o)
{
	if (o->frequency && o->period)
		return err_usage(verb, "-F and -c exclude each other: a frequency, or a "
				 "period");
	if (o->jitter == RECORD_JITTER_UNSET)
		o->jitter = o->period ? 0 : 10 * OPTIONS_JITTER_DEFAULT;
	if (!o->frequency && !o->period)
		o->frequency = OPTIONS_FREQUENCY_DEFAULT;
	return o->events.nr ? 0 : options_events(verb, "cycles", &o->events);
}
