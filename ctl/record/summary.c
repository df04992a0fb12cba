// SPDX-License-Identifier: GPL-2.0
/* Prints the summary of a recording. */
#include <stdio.h>

#include "base/err.h"
#include "module/stats.h"
#include "record/summary.h"

/* Prints the number and the total time of each kind of times off the CPU. */
static void summary_print_offcpu(const struct control_stats *stats)
{
	static const char * const ends[LBRSCOPE_OFFCPU_NR] = {
		[LBRSCOPE_OFFCPU_DELIVERED] = "delivered",
		[LBRSCOPE_OFFCPU_SHORT] = "too short",
		[LBRSCOPE_OFFCPU_THROTTLED] = "lost to the rate limit",
		[LBRSCOPE_OFFCPU_RING_FULL] = "lost to a full ring",
		[LBRSCOPE_OFFCPU_OVERWRITTEN] = "overwritten",
		[LBRSCOPE_OFFCPU_FROZEN] = "lost to a frozen ring",
	};
	uint64_t nr = 0, ns = 0;
	unsigned int i;

	for (i = 0; i < LBRSCOPE_OFFCPU_NR; i++) {
		nr += stats->offcpu[i];
		ns += stats->offcpu_ns[i];
	}
	fprintf(stderr, "lbrctl: %llu times off the CPU, %.6f s:",
		(unsigned long long)nr, ns * 1e-9);
	for (i = 0; i < LBRSCOPE_OFFCPU_NR; i++)
		if (!i || stats->offcpu[i])
			fprintf(stderr, "%s %llu %s (%.6f s)", i ? "," : "",
				(unsigned long long)stats->offcpu[i], ends[i],
				stats->offcpu_ns[i] * 1e-9);
	if (stats->offcpu_open)
		fprintf(stderr, "; %llu not ended", (unsigned long long)
			stats->offcpu_open);
	fputc('\n', stderr);
}

static void summary_print_figures(const struct summary *summary)
{
	const struct control_stats *stats = summary->stats;
	uint64_t written = stats->delivered - summary->unwritten;
	char text[256], files[64] = "", lost[LOSSES_TEXT];

	if (summary->nr_files)
		snprintf(files, sizeof(files), ".* (%u files)", summary->nr_files);
	losses_text(&summary->losses, lost);
	fprintf(stderr, "lbrctl: %llu samples from %u CPU%s in %.2f s, wrote "
		"%.2f MB to %s%s; produced %llu = delivered %llu + lost %llu%s\n",
		(unsigned long long)(written - summary->omitted), summary->nr_cpus,
		summary->nr_cpus == 1 ? "" : "s", summary->seconds,
		summary->bytes * 1e-6, summary->file, files,
		(unsigned long long)stats->produced,
		(unsigned long long)written,
		(unsigned long long)(stats_lost(stats) + summary->unwritten), lost);
	if (stats->unwanted)
		fprintf(stderr, "lbrctl: %llu further samples fell due and were left out by "
			"--only\n", (unsigned long long)stats->unwanted);
	if (stats->branches_off)
		fprintf(stderr, "lbrctl: %llu samples have no branches: a watchpoint of perf or of "
			"a debugger, or a BPF program, had switched their recording off\n",
			(unsigned long long)stats->branches_off);
	if (summary->omitted + summary->omitted_offcpu)
		fprintf(stderr, "lbrctl: %llu of the delivered samples and %llu times off the CPU "
			"were omitted, as the recording was disabled\n",
			(unsigned long long)summary->omitted,
			(unsigned long long)summary->omitted_offcpu);
	if (stats->cost_time)
		fprintf(stderr, "lbrctl: sampling took %.2f %% of the CPUs' time "
			"in interrupts and %.2f %% at context switches\n",
			100.0 * stats->cost_nmi / stats->cost_time,
			100.0 * stats->cost_switch / stats->cost_time);
	if (budget_text(summary->budget, text, sizeof(text)))
		fprintf(stderr, "lbrctl: budget: %s\n", text);
	if (summary->offcpu)
		summary_print_offcpu(stats);
}

void summary_print(const struct summary *summary)
{
	const struct control_stats *stats = summary->stats;

	if (!summary->quiet)
		summary_print_figures(summary);
	if (summary->missed)
		err_warn("%u processes ended before their mappings could be read from /proc: "
			 "their samples have no names",
			 summary->missed);
	stats_warn_hidden(stats);
	if (stats->missed)
		err_warn("Linux missed %llu triggers: too many calls of the function were open, "
			 "or one probe hit within another",
			 (unsigned long long)stats->missed);
	if (stats->untracked)
		err_warn("the module had no memory for the branch records of %llu tasks: their "
			 "stacks begin at their last context switch",
			 (unsigned long long)stats->untracked);
}
