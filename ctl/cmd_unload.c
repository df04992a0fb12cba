// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "module.h"
#include "options.h"

static const char usage[] =
	"Usage: lbrctl unload\n"
	"\n"
	"Unloads the kernel module lbrscope. It is refused while a session is\n"
	"open.\n";

int cmd_unload(int argc, char **argv)
{
	int unloaded;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return options_help(usage);
	if (argc > 1)
		return err_usage("unload", "it takes no argument: %s", argv[1]);

	unloaded = module_unload(MODULE_NAME);
	if (unloaded < 0)
		return ERR_EXIT_FAILED;
	if (unloaded)
		fprintf(stderr, "lbrctl: module " MODULE_NAME
			" was not loaded\n");
	return ERR_EXIT_DONE;
}
