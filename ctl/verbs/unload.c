// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl unload. */
#include <stdio.h>

#include "base/err.h"
#include "module/load.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl unload\n"
	"\n"
	"Unloads the kernel module lbrscope. Fails while a session is open.\n";

int cmd_unload(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "unload", .usage = usage,
	};
	int unloaded;

	if (!options_take(&verb, argc, argv, NULL, &unloaded))
		return unloaded;
	unloaded = module_unload(MODULE_NAME);
	if (unloaded < 0)
		return ERR_EXIT_FAILED;
	if (unloaded)
		fprintf(stderr, "lbrctl: module " MODULE_NAME
			" is not loaded\n");
	return ERR_EXIT_DONE;
}
