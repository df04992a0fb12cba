// SPDX-License-Identifier: GPL-2.0
/* Parses the options of a verb, and prints its help, by one table. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/near.h"
#include "base/pager.h"
#include "machine/machine.h"
#include "object/debugfile.h"
#include "verbs/options.h"
#include "verbs/perfwords.h"

/* A counter is loaded with minus the period, of which 31 bits count. */
#define OPTIONS_PERIOD_MAX	0x7fffffffULL
/* Not 1000, which is a timer's: samples would fall into step with it. */
#define OPTIONS_FREQUENCY_DEFAULT	999
/* Jitter in percent of a period, so that samples do not fall into step with a loop of the
 * program. A period that the user gives has no jitter. */
#define OPTIONS_JITTER_DEFAULT	10
/* Percent of the total: text output omits smaller lines. */
#define OPTIONS_LIMIT_DEFAULT	0.5

/* Prints that no such option is in the table, and which ones are similar. */
static int options_unknown(const struct options_verb *verb, const char *text)
{
	char option[64], others[256];
	const char *word = option + 2, *answer;
	struct near near = { .word = word };

	snprintf(option, sizeof(option), "%.*s", (int)strcspn(text, "="), text);
	answer = perfwords_answer(verb->name, option);
	if (answer)
		return err_usage(verb->name, "unknown option %s: %s", option, answer);
	for (const struct options_option *o = verb->options; o && o->name; o++)
		near_offer(&near, o->name);
	near_text(&near, "--", others, sizeof(others));
	return err_usage(verb->name, "unknown option %s%s%s%s", text,
			 *others ? "; did you mean " : "", others, *others ? "?" : "");
}

/* Prints the error for a bad option; c: getopt_long()'s result, '?' or ':'. */
static int options_bad(const struct options_verb *verb, int c, char **argv)
{
	const char *text = argv[optind - 1], *answer;
	const char letter[] = { '-', optopt, '\0' };

	if (c == ':')
		return err_usage(verb->name, "option %s needs a value", text);
	/* In "-xy" only getopt knows which letter is wrong. */
	if (strncmp(text, "--", 2) && optopt > 0 && optopt <= UCHAR_MAX) {
		answer = perfwords_answer(verb->name, letter);
		return err_usage(verb->name, "unknown option %s%s%s", letter, answer ? ": " : "",
				 answer ? answer : "");
	}
	/* The option is known, so its value is wrong. */
	if (optopt)
		return err_usage(verb->name, "option %.*s takes no value",
				 (int)strcspn(text, "="), text);
	return options_unknown(verb, text);
}

#define OPTIONS_MAX	64

/* Column of the help texts, and width of lines. */
#define HELP_COLUMN	23
#define HELP_WIDTH	80

/* Returns the columns of a UTF-8 text. */
static int help_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

/* Prints the words of a text from a column on, in lines of at most HELP_WIDTH. */
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

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c,", o->letter);
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

static const struct options_option help_row = {
	.name = "help", .letter = 'h', .help = "this text" };

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
	printf("%s %c %s %s\n", o->name, o->letter ? o->letter : '-',
	       o->value ? o->value : "-", o->help);
}

static int options_list(const struct options_verb *verb)
{
	for (const struct options_option *o = verb->options; o && o->name; o++)
		list_option(o);
	list_option(&help_row);
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* Codes of options without a letter: OPTIONS_FIRST + the number of the row. */
enum { OPTIONS_LIST = 256, OPTIONS_FIRST };

/* The tables for getopt_long(). */
struct options_getopt {
	struct option table[OPTIONS_MAX];
	char letters[3 * OPTIONS_MAX + 3];	/* "+:", then each letter with up to two colons */
};

static void getopt_add(struct options_getopt *g, size_t i, const struct options_option *o,
		       int code)
{
	static const char *const colons[] = {
		[no_argument] = "", [required_argument] = ":", [optional_argument] = "::" };
	int has = !o->value ? no_argument : *o->value == '[' ? optional_argument :
							     required_argument;
	size_t at = strlen(g->letters);

	g->table[i] = (struct option){ o->name, has, NULL, o->letter ? o->letter : code };
	if (o->letter)
		sprintf(g->letters + at, "%c%s", o->letter,
			o->value && *o->value == '=' ? "" : colons[has]);
}

static void getopt_make(struct options_getopt *g, const struct options_verb *verb)
{
	static const struct options_option list = { .name = "list-options" };
	const struct options_option *o = verb->options;
	size_t i;

	memset(g, 0, sizeof(*g));
	strcpy(g->letters, verb->command ? "+:" : ":");
	for (i = 0; o && o[i].name && i < OPTIONS_MAX - 3; i++)
		getopt_add(g, i, &o[i], OPTIONS_FIRST + i);
	getopt_add(g, i, &help_row, 0);
	getopt_add(g, i + 1, &list, OPTIONS_LIST);
}

/* Returns the row for getopt's c, which is one of the table's. */
static const struct options_option *getopt_row(const struct options_verb *verb, int c)
{
	const struct options_option *o = verb->options;

	if (c >= OPTIONS_FIRST)
		return &o[c - OPTIONS_FIRST];
	while (o->letter != c)
		o++;
	return o;
}

bool options_take(const struct options_verb *verb, int argc, char **argv, void *options,
		  int *status)
{
	const struct options_option *o;
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
		if (c == '?' || c == ':') {
			*status = options_bad(verb, c, argv);
			continue;
		}
		o = getopt_row(verb, c);
		*status = o->take(verb->name, optarg, (char *)options + o->part);
	}
	if (!*status && argc - optind > verb->arguments)
		*status = err_usage(verb->name, "unexpected '%s'",
				    argv[optind + verb->arguments]);
	return !*status;
}

