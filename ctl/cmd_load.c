// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "control.h"
#include "err.h"
#include "module.h"
#include "options.h"

static const char usage[] =
	"Usage: lbrctl load [MODULE]\n"
	"\n"
	"Loads the kernel module lbrscope and what it depends on. MODULE is a\n"
	"file to load instead of the one installed, as ./lbrscope.ko.\n";

int cmd_load(int argc, char **argv)
{
	struct control_info info;
	struct control control;
	int loaded;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return options_help(usage);
	if (argc > 2)
		return err_usage("load", "one module at a time");
	if (argc == 2 && argv[1][0] == '-')
		return err_usage("load", "no option %s", argv[1]);

	loaded = module_load(argc == 2 ? argv[1] : MODULE_NAME);
	if (loaded < 0)
		return ERR_EXIT_FAILED;
	if (loaded)
		fprintf(stderr, "lbrctl: module " MODULE_NAME
			" was loaded already\n");
	if (control_open(&control))
		return ERR_EXIT_DONE;
	if (!control_info(&control, &info) && info.unsupported[0])
		err_warn("module " MODULE_NAME " is loaded, but no session can "
			 "be started: %s", info.unsupported);
	control_close(&control);
	return ERR_EXIT_DONE;
}
