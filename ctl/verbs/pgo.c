// SPDX-License-Identifier: GPL-2.0
/* Finds the verb of lbrctl pgo and runs it. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "verbs/pgo.h"
#include "verbs/verbs.h"

static const struct {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *description;
} verbs[] = {
	{ "record", pgo_record, "record the taken branches of a program" },
	{ "check", pgo_check_files, "judge whether captures are useful as a profile" },
	{ "export", pgo_export, "add captures up, and write them for clang, gcc or BOLT" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int usage(void)
{
	puts("Usage: lbrctl pgo VERB [OPTION]...\n"
	     "\n"
	     "Profiles for compilers and BOLT, from branch records.\n");
	for (size_t i = 0; i < NR_VERBS; i++)
		printf("  %-8s %s\n", verbs[i].name, verbs[i].description);
	puts("\nOptions of all of them:\n"
	     "  -h, --help           this text, or that of a verb");
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* As options_take() does it; a verb has options of its own. */
static int list_options(void)
{
	puts("help h - this text");
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

int cmd_pgo(int argc, char **argv)
{
	struct near near = { .word = argc > 1 ? argv[1] : "" };
	char others[64];

	if (argc < 2)
		return err_usage("pgo", "no verb given: record, check or export");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage();
	if (!strcmp(argv[1], "--list-options"))
		return list_options();
	for (size_t i = 0; i < NR_VERBS; i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].function(argc - 1, argv + 1);
		near_offer(&near, verbs[i].name);
	}
	near_text(&near, "", others, sizeof(others));
	return err_usage("pgo", "unknown verb '%s'%s%s%s", argv[1], *others ? "; did you mean " : "",
			 others, *others ? "?" : "");
}