int options_set(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	*(bool *)part = true;
	return 0;
}

int options_clear(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	*(bool *)part = false;
	return 0;
}

int options_ignore(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	(void)part;
	return 0;
}

int options_text(const char *verb, const char *value, void *part)
{
	(void)verb;
	*(const char **)part = value;
	return 0;
}

int options_cpus(const char *verb, const char *value, void *part)
{
	return cpulist_option(verb, part, value);
}

int options_symfs(const char *verb, const char *folder, void *part)
{
	(void)verb;
	(void)part;
	return machine_symfs(folder) ? ERR_EXIT_FAILED : 0;
}

int options_sources(const char *verb, const char *folder, void *part)
{
	(void)verb;
	(void)part;
	return machine_sources(folder) ? ERR_EXIT_FAILED : 0;
}

int options_debuginfod(const char *verb, const char *url, void *part)
{
	(void)verb;
	(void)part;
	return debugfile_ask(url) ? ERR_EXIT_FAILED : 0;
}

int options_sort(const char *verb, const char *text, void *part)
{
	if (rows_parse(part, text))
		return 0;
	return err_usage(verb, "-s %s: expected a list of keys: %s", text,
			 rows_key_names());
}

int options_json(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	*(enum options_form *)part = OPTIONS_JSON;
	return 0;
}

int options_csv(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	*(enum options_form *)part = OPTIONS_CSV;
	return 0;
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

int options_percent(const char *verb, const char *text, void *part)
{
	double *value = part;
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

uint64_t options_positive(const char *text, uint64_t max)
{
	uint64_t number;

	return options_number(text, max, &number) ? number : 0;
}

int options_events(const char *verb, const char *text, void *part)
{
	char why[512];

	if (!eventlist_parse(part, text, why, sizeof(why)))
		return 0;
	return err_usage(verb, "%s", why);
}

int options_frequency(const char *verb, const char *text, void *part)
{
	struct record_options *o = part;

	o->frequency = options_positive(text, LBRSCOPE_FREQUENCY_MAX);
	return o->frequency ? 0 :
	       err_usage(verb, "-F %s: the frequency is 1 to %d samples per second",
			 text, LBRSCOPE_FREQUENCY_MAX);
}

int options_period(const char *verb, const char *text, void *part)
{
	struct record_options *o = part;

	o->period = options_positive(text, OPTIONS_PERIOD_MAX);
	return o->period ? 0 :
	       err_usage(verb, "-c %s: the period is 1 to %llu events", text, OPTIONS_PERIOD_MAX);
}

int options_duration(const char *verb, const char *text, void *part)
{
	uint64_t *duration = part;

	if (duration_parse(text, 0, duration) && *duration)
		return 0;
	return err_usage(verb, "-d %s: the duration must be positive and needs a unit ("
			 DURATION_UNITS "), such as 10s", text);
}

int options_capture(const char *verb, const char *text, void *part)
{
	*(const char **)part = text;
	if (!strcmp(text, "-"))
		return err_usage(verb, "-o -: a capture cannot go to a pipe, since its header "
				 "is written last: name a file");
	return *text ? 0 : err_usage(verb, "-o needs the name of a file");
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
		return err_usage(verb, "-F and -c exclude each other: give a frequency or a "
				 "period");
	if (o->jitter == RECORD_JITTER_UNSET)
		o->jitter = o->period ? 0 : 10 * OPTIONS_JITTER_DEFAULT;
	if (!o->frequency && !o->period)
		o->frequency = OPTIONS_FREQUENCY_DEFAULT;
	o->default_event = !o->events.nr;
	return o->events.nr ? 0 : options_events(verb, "cycles", &o->events);
}

int options_input(const char *verb, const char **input, const char *argument)
{
	if (*input && argument)
		return err_usage(verb, "-i %s and %s: give one capture", *input, argument);
	if (!*input)
		*input = argument ? argument : "perf.data";
	return 0;
}
