// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "cmd.h"
#include "err.h"
#include "options.h"
#include "samples.h"

enum { REPORT_MIN = OPTIONS_OWN };

static const char help[] =
	"Usage: lbrctl report [-i FILE] [-e EVENT] [--min PERCENT] [--strict]\n"
	"\n"
	"Prints what a capture shows: the samples, losses and stack verdicts, self and\n"
	"total of each function, and the call tree from the threads' entries down.\n"
	"\n"
	"  -i, --input FILE   the capture (perf.data)\n"
	"  -e, --event EVENT  of this event only, as offcpu-time (all others)\n"
	"      --min PERCENT  leave out what has less of the total (0.5)\n"
	"      --strict       without stacks that are broken or disputed\n"
	OPTIONS_NAMES_USAGE
	"  -h, --help         this text\n";

static void print_line(void *ctx, const char *text)
{
	(void)ctx;
	printf("# %s\n", text);
}

static const char *name_suffix(const struct profile_entry *e)
{
	return e->kind == PROFILE_TAIL_CALL ? " [tail call]" :
	       e->kind == PROFILE_INLINED ? " [inlined]" :
	       e->kind == PROFILE_KERNEL ? " [k]" : "";
}

static int print_functions(const struct analysis *a, double min)
{
	const struct profile_entry **list;
	size_t nr, left_out = 0;

	list = profile_functions(a->profile, &nr);
	if (!list)
		return err_errno("sorting the functions");
	printf("#\n# %7s %8s %10s  %-40s %s\n", "Self", "Total", "Samples",
	       "Function", "Object");
	for (size_t i = 0; i < nr; i++) {
		const struct profile_entry *e = list[i];
		int width;

		if (analysis_percent(a, e->total) < min) {
			left_out++;
			continue;
		}
		printf("%8.2f%% %7.2f%% %10" PRIu64 "  ",
		       analysis_percent(a, e->self),
		       analysis_percent(a, e->total), e->self_samples);
		width = printf("%s%s", e->name, name_suffix(e));
		printf("%*s %s\n", width < 40 ? 40 - width : 0, "", e->object);
	}
	free(list);
	if (left_out)
		printf("# %zu functions below %g%% of the total left out\n",
		       left_out, min);
	return 0;
}

static void print_mark(const char *mark, uint64_t part, uint64_t total)
{
	if (part && part == total)
		printf(" [%s]", mark);
	else if (part)
		printf(" [%s %.2f%%]", mark, 100.0 * part / total);
}

/* Depth first without recursion: a stack may have any number of frames. */
static void print_tree(const struct analysis *a, double min)
{
	const struct profile *p = a->profile;
	uint32_t n = p->nodes[0].first_child;
	unsigned int depth = 0;

	printf("#\n# %7s %8s  %s\n", "Total", "Self", "Call tree");
	while (n) {
		const struct profile_node *node = &p->nodes[n];
		const struct profile_entry *e = &p->entries[node->entry];
		bool shown = analysis_percent(a, node->total) >= min;

		if (shown) {
			printf("%8.2f%% %7.2f%%  %*s%s%s",
			       analysis_percent(a, node->total),
			       analysis_percent(a, node->self), 2 * depth, "",
			       e->name, name_suffix(e));
			print_mark("unwound", node->unwound, node->total);
			print_mark("stitched", node->stitched, node->total);
			printf("\n");
		}
		if (shown && node->first_child) {
			n = node->first_child;
			depth++;
			continue;
		}
		/* Siblings follow by falling total: none is larger. */
		while (n && (!shown || !p->nodes[n].next)) {
			n = p->nodes[n].parent;
			shown = true;
			depth--;
		}
		if (n)
			n = p->nodes[n].next;
	}
}

static int parse_percent(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= 0 && *value <= 100))
		return err_usage("report", "--min takes a percentage from 0 to 100, not '%s'",
				 text);
	return 0;
}

static int report(const struct options_reading *o, double min)
{
	struct analysis *a = analysis_open(o->input, o->event, o->strict,
				   &o->names);
	int ret = ERR_EXIT_FAILED;

	if (!a)
		return ERR_EXIT_FAILED;
	analysis_summary(a, print_line, NULL);
	if (!a->nr_samples) {
		samples_none(o->input);
	} else if (!print_functions(a, min)) {
		print_tree(a, min);
		ret = ERR_EXIT_DONE;
	}
	analysis_free(a);
	return err_flush_stdout() ? ERR_EXIT_FAILED : ret;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_READING_LONG,
		OPTIONS_NAMES_LONG,
		{ "min", required_argument, NULL, REPORT_MIN },
		{ "strict", no_argument, NULL, OPTIONS_STRICT },
		{ NULL, 0, NULL, 0 }
	};
	struct options_reading o = { .input = "perf.data" };
	double min = 0.5;
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, ":i:e:h", options, NULL)) != -1)
		err = c == REPORT_MIN ? parse_percent(optarg, &min) :
					options_reading("report", c, argv, &o);
	if (!err)
		err = options_end("report", argc, argv);
	if (err)
		return err;
	if (o.help) {
		fputs(help, stdout);
		return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	return report(&o, min);
}
