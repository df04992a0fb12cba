// SPDX-License-Identifier: GPL-2.0
/* Reads a capture once, and makes its profile and the figures that go with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "profile/analysis.h"
#include "profile/memo.h"
#include "profile/paths.h"
#include "profile/tally.h"
#include "stacks/stitch.h"

/* More than any kernel can be built for: a larger number means damage. */
#define MAX_CPU	65536

static int count_cpu(struct analysis *a, uint32_t cpu, uint64_t period)
{
	if (room_for(&a->cpus, (size_t)cpu + 1, &a->max_cpus, sizeof(*a->cpus)))
		return -1;
	if (cpu >= a->nr_cpus)
		a->nr_cpus = cpu + 1;
	a->cpus[cpu].samples++;
	a->cpus[cpu].period = tally_sum(a->cpus[cpu].period, period);
	return 0;
}

static int note_sample(struct analysis *a, const struct perfdata_sample *raw,
		       uint64_t period)
{
	if (!a->nr_samples)
		a->period = period;
	else if (a->period != period)
		a->period = 0;
	if (raw->has_time && (!a->first_time || raw->time < a->first_time))
		a->first_time = raw->time;
	if (raw->has_time && raw->time > a->last_time)
		a->last_time = raw->time;
	a->nr_samples++;
	return raw->has_cpu && raw->cpu < MAX_CPU ?
	       count_cpu(a, raw->cpu, period) : 0;
}

static bool sorts_by(const struct analysis *a, enum rows_key key)
{
	return a->query.sort && rows_has(a->query.sort, key);
}

/* Sets fields that the table does not show to 0, so that equal samples compare as equal. */
static struct tally_who whose(const struct analysis *a, const struct recorded_sample *s)
{
	return (struct tally_who){
		.comm = s->comm,
		.pid = sorts_by(a, ROWS_PID) ? s->raw.pid : 0,
		.tid = sorts_by(a, ROWS_TID) ? s->raw.tid : 0,
		.cpu = sorts_by(a, ROWS_CPU) ? s->raw.cpu : 0,
		.cgroup = sorts_by(a, ROWS_CGROUP) ? s->raw.cgroup : 0,
	};
}

/* The table may distinguish samples by their CPU, which is not among the words. */
static int words_where(struct analysis *a, const struct perfdata_sample *raw,
		       const uint64_t **words, size_t *nr)
{
	if (!*nr || (!sorts_by(a, ROWS_CPU) && !sorts_by(a, ROWS_CGROUP)))
		return 0;
	if (room_for(&a->words, *nr + 2, &a->max_words, sizeof(*a->words)))
		return -1;
	memcpy(a->words, *words, *nr * sizeof(**words));
	a->words[(*nr)++] = sorts_by(a, ROWS_CPU) ? raw->cpu : 0;
	a->words[(*nr)++] = sorts_by(a, ROWS_CGROUP) ? raw->cgroup : 0;
	*words = a->words;
	return 0;
}

/* Most samples equal an earlier one; recognizing that is all that they cost. Samples that are
 * filtered out show the thread's callers, too. */
static int count_sample(struct analysis *a, struct tally *tally, struct memo *memo,
			struct recorded_sample *s, uint64_t period, bool meant)
{
	struct memo_entry fresh = { 0 }, *known = &fresh;
	struct stacks_code code;
	struct tally_who who;
	const uint64_t *words;
	size_t nr;
	bool open;

	if (samples_words(a->samples, s, &words, &nr))
		return -1;
	if (words_where(a, &s->raw, &words, &nr))
		return err_errno("counting stacks");
	if (nr && !(known = memo_entry(memo, words, nr)))
		return err_errno("counting stacks");
	if (known->counted && meant)
		tally_again(tally, known->stack, period, a->group.counts);
	if (known->counted || (known->noted && !meant))
		return 0;
	if (samples_place(a->samples, s))
		return -1;
	s->stack.doubted = samples_failed_audit(a->samples, s->raw.pid);
	code = samples_code(a->samples);
	if (stitch_note(a->stitch, s->raw.tid, &s->stack, &open) ||
	    targets_note(a->targets, &code, &s->stack))
		return err_errno("counting stacks");
	known->noted = true;
	if (!meant)
		return 0;
	who = whose(a, s);
	/* The outer frames are known only for this thread. */
	if (open)
		who.tid = s->raw.tid;
	if (tally_add(tally, &s->stack, &who, period, a->group.counts, &known->stack))
		return err_errno("counting stacks");
	known->counted = true;
	return 0;
}

static int read_sample(struct analysis *a, struct tally *tally, struct memo *memo,
		       struct recorded_sample *s)
{
	const struct perfdata_sample *raw = &s->raw;
	uint64_t period = raw->period ? raw->period : 1;
	bool meant = !a->query.filter ||
		     filter_sample(a->query.filter, samples_maps(a->samples), raw);

