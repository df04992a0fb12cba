// SPDX-License-Identifier: GPL-2.0
/* Prints the summary of an analysis as JSON. */
#include <inttypes.h>

#include "base/text.h"
#include "profile/analysis.h"

static void put_text(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",\"%s\":", name);
	if (value)
		text_put_json(out, value);
	else
		fputs("null", out);
}

static void put_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, ",\"%s\":%" PRIu64, name, value);
}

static void put_verdicts(const struct analysis *a, FILE *out)
{
	fputs(",\"verdicts\":{", out);
	for (int v = 0; v < STACKS_NR_VERDICTS; v++)
		fprintf(out, "%s\"%s\":%" PRIu64, v ? "," : "",
			stacks_verdict_name(v), a->verdicts[v]);
	fputc('}', out);
}

static void put_silent(const struct analysis *a, FILE *out)
{
	const struct perfdata_event *events;
	bool first = true;
	size_t nr;

	events = samples_events(a->samples, &nr);
	fputs(",\"events_without_samples\":[", out);
	for (size_t i = 0; i < nr; i++) {
		if (!samples_silent(a->samples, i))
			continue;
		fputs(first ? "" : ",", out);
		text_put_json(out, events[i].name);
		first = false;
	}
	fputc(']', out);
}

void analysis_put_json(const struct analysis *a, FILE *out)
{
	const struct perfdata_info *info = samples_info(a->samples);
	struct samples_losses losses = samples_losses(a->samples);
	bool first = true;

	fputs("{\"file\":", out);
	text_put_json(out, a->query.input);
	put_text(out, "command", info->cmdline);
	put_text(out, "host", info->hostname);
	put_text(out, "kernel", info->osrelease);
	put_text(out, "event", a->event);
	put_text(out, "cut", info->cut);
	put_text(out, "unit", a->offcpu ? "nanoseconds" : "events");
	put_number(out, "first_ns", a->first_time);
	put_number(out, "last_ns", a->last_time);
	put_number(out, "samples", a->nr_samples);
	put_number(out, "samples_read", a->nr_read);
	put_number(out, "weight", a->period_sum);
	put_number(out, "lost_samples", losses.samples);
	put_number(out, "lost_records", losses.records);
	put_silent(a, out);
	put_verdicts(a, out);
	put_number(out, "inferred", a->inferred);
	put_number(out, "unwound", a->unwound);
	put_number(out, "stitched", a->stitched);
	put_number(out, "unverified", a->unverified);
	put_number(out, "left_out", a->left_out);
	fputs(",\"cpus\":[", out);
	for (size_t i = 0; i < a->nr_cpus; i++) {
		if (!a->cpus[i].samples)
			continue;
		fprintf(out, "%s{\"cpu\":%zu,\"samples\":%" PRIu64 ",\"weight\":%"
			PRIu64 "}", first ? "" : ",", i, a->cpus[i].samples,
			a->cpus[i].period);
		first = false;
	}
	fputs("]}", out);
}
