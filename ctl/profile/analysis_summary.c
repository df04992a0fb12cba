// SPDX-License-Identifier: GPL-2.0
/* Prints the summary of an analysis as text. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "profile/analysis.h"

struct printer {
	void (*line)(void *ctx, const char *text);
	void *ctx;
};

__attribute__((format(printf, 2, 3)))
static void say(const struct printer *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text);
	p->line(p->ctx, text);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* Says of which stacks the audit speaks: those from memory need none. */
static void summary_audit(const struct analysis *a, const struct printer *p)
{
	const struct analysis_audit audit = analysis_audit(a);
	char failed[96] = "", bound[96] = "too few for a bound";

	if (!samples_info(a->samples)->audited || a->follows)
		return;
	if (!audit.checked) {
		if (a->by_lbr)
			say(p, "Audit: none of the stacks that the LBR alone gives could be checked against memory");
		return;
	}
	if (audit.failed)
		snprintf(failed, sizeof(failed), " in %zu %s (such stacks are called unproved there)",
			 audit.failed, audit.failed > 1 ? "processes" : "process");
	if (audit.bounded)
		snprintf(bound, sizeof(bound), "at most %.2g %% of them are wrong (95 %%)",
			 100 * audit.wrong.high);
	say(p, "Audit: %" PRIu64 " of the stacks that the LBR alone gives were checked against memory, %" PRIu64
	    " disagreed%s: %s", audit.checked, audit.disagreed, failed, bound);
}

/* Reasons that the summary names. */
#define REASONS		4

/* Why stacks are not complete, the most frequent reason first, and what helps; or all reasons. */
static void summary_reasons(const struct analysis *a, const struct printer *p)
{
	bool said[VERDICT_ROWS] = { false };

	for (int nr = 0; nr < REASONS || a->query.verbose; nr++) {
		const struct verdict *why = NULL;
		uint64_t samples = 0;

		for (size_t i = 0; i < VERDICT_ROWS; i++) {
			const struct verdict *row = &verdict_table[i];

			if (said[i] || a->reasons[i] <= samples ||
			    (!a->query.verbose && (row->verdict == STACKS_COMPLETE ||
						   row->verdict == STACKS_NO_USER)))
				continue;
			why = row;
			samples = a->reasons[i];
		}
		if (!why)
			return;
		said[why - verdict_table] = true;
		say(p, "[%s] %.2f%%: %s%s%s", stacks_verdict_name(why->verdict),
		    share(samples, a->nr_samples), why->reason, *why->remedy ? "; " : "", why->remedy);
	}
}

static void summary_verdicts(const struct analysis *a, const struct printer *p)
{
	char text[512];
	int at = 0;

	for (int v = 0; v < STACKS_NR_VERDICTS; v++)
		if (v < STACKS_DISPUTED || a->verdicts[v])
			at += snprintf(text + at, sizeof(text) - at,
				       "%s%" PRIu64 " %s (%.2f%%)", v ? ", " : "",
				       a->verdicts[v], stacks_verdict_name(v),
				       share(a->verdicts[v], a->nr_samples));
	say(p, "Stacks: %s", text);
	summary_reasons(a, p);
	if (a->inferred)
		say(p, "Inferred: %" PRIu64 " (%.2f%%) stacks have frames inferred from tail "
		    "calls, marked [tail call]",
		    a->inferred, share(a->inferred, a->nr_samples));
	if (a->unwound)
		say(p, "Unwound: %" PRIu64 " (%.2f%%) stacks have frames that only the user "
		    "stack or a signal shows, marked [unwound]",
		    a->unwound, share(a->unwound, a->nr_samples));
	if (a->pointed)
		say(p, "Frame pointers: %" PRIu64 " (%.2f%%) stacks have frames that rest on a "
		    "frame pointer of code without unwinding information, marked "
		    "[by frame pointer]", a->pointed, share(a->pointed, a->nr_samples));
	if (a->stitched)
		say(p, "Stitched: %" PRIu64 " (%.2f%%) stacks have frames from other samples of "
		    "the thread, marked [stitched]",
		    a->stitched, share(a->stitched, a->nr_samples));
	summary_audit(a, p);
	if (a->query.strict)
		say(p, "Strict: %" PRIu64 " (%.2f%%) broken or disputed stacks are omitted; "
		    "shares refer to the others",
		    a->left_out, share(a->left_out, a->nr_samples));
	if (a->unverified)
		say(p, "Unverified: %" PRIu64 " (%.2f%%) stacks have entries that could not be checked against the code",
		    a->unverified, share(a->unverified, a->nr_samples));
}