	if (samples_left_out(a->samples))
		return count_sample(a, tally, memo, s, 0, false);
	a->nr_read++;
	if ((a->group.nr && group_take(&a->group, s->event, raw)) ||
	    (meant && note_sample(a, raw, period)))
		return err_errno("counting samples");
	return count_sample(a, tally, memo, s, period, meant);
}

static int read_samples(struct analysis *a, struct tally *tally)
{
	struct memo *memo = memo_new();
	struct recorded_sample s;
	int ret = memo ? 1 : err_errno("counting stacks");

	while (ret > 0 && (ret = samples_take(a->samples, &s)) > 0)
		if (read_sample(a, tally, memo, &s))
			ret = -1;
	memo_free(memo);
	return ret;
}

/* Whether the innermost frame passes the filter. */
static bool meant(struct analysis *a, const struct stacks_stack *stack)
{
	const struct symbols_function *f;
	const struct symbols_frame *list;
	size_t nr;

	if (!a->query.filter || !filter_has_frames(a->query.filter))
		return true;
	if (!stack->nr_frames)
		return false;
	list = symbols_frames(a->symbols, stack->frames[0].place, &nr);
	if (stack->frames[0].kind == STACKS_LEAF_INFERRED)
		nr = 1;
	f = symbols_function(a->symbols, list[nr - 1].function);
	return filter_frame(a->query.filter, f->name, f->object);
}

static void count_stack(struct analysis *a, const struct tally_stack *t)
{
	a->period_sum = tally_sum(a->period_sum, t->period);
	a->squares_sum += t->squares;
	for (size_t i = 0; i < a->group.nr; i++)
		a->counts[i] = tally_sum(a->counts[i], t->counts[i]);
}

static void count_verdict(struct analysis *a, const struct stacks_stack *stack,
			  uint64_t samples)
{
	a->verdicts[stack->verdict] += samples;
	if (stack->unverified)
		a->unverified += samples;
	if (stack->inferred)
		a->inferred += samples;
	if (stack->unwound)
		a->unwound += samples;
	if (stack->stitched)
		a->stitched += samples;
	if (stack->verdict != STACKS_BROKEN)
		return;
	for (size_t i = 0; i < ANALYSIS_REASONS; i++) {
		if (a->reasons[i].text && strcmp(a->reasons[i].text, stack->reason))
			continue;
		a->reasons[i].text = stack->reason;
		a->reasons[i].samples += samples;
		return;
	}
}

/* --strict: samples with wrong stacks are not part of the shares. */
static bool leave_out(struct analysis *a, const struct stacks_stack *stack,
		      const struct tally_stack *t)
{
	if (!a->query.strict || (stack->verdict != STACKS_BROKEN &&
				 stack->verdict != STACKS_DISPUTED))
		return false;
	a->left_out += t->samples;
	return true;
}

/* Returns 0, or -1 when memory is short. */
static int build(struct analysis *a, const struct tally_stack *t,
		 const struct stacks_code *code, struct stacks_stack *stack)
{
	const struct stacks_caller *callers;
	size_t nr;

	if (stacks_build(&t->sample, code, stack) ||
	    stitch_doubt(a->stitch, t->who->tid, stack, &nr))
		return -1;
	if (nr < stack->nr_frames && !stack->proved)
		stacks_cut(stack, nr);
	if (!stack->open)
		return 0;
	return stitch_recall(a->stitch, t->who->tid,
			     t->sample.history ? STITCH_SIGHTINGS : 1, stack, &callers, &nr) ||
	       stacks_stitch(stack, code, callers, nr) ? -1 : 0;
}

static int judge(struct analysis *a, struct tally *tally)
{
	struct stacks_code answers = samples_code(a->samples);
	struct stacks_stack stack = { 0 };
	struct paths paths = { .to = {
		a->symbols, a->profile, a->rows, a->query.fold, a->query.inverted } };
	int ret = 0;

	for (size_t i = 0; !ret && i < tally_nr(tally); i++) {
		struct tally_stack t;

		ret = tally_get(tally, i, &t);
		if (ret)
			break;
		t.sample.depth = samples_depth(a->samples);
		ret = build(a, &t, &answers, &stack);
		if (ret)
			break;
		if (!meant(a, &stack)) {
			a->nr_samples -= t.samples;
			continue;
		}
		count_verdict(a, &stack, t.samples);
		if (leave_out(a, &stack, &t))
			continue;
		count_stack(a, &t);
		ret = paths_add(&paths, &t, &stack);
	}
	stacks_free(&stack);
	paths_free(&paths);
	if (ret || profile_sort(a->profile))
		return err_fail("not enough memory for the profile");
	return 0;
}

