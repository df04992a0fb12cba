// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "analysis.h"
#include "cmd.h"
#include "err.h"
#include "options.h"
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

static int flame(const struct options_reading *o)
{
	struct analysis *a = analysis_open(o->input, o->event, o->strict);
	int ret = ERR_EXIT_FAILED;

	if (!a)
		return ERR_EXIT_FAILED;
	if (!a->nr_samples)
		samples_none(o->input);
	else if (!out_flame_write(a, o->output))
		ret = ERR_EXIT_DONE;
	analysis_free(a);
	return ret;
}

int cmd_flame(int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_READING_LONG,
		{ "output", required_argument, NULL, 'o' },
		{ "strict", no_argument, NULL, OPTIONS_STRICT },
		{ NULL, 0, NULL, 0 }
	};
	struct options_reading o = { .input = "perf.data", .output = "flame.html" };
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, ":i:e:o:h", options, NULL)) != -1)
		err = options_reading("flame", c, argv, &o);
	if (!err)
		err = options_end("flame", argc, argv);
	if (err)
		return err;
	if (o.help) {
		fputs(help, stdout);
		return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	return flame(&o);
}