/* Prints the part of the samples that passed the filters, and the share of each CPU. */
static void summary_chosen(const struct analysis *a, const struct printer *p)
{
	const struct analysis_cpu *most = NULL, *least = NULL;
	uint64_t sum = 0;
	size_t nr = 0;

	if (a->query.filter && filter_active(a->query.filter))
		say(p, "Filtered: %.2f%% of the %" PRIu64 " samples match; shares refer "
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
		say(p, "CPUs: %zu, average %.2f%% each; most on CPU %zu (%.2f%%), least on CPU "
		    "%zu (%.2f%%)",
		    nr, 100.0 / nr, most - a->cpus, share(most->period, sum),
		    least - a->cpus, share(least->period, sum));
}

void analysis_unnamed(const struct analysis *a,
		      void (*line)(void *ctx, const char *text), void *ctx)
{
	unnamed_lines(&a->unnamed, samples_maps(a->samples), a->symbols, a->period_sum, line, ctx);
}

/* Lists the events that a report does not show at all. */
static void summary_silent(const struct analysis *a, const struct printer *p)
{
	const struct perfdata_event *events;
	char text[512] = "";
	size_t nr, at = 0;

	events = samples_events(a->samples, &nr);
	for (size_t i = 0; i < nr && at < sizeof(text); i++)
		if (samples_silent(a->samples, i))
			at += snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "",
				       events[i].name);
	if (at)
		say(p, "Without samples: %s (not often enough for one period; 'lbrctl stat' counts them)",
		    text);
}

/* The lines that concern the whole capture. */
static void summary_capture(const struct analysis *a, const struct printer *p)
{
	struct samples_losses losses = samples_losses(a->samples);
	char text[256];

	say(p, "Lost: %" PRIu64 " samples, %" PRIu64 " records",
	    losses.samples, losses.records);
	summary_silent(a, p);
	if (budget_text(samples_budget(a->samples), text, sizeof(text)))
		say(p, "Budget: %s", text);
	if (!samples_follow_tasks(a->samples))
		say(p, "Mappings: from /proc from time to time, since perf's task events "
		    "were denied; short-lived processes and mappings have no names");
}

static void summary_machine(const struct perfdata_info *info, const struct printer *p)
{
	if (info->cmdline)
		say(p, "Command: %s", info->cmdline);
	if (info->hostname || info->osrelease)
		say(p, "Host: %s, Linux %s", info->hostname ? info->hostname : "?",
		    info->osrelease ? info->osrelease : "?");
}

void analysis_summary(const struct analysis *a,
		      void (*line)(void *ctx, const char *text), void *ctx)
{
	struct printer p = { line, ctx };

	if (!a->follows)
		summary_machine(samples_info(a->samples), &p);
	if (a->offcpu)
		say(&p, "Event: %s, %.6f s off the CPU", a->event,
		    a->period_sum / 1e9);
	else if (a->period)
		say(&p, "Event: %s, period %" PRIu64, a->event, a->period);
	else
		say(&p, "Event: %s, varying period", a->event);
	say(&p, "Samples: %" PRIu64 " in %.3f s", a->nr_samples,
	    (a->last_time - a->first_time) / 1e9);
	summary_chosen(a, &p);
	if (!a->follows)
		summary_capture(a, &p);
	summary_verdicts(a, &p);
	if (!a->follows)
		analysis_unnamed(a, line, ctx);
}
