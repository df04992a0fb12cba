// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl load. */
#include <stdio.h>

#include "base/err.h"
#include "module/load.h"
#include "module/netlink.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl load [MODULE]\n"
	"\n"
	"Loads the kernel module lbrscope and the modules it depends on. MODULE is a file\n"
	"to load instead of the installed one, such as ./lbrscope.ko.\n";

static int load(const char *name)
{
	struct control_info info;
	struct control control;
	int loaded;

	loaded = module_load(name);
	if (loaded < 0)
		return ERR_EXIT_FAILED;
	if (loaded) {
		fprintf(stderr, "lbrctl: module " MODULE_NAME
			" is already loaded\n");
		module_warn_outdated();
	}
	if (control_open(&control))
		return ERR_EXIT_DONE;
	if (!control_info(&control, &info) && info.unsupported[0])
		err_warn("module " MODULE_NAME " is loaded, but no session can "
			 "be started: %s", info.unsupported);
	control_close(&control);
	return ERR_EXIT_DONE;
}

int cmd_load(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "load", .usage = usage, .arguments = 1,
	};
	int err;

	if (!options_take(&verb, argc, argv, NULL, &err))
		return err;
	return load(optind < argc ? argv[optind] : MODULE_NAME);
}
