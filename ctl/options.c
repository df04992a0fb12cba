// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debugfile.h"
#include "err.h"
#include "options.h"

int options_bad(const char *verb, int c, char **argv)
{
	const char *text = argv[optind - 1];

	if (c == ':')
		return err_usage(verb, "option %s wants a value", text);
	/* Of "-xy" only getopt knows which it was. */
	if (strncmp(text, "--", 2) && optopt > 0 && optopt <= UCHAR_MAX)
		return err_usage(verb, "no option -%c", optopt);
	return err_usage(verb, "no option %s", text);
}

int options_reading(const char *verb, int c, char **argv,
		    struct options_reading *options)
{
	int err;

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
		options->names.no_inlines = true;
		return 0;
	case OPTIONS_NO_DEMANGLE:
		options->names.mangled = true;
		return 0;
	case OPTIONS_DEBUGINFOD:
		return debugfile_ask(optarg) ? ERR_EXIT_FAILED : 0;
	case 'h':
		options->help = true;
		return 0;
	default:
		err = filter_option(verb, c, optarg, &options->filter);
		return err < 0 ? options_bad(verb, c, argv) : err;
	}
}

int options_sort(const char *verb, const char *text, struct rows_sort *sort)
{
	if (rows_parse(sort, text))
		return 0;
	return err_usage(verb, "-s %s: it is a list of some of %s", text,
			 rows_key_names());
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

int options_end(const char *verb, int argc, char **argv)
{
	return optind < argc ?
	       err_usage(verb, "unexpected '%s'", argv[optind]) : 0;
}
