// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis.h"
#include "cmd.h"
#include "err.h"
#include "out_flame.h"
#include "samples.h"

static const char help[] =
	"Usage: lbrctl flame [-i FILE] [-e EVENT] [-o FILE] [--strict]\n"
	"\n"
	"Writes a capture's flame graph as one HTML page that needs nothing else: open it\n"
	"in a browser to zoom, search and read shares and counts.\n"
	"\n"
	"  -i, --input FILE   the capture (perf.data)\n"
	"  -e, --event EVENT  of this event only, as offcpu-time (all others)\n"
	"  -o, --output FILE  the page (flame.html)\n"
	"      --strict       without stacks that are broken or disputed\n"
	"  -h, --help         this text\n";

static int flame(const char *input, const char *event, const char *output,
		 bool strict)
{
	struct analysis *a = analysis_open(input, event, strict);
	int ret = ERR_EXIT_FAILED;

	if (!a)
		return ERR_EXIT_FAILED;
	if (!a->nr_samples)
		samples_none(input);
	else if (!out_flame_write(a, output))
		ret = ERR_EXIT_DONE;
	analysis_free(a);
	return ret;
}

int cmd_flame(int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "event", required_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "strict", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *input = "perf.data", *event = NULL, *output = "flame.html";
	bool strict = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":i:e:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			input = optarg;
			break;
		case 'e':
			event = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 's':
			strict = true;
			break;
		case 'h':
			fputs(help, stdout);
			return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
		case ':':
			return err_usage("flame", "%s needs a value", argv[optind - 1]);
		default:
			return err_usage("flame", "unknown option '%s'",
					 argv[optind - 1]);
		}
	}
	if (optind < argc)
		return err_usage("flame", "unexpected '%s'", argv[optind]);
	return flame(input, event, output, strict);
}
