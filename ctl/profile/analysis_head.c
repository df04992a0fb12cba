// SPDX-License-Identifier: GPL-2.0
/* What a reader of an analysis has to know first, and what else concerns him. */
#include <inttypes.h>
#include <stdio.h>

#include "base/lines.h"
#include "profile/analysis.h"

/* Smaller shares of losses and of missing callers need no reason. */
#define NOTABLE		.01

struct share_text {
	char text[16];
};

/* "98.4%"; what is less than all, or more than nothing, is not rounded to it. */
static struct share_text percent(double part, double whole)
{
	const double share = whole > 0 ? part / whole : 0;
	struct share_text s;

	if (share > 0 && share < .0005)
		snprintf(s.text, sizeof(s.text), "<0.1%%");
	else if (share < 1 && share > .9995)
		snprintf(s.text, sizeof(s.text), ">99.9%%");
	else
		snprintf(s.text, sizeof(s.text), "%.1f%%", 100 * share);
	return s;
}

struct number_text {
	char text[32];
};

/* "6,202" */
static struct number_text number(uint64_t value)
{
	struct number_text n;
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *at = n.text;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return n;
}

static struct number_text seconds(uint64_t ns)
{
	const double s = ns / 1e9;
	struct number_text n;

	snprintf(n.text, sizeof(n.text), "%.*f s", s >= 100 ? 0 : s >= 10 ? 1 : 3, s);
	return n;
}

/* Names what was recorded: "shop 6", or "12 processes". */
static void put_subject(const struct analysis *a, char *text, size_t size)
{
	if (a->nr_processes == 1 && a->pid)
		snprintf(text, size, "%s %" PRIu32,
			 maps_process_name(samples_maps(a->samples), a->pid, a->pid), a->pid);
	else
		snprintf(text, size, "%s processes", number(a->nr_processes).text);
}

static void put_losses(const struct analysis *a, char *text, size_t size)
{
	const struct samples_losses lost = samples_losses(a->samples);
	int at = 0;

	if (a->follows)
		return;
	if (!lost.samples && !lost.records)
		snprintf(text, size, ", none lost");
	if (lost.samples)
		at = snprintf(text, size, ", %s lost (%s)", number(lost.samples).text,
			      percent(lost.samples, (double)lost.samples + a->nr_read).text);
	if (lost.records && (size_t)at < size)
		snprintf(text + at, size - at, ", %s records of other kinds lost",
			 number(lost.records).text);
}

void analysis_recorded(const struct analysis *a, const struct lines *lines)
{
	const struct number_text time = seconds(a->last_time - a->first_time);
	char subject[96], losses[128] = "", part[64] = "";

	put_subject(a, subject, sizeof(subject));
	put_losses(a, losses, sizeof(losses));
	if (a->query.filter && filter_active(a->query.filter))
		snprintf(part, sizeof(part), "%s of ", number(a->nr_samples).text);
	if (a->offcpu)
		lines_say(lines, "%s: %s %s%s times in %s, together %.3f s%s", subject,
			  a->query.sort && rows_has(a->query.sort, ROWS_STATE) ? "off the CPU" : "waited", part,
			  number(*part ? a->nr_read : a->nr_samples).text, time.text,
			  a->period_sum / 1e9, losses);
	else
		lines_say(lines, "%s: %s%s samples of %s in %s%s", subject, part,
			  number(*part ? a->nr_read : a->nr_samples).text, a->event, time.text, losses);
}

static double lack_callers(const struct analysis *a)
{
	double sum = 0;

	for (size_t i = 0; i < VERDICT_ROWS; i++)
		sum += a->lacking_weights[i];
	return sum;
}

/* Smaller parts of the stacks are left to -v. */
#define HEAD_LEAST	.0005

static void head_stacks(const struct analysis *a, const char *more, const struct lines *lines)
{
	const double all = analysis_judged(a), lacking = lack_callers(a);
	const double kernel = analysis_of_verdict(a, STACKS_NO_USER);
	const double complete = analysis_of_verdict(a, STACKS_COMPLETE);
	const struct { double part; const char *text; } parts[] = {
		{ complete, "complete" }, { all - complete - lacking - kernel, "unproved" },
		{ lacking, "lack callers" }, { kernel, "kernel only" },
	};
	char text[128] = "";
	int at = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].part > 0 && parts[i].part == all)
			at += snprintf(text + at, sizeof(text) - at, "all %s", parts[i].text);
		else if (parts[i].part >= HEAD_LEAST * all)
			at += snprintf(text + at, sizeof(text) - at, "%s%s %s", at ? ", " : "",
				       percent(parts[i].part, all).text, parts[i].text);
	lines_say(lines, "stacks: %s%s", text, complete + kernel < all ? more : "");
}