/* Events that only carry side records are not named. */
static char *event_names(const struct samples *samples, bool *offcpu)
{
	size_t nr, size;
	const struct perfdata_event *events = samples_events(samples, &nr);
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	bool first = true;

	for (size_t i = 0; out && i < nr; i++) {
		const struct perf_event_attr *attr = &events[i].attr;

		if (!samples_selected(samples, i) ||
		    (attr->type == PERF_TYPE_SOFTWARE &&
		     attr->config == PERF_COUNT_SW_DUMMY))
			continue;
		*offcpu = samples_are_offcpu(&events[i]);
		fprintf(out, "%s%s", first ? "" : ", ", events[i].name);
		first = false;
	}
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Allocates the tables that the samples are collected in; errno has the reason of a failure. */
static int prepare(struct analysis *a)
{
	const struct stacks_code code = samples_code(a->samples);
	const struct rows_sort *sort = a->query.sort;
	struct symbols_options names = *a->query.names;

	a->targets = targets_new(samples_maps(a->samples));
	names.targets = a->targets;
	names.lines = sorts_by(a, ROWS_LINE);
	a->symbols = symbols_new(samples_maps(a->samples), &names);
	a->profile = profile_new();
	a->stitch = stitch_new(samples_maps(a->samples), &code);
	a->event = event_names(a->samples, &a->offcpu);
	if (!a->targets || !a->symbols || !a->profile || !a->stitch || !a->event ||
	    group_init(&a->group, a->samples))
		return -1;
	a->counts = calloc(a->group.nr + 1, sizeof(*a->counts));
	if (sort)
		a->rows = rows_new(sort, a->group.nr);
	return a->counts && (a->rows || !sort) ? 0 : -1;
}

static int gather(struct analysis *a)
{
	struct tally *tally = tally_new(a->group.nr);
	int ret;

	if (!tally)
		return err_errno("reading %s", a->query.input);
	ret = read_samples(a, tally);
	if (!ret)
		ret = judge(a, tally);
	tally_free(tally);
	return ret;
}

/* Samples cannot be sorted by data that they do not have. */
static int check_keys(const struct analysis *a)
{
	size_t nr;
	const struct perfdata_event *events = samples_events(a->samples, &nr);

	for (size_t i = 0; i < nr && sorts_by(a, ROWS_CGROUP); i++)
		if (samples_selected(a->samples, i) &&
		    events[i].attr.sample_type & PERF_SAMPLE_CGROUP)
			return 0;
	return !sorts_by(a, ROWS_CGROUP) ? 0 :
	       err_fail("%s: the samples have no cgroups: record with --all-cgroups",
			a->query.input);
}

struct analysis *analysis_open(const struct analysis_query *query)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a) {
		err_errno("reading %s", query->input);
		return NULL;
	}
	a->query = *query;
	if (query->filter)
		filter_begin(query->filter);
	a->samples = samples_open(query->input);
	if (!a->samples || samples_select(a->samples, query->event))
		goto err;
	samples_with_offcpu(a->samples);
	if (check_keys(a))
		goto err;
	if (prepare(a)) {
		err_errno("reading %s", query->input);
		goto err;
	}
	if (!gather(a))
		return a;
err:
	analysis_free(a);
	return NULL;
}

int analysis_none(const struct analysis *a)
{
	if (!a->nr_read)
		return samples_none(a->samples, a->query.input);
	return samples_none_chosen(a->query.input, a->nr_read);
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->profile && i < a->profile->nr_entries; i++)
		if (a->profile->entries[i].kind == PROFILE_THREAD)
			free((char *)a->profile->entries[i].name);
	rows_free(a->rows);
	profile_free(a->profile);
	stitch_free(a->stitch);
	group_free(&a->group);
	free(a->counts);
	free(a->cpus);
	free(a->words);
	symbols_free(a->symbols);
	targets_free(a->targets);
	samples_close(a->samples);
	free(a->event);
	free(a);
}

double analysis_percent(const struct analysis *a, uint64_t part)
{
	return a->period_sum ? 100.0 * part / a->period_sum : 0;
}

struct analysis_audit analysis_audit(const struct analysis *a)
{
	const struct perfdata_info *info = samples_info(a->samples);
	struct analysis_audit audit = { .checked = 0 };

	for (size_t i = 0; i < info->nr_audits; i++) {
		audit.checked = tally_sum(audit.checked, info->audits[i].checked);
		audit.disagreed = tally_sum(audit.disagreed, info->audits[i].disagreed);
		audit.failed += info->audits[i].disagreed > 0;
	}
	audit.wrong = share_exact(audit.disagreed, audit.checked);
	return audit;
}
