// SPDX-License-Identifier: GPL-2.0
/* Says everything about an analysis that its head leaves out. */
#include <inttypes.h>
#include <stdio.h>

#include "base/lines.h"
#include "profile/analysis.h"

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* Says of which stacks the audit speaks: those from memory need none. */
static void details_audit(const struct analysis *a, const struct lines *p)
{
	const struct analysis_audit audit = analysis_audit(a);
	char failed[96] = "", bound[96] = "too few for a bound";

	if (!samples_info(a->samples)->audited || a->follows)
		return;
	if (!audit.checked) {
		if (a->by_lbr)
			lines_say(p, "Audit: none of the stacks that the LBR alone gives could be checked against memory");
		return;
	}
	if (audit.failed)
		snprintf(failed, sizeof(failed), " in %zu %s (such stacks are called unproved there)",
			 audit.failed, audit.failed > 1 ? "processes" : "process");
	if (audit.bounded)
		snprintf(bound, sizeof(bound), "at most %.2g %% of them are wrong (95 %%)",
			 100 * audit.wrong.high);
	lines_say(p, "Audit: %" PRIu64 " of the stacks that the LBR alone gives were checked against memory, %" PRIu64
		  " disagreed%s: %s", audit.checked, audit.disagreed, failed, bound);
}

/* All reasons of the verdicts, the most frequent first, and what helps. */
static void details_reasons(const struct analysis *a, const struct lines *p)
{
	bool said[VERDICT_ROWS] = { false };

	for (;;) {
		const struct verdict *why = NULL;
		uint64_t weight = 0;

		for (size_t i = 0; i < VERDICT_ROWS; i++) {
			if (said[i] || (why ? a->reason_weights[i] <= weight : !a->reasons[i]))
				continue;
			why = &verdict_table[i];
			weight = a->reason_weights[i];
		}
		if (!why)
			return;
		said[why - verdict_table] = true;
		lines_say(p, "[%s] %.2f%%: %s%s%s", stacks_verdict_name(why->verdict),
			  share(weight, analysis_judged(a)), why->reason,
			  *why->remedy ? "; " : "", why->remedy);
	}
}

static void details_verdicts(const struct analysis *a, const struct lines *p)
{
	char text[512];
	int at = 0;

	for (int v = 0; v < STACKS_NR_VERDICTS; v++)
		if (v < STACKS_DISPUTED || a->verdicts[v])
			at += snprintf(text + at, sizeof(text) - at,
				       "%s%" PRIu64 " %s (%.2f%%)", v ? ", " : "",
				       a->verdicts[v], stacks_verdict_name(v),
				       share(analysis_of_verdict(a, v), analysis_judged(a)));
	lines_say(p, "Stacks: %s", text);
	details_reasons(a, p);
	if (a->inferred)
		lines_say(p, "Inferred: %" PRIu64 " (%.2f%%) stacks have frames inferred from tail "
			  "calls, marked [tail call]",
			  a->inferred, share(a->inferred, a->nr_samples));
	if (a->unwound)
		lines_say(p, "Unwound: %" PRIu64 " (%.2f%%) stacks have frames that only the user "
			  "stack or a signal shows, marked [unwound]",
			  a->unwound, share(a->unwound, a->nr_samples));
	if (a->pointed)
		lines_say(p, "Frame pointers: %" PRIu64 " (%.2f%%) stacks have frames that rest on a "
			  "frame pointer of code without unwinding information, marked "
			  "[by frame pointer]", a->pointed, share(a->pointed, a->nr_samples));
	if (a->stitched)
		lines_say(p, "Stitched: %" PRIu64 " (%.2f%%) stacks have frames from other samples of "
			  "the thread, marked [stitched]",
			  a->stitched, share(a->stitched, a->nr_samples));
	details_audit(a, p);
	if (a->unverified)
		lines_say(p, "Unverified: %" PRIu64 " (%.2f%%) stacks have entries that could not be checked against the code",
			  a->unverified, share(a->unverified, a->nr_samples));
}

/* Prints the part of the samples that passed the filters, and the share of each CPU. */
static void details_chosen(const struct analysis *a, const struct lines *p)
{
	const struct analysis_cpu *most = NULL, *least = NULL;
	uint64_t sum = 0;
	size_t nr = 0;

	if (a->query.filter && filter_active(a->query.filter))
		lines_say(p, "Filtered: %.2f%% of the %" PRIu64 " samples match; shares refer "
			  "to these",
			  share(a->nr_samples, a->nr_read), a->nr_read);
	for (size_t i = 0; i < a->nr_cpus; i++) {
		const struct analysis_cpu *cpu = &a->cpus[i];

		if (!cpu->samples)
			continue;
		sum = tally_sum(sum, cpu->period);
		most = most && most->period >= cpu->period ? most : cpu;
		least = least && least->period <= cpu->period ? least : cpu;
		nr++;
	}
	if (nr > 1)
		lines_say(p, "CPUs: %zu, average %.2f%% each; most on CPU %zu (%.2f%%), least on CPU "
			  "%zu (%.2f%%)",
			  nr, 100.0 / nr, most - a->cpus, share(most->period, sum),
			  least - a->cpus, share(least->period, sum));
}

static void details_losses(const struct analysis *a, const struct lines *p)
{
	const struct samples_losses losses = samples_losses(a->samples);
	char causes[LOSSES_TEXT];

	losses_text(&samples_info(a->samples)->losses, causes);
	lines_say(p, "Lost: %" PRIu64 " samples%s, %" PRIu64 " records", losses.samples, causes,
		  losses.records);
}

static void details_machine(const struct perfdata_info *info, const struct lines *p)
{
	if (info->cmdline)
		lines_say(p, "Command: %s", info->cmdline);
	if (info->hostname || info->osrelease)
		lines_say(p, "Host: %s, Linux %s", info->hostname ? info->hostname : "?",
			  info->osrelease ? info->osrelease : "?");
}

void analysis_details(const struct analysis *a, const struct lines *p)
{
	if (!a->follows)
		details_machine(samples_info(a->samples), p);
	if (a->offcpu)
		lines_say(p, "Event: %s, %.6f s off the CPU", a->event, a->period_sum / 1e9);
	else if (a->period)
		lines_say(p, "Event: %s, period %" PRIu64, a->event, a->period);
	else
		lines_say(p, "Event: %s, varying period", a->event);
	lines_say(p, "Samples: %" PRIu64 " in %.3f s", a->nr_samples,
		  (a->last_time - a->first_time) / 1e9);
	details_chosen(a, p);
	if (!a->follows)
		details_losses(a, p);
	details_verdicts(a, p);
}