/* Returns the part of the samples that fell due and were lost. */
static double lost_part(const struct analysis *a)
{
	const double lost = a->follows || a->offcpu ? 0 : samples_losses(a->samples).samples;

	return lost ? lost / (lost + a->nr_read) : 0;
}

/* The cause of most losses, if the capture says it. */
static void head_lost(const struct analysis *a, const struct lines *lines)
{
	const struct losses *losses = &samples_info(a->samples)->losses;
	int most = 0;

	for (int i = 1; i < LOSSES_NR; i++)
		most = losses->samples[i] > losses->samples[most] ? i : most;
	if (losses->samples[most])
		lines_say(lines, "%s lost: %s%s%s",
			  percent(losses->samples[most], (double)samples_losses(a->samples).samples + a->nr_read).text,
			  losses_reason(most), *losses_remedy(most) ? "; " : "", losses_remedy(most));
}

/* The reason why most of the stacks that lack callers do. */
static void head_callers(const struct analysis *a, const struct lines *lines)
{
	const double all = analysis_judged(a);
	const struct verdict *why;
	size_t most = 0;

	for (size_t i = 1; i < VERDICT_ROWS; i++)
		if (a->lacking_weights[i] > a->lacking_weights[most])
			most = i;
	why = &verdict_table[most];
	lines_say(lines, "%s lack callers: %s%s%s", percent(a->lacking_weights[most], all).text,
		  why->reason, *why->remedy ? "; " : "", why->remedy);
}

/* One line: of what is missing, samples or callers, the larger part of the samples that fell due. */
static void head_reason(const struct analysis *a, const struct lines *lines)
{
	const double all = analysis_judged(a), lost = lost_part(a);
	const double callers = all ? lack_callers(a) / all : 0;

	if (lost > NOTABLE && lost >= callers * (1 - lost))
		head_lost(a, lines);
	else if (callers > NOTABLE)
		head_callers(a, lines);
}

void analysis_head(const struct analysis *a, const char *more, const struct lines *lines)
{
	analysis_recorded(a, lines);
	if (analysis_judged(a) > 0)
		head_stacks(a, more, lines);
	head_reason(a, lines);
}

/* Whether the data of an event, of a PMU of its own such as intel_pt, may be those of the trace. */
static bool is_trace(const struct analysis *a, const struct perfdata_event *event)
{
	return samples_info(a->samples)->traced && event->attr.type >= PERF_TYPE_MAX;
}

/* Lists the events that a report does not show at all. */
static void list_silent(const struct analysis *a, bool traces, const char *why, const struct lines *lines)
{
	const struct perfdata_event *events;
	char text[512] = "";
	size_t nr, at = 0;

	events = samples_events(a->samples, &nr);
	for (size_t i = 0; i < nr && at < sizeof(text); i++)
		if (samples_silent(a->samples, i) && is_trace(a, &events[i]) == traces)
			at += snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "",
				       events[i].name);
	if (at)
		lines_say(lines, "Without samples: %s (%s)", text, why);
}

static void notes_silent(const struct analysis *a, const struct lines *lines)
{
	list_silent(a, false, "not often enough for one period; 'lbrctl stat' counts them", lines);
	list_silent(a, true, "a trace in AUX data, which is not decoded here; 'perf script --itrace' does that", lines);
}

/* --strict */
static void notes_left_out(const struct analysis *a, const struct lines *lines)
{
	if (a->query.strict)
		lines_say(lines, "Strict: %" PRIu64 " (%.2f%%) broken or disputed stacks are omitted; shares refer to the others",
			  a->left_out, a->nr_samples ? 100.0 * a->left_out / a->nr_samples : 0);
}

static void notes_preempted(const struct analysis *a, const struct lines *lines)
{
	if (a->preempted)
		lines_say(lines, "Preempted: %s times, together %.3f s; that is no waiting and left out (-s state: shown)",
			  number(a->preempted).text, a->preempted_ns / 1e9);
}

void analysis_notes(const struct analysis *a, const struct lines *lines)
{
	char text[256];

	notes_left_out(a, lines);
	notes_preempted(a, lines);
	if (a->follows)
		return;
	notes_silent(a, lines);
	if (budget_text(samples_budget(a->samples), text, sizeof(text)))
		lines_say(lines, "Budget: %s", text);
	if (!samples_follow_tasks(a->samples))
		lines_say(lines, "Mappings: from /proc from time to time, since perf's task events were denied; short-lived processes and mappings have no names");
	analysis_unnamed(a, lines);
}

void analysis_unnamed(const struct analysis *a, const struct lines *lines)
{
	unnamed_lines(&a->unnamed, samples_maps(a->samples), a->symbols, a->period_sum, lines);
}
