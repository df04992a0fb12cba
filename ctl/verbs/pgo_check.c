// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl pgo check. */
#include "base/err.h"
#include "pgo/check.h"
#include "verbs/options.h"
#include "verbs/pgo.h"

static const char usage[] =
	"Usage: lbrctl pgo check [-e EVENT] [--object PATH] [--symfs FOLDER] [--json]\n"
	"                        FILE...\n"
	"\n"
	"Prints what the branches of captures are worth as a profile of one object, and\n"
	"refuses useless ones with status 1.\n";

struct pgo_check_options {
	struct counts_query query;
	struct filter filter;
	bool json;
};

static int check(const struct pgo_check_options *o, char **files, int nr)
{
	struct pgo_check c = { 0 };
	int err = pgo_check(&c, &o->query, files, nr);

	if (o->json)
		pgo_print_json(&c);
	else
		pgo_print_text(&c);
	err = err_flush_stdout() || err;
	pgo_check_free(&c);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	PGO_ROWS(struct pgo_check_options, query.),
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct pgo_check_options, json, bool) },
	{ .name = NULL }
};

int pgo_check_files(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "pgo check", .usage = usage,
		.options = options, .arguments = OPTIONS_ANY,
	};
	struct pgo_check_options o = { .query.filter = &o.filter };
	int err;

	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	if (optind == argc)
		return err_usage("pgo check", "no capture given");
	return check(&o, argv + optind, argc - optind);
}
