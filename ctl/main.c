// SPDX-License-Identifier: GPL-2.0
/* Finds the verb and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "verbs/perfwords.h"
#include "verbs/verbs.h"

static const struct verb {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *description;
} verbs[] = {
	{ "record", cmd_record, "sample a program, a process or the whole machine" },
	{ "stat", cmd_stat, "count events of a program, a process or the whole machine" },
	{ "top", cmd_top, "show live in which functions the time is spent" },
	{ "report", cmd_report, "print what a capture shows, by function and as a call tree" },
	{ "browse", cmd_browse, "show a capture's functions, calls and code on the terminal" },
	{ "diff", cmd_diff, "compare two captures, and mark significant changes" },
	{ "flame", cmd_flame, "write a capture's flame graph as an HTML page" },
	{ "annotate", cmd_annotate, "print the instructions of a function with their samples" },
	{ "blocks", cmd_blocks, "print basic blocks with their cycles, from branch records" },
	{ "export", cmd_export, "write a capture's stacks in the formats of other programs" },
	{ "pgo", cmd_pgo, "record, check and export a profile for a compiler or BOLT" },
	{ "push", cmd_push, "send captures to a server that stores profiles" },
	{ "script", cmd_script, "print each sample in the layout of perf script" },
	{ "archive", cmd_archive, "write a capture and the files that it names into one file" },
	{ "import", cmd_import, "make a capture of the text that perf script prints" },
	{ "list", cmd_list, "list the events of this CPU, with what they count" },
	{ "regs", cmd_regs, "print a CPU's counter and branch record registers" },
	{ "doctor", cmd_doctor, "find what prevents a recording, and its remedy" },
	{ "triage", cmd_triage, "find which resource the machine is short of, and what to profile" },
	{ "info", cmd_info, "show what the CPU and the module can do" },
	{ "load", cmd_load, "load the kernel module" },
	{ "unload", cmd_unload, "unload the kernel module" },
	{ NULL, NULL, NULL }
};

static void usage(FILE *out)
{
	const struct verb *v;

	fprintf(out, "Usage: lbrctl VERB [OPTION]...\n"
		     "       lbrctl help [VERB]\n"
		     "       lbrctl -V|--version\n\n");
	for (v = verbs; v->name; v++)
		fprintf(out, "  %-8s %s\n", v->name, v->description);
	fprintf(out, "\n'lbrctl VERB --help' lists the options of a verb; 'man lbrctl-VERB' describes them.\n"
		     "First steps: 'lbrctl load', 'lbrctl doctor', 'lbrctl record -- ./program',\n"
		     "'lbrctl report'.\n");
}

/* Returns the verb of that name, or NULL with a message. */
static const struct verb *find(const char *name)
{
	const char *answer = perfwords_answer("", name);
	struct near near = { .word = name };
	char others[128];

	for (const struct verb *v = verbs; v->name; v++) {
		if (!strcmp(name, v->name))
			return v;
		near_offer(&near, v->name);
	}
	if (answer) {
		err_fail("unknown verb '%s': %s", name, answer);
		return NULL;
	}
	near_text(&near, "", others, sizeof(others));
	err_fail("unknown verb '%s'%s%s%s (see 'lbrctl --help')", name,
		 *others ? "; did you mean " : "", others, *others ? "?" : "");
	return NULL;
}

static int usage_asked(void)
{
	usage(stdout);
	return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* lbrctl help [VERB] */
static int help(int argc, char **argv)
{
	char option[] = "--help";
	const struct verb *v;

	if (!argc)
		return usage_asked();
	v = find(argv[0]);
	return v ? v->function(2, (char *[]){ argv[0], option, NULL }) : ERR_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct verb *v;

	/* Without this, SIGPIPE would kill `lbrctl report | head`. write() returns EPIPE instead. */
	signal(SIGPIPE, SIG_IGN);
	/* So would SIGXFSZ at `ulimit -f`. The call fails with EFBIG instead, as on a full disk. */
	signal(SIGXFSZ, SIG_IGN);

	if (argc < 2) {
		usage(stderr);
		return ERR_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage_asked();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		version_print();
		return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	if (!strcmp(argv[1], "help"))
		return help(argc - 2, argv + 2);
	v = find(argv[1]);
	return v ? v->function(argc - 1, argv + 1) : ERR_EXIT_USAGE;
}
