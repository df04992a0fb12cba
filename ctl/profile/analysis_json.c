// SPDX-License-Identifier: GPL-2.0
/* Prints the summary of an analysis as JSON. */
#include "base/json.h"
#include "profile/analysis.h"

static void put_reasons(const struct analysis *a, struct json *j)
{
	json_array(j, "reasons");
	for (size_t i = 0; i < VERDICT_ROWS; i++) {
		const struct verdict *row = &verdict_table[i];

		if (!a->reasons[i])
			continue;
		json_object(j, NULL);
		json_text(j, "verdict", stacks_verdict_name(row->verdict));
		json_text(j, "reason", row->reason);
		json_text(j, "remedy", row->remedy);
		json_unsigned(j, "samples", a->reasons[i]);
		json_close(j);
	}
	json_close(j);
}

static void put_verdicts(const struct analysis *a, struct json *j)
{
	json_object(j, "verdicts");
	for (int v = 0; v < STACKS_NR_VERDICTS; v++)
		json_unsigned(j, stacks_verdict_name(v), a->verdicts[v]);
	json_close(j);
	put_reasons(a, j);
	json_unsigned(j, "inferred", a->inferred);
	json_unsigned(j, "unwound", a->unwound);
	json_unsigned(j, "frame_pointer", a->pointed);
	json_unsigned(j, "stitched", a->stitched);
	json_unsigned(j, "unverified", a->unverified);
	json_unsigned(j, "left_out", a->left_out);
}

/* null if the recording was not audited. */
static void put_audit(const struct analysis *a, struct json *j)
{
	const struct analysis_audit audit = analysis_audit(a);

	if (!samples_info(a->samples)->audited) {
		json_null(j, "audit");
		return;
	}
	json_object(j, "audit");
	json_unsigned(j, "checked", audit.checked);
	json_unsigned(j, "disagreed", audit.disagreed);
	json_unsigned(j, "failed_processes", audit.failed);
	if (audit.bounded) {
		json_fixed(j, "wrong_low", audit.wrong.low, 6);
		json_fixed(j, "wrong_high", audit.wrong.high, 6);
	} else {
		json_null(j, "wrong_low");
		json_null(j, "wrong_high");
	}
	json_close(j);
}

static void put_silent(const struct analysis *a, struct json *j)
{
	const struct perfdata_event *events;
	size_t nr;

	events = samples_events(a->samples, &nr);
	json_array(j, "events_without_samples");
	for (size_t i = 0; i < nr; i++)
		if (samples_silent(a->samples, i))
			json_text(j, NULL, events[i].name);
	json_close(j);
}

static void put_cpus(const struct analysis *a, struct json *j)
{
	json_array(j, "cpus");
	for (size_t i = 0; i < a->nr_cpus; i++) {
		if (!a->cpus[i].samples)
			continue;
		json_object(j, NULL);
		json_unsigned(j, "cpu", i);
		json_unsigned(j, "samples", a->cpus[i].samples);
		json_unsigned(j, "weight", a->cpus[i].period);
		json_close(j);
	}
	json_close(j);
}

/* Empty if nothing was lost; null if the capture does not say it. */
static void put_losses(const struct perfdata_info *info, struct json *j)
{
	if (!info->losses.known) {
		json_null(j, "losses");
		return;
	}
	json_array(j, "losses");
	for (int i = 0; i < LOSSES_NR; i++) {
		if (!info->losses.samples[i])
			continue;
		json_object(j, NULL);
		json_text(j, "cause", losses_name(i));
		json_text(j, "reason", losses_reason(i));
		json_text(j, "remedy", losses_remedy(i));
		json_unsigned(j, "samples", info->losses.samples[i]);
		json_close(j);
	}
	json_close(j);
}

void analysis_put_json(const struct analysis *a, struct json *j, const char *key)
{
	const struct perfdata_info *info = samples_info(a->samples);
	struct samples_losses losses = samples_losses(a->samples);

	json_object(j, key);
	json_text(j, "file", a->query.input);
	json_text(j, "command", info->cmdline);
	json_text(j, "host", info->hostname);
	json_text(j, "kernel", info->osrelease);
	json_text(j, "event", a->event);
	json_text(j, "cut", info->cut);
	json_text(j, "unit", a->offcpu ? "nanoseconds" : "events");
	json_unsigned(j, "first_ns", a->first_time);
	json_unsigned(j, "last_ns", a->last_time);
	json_unsigned(j, "samples", a->nr_samples);
	json_unsigned(j, "samples_read", a->nr_read);
	json_unsigned(j, "weight", a->period_sum);
	json_unsigned(j, "preempted", a->preempted);
	json_unsigned(j, "preempted_weight", a->preempted_ns);
	json_unsigned(j, "lost_samples", losses.samples);
	json_unsigned(j, "lost_records", losses.records);
	put_losses(info, j);
	unnamed_put_json(&a->unnamed, samples_maps(a->samples), a->period_sum, j);
	put_silent(a, j);
	put_verdicts(a, j);
	put_audit(a, j);
	put_cpus(a, j);
	json_close(j);
}
