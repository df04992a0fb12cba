// SPDX-License-Identifier: GPL-2.0
/* Reads a capture once, and makes the profile of each event and the figures that go with it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/analysis.h"
#include "profile/paths.h"
#include "profile/reading.h"

/* Whether the innermost frame passes the filter. */
static bool meant(struct analysis *a, const struct stacks_stack *stack)
{
	const struct symbols_function *f;
	const struct symbols_frame *list;
	size_t nr;

	if (a->query.filter && !filter_verdict(a->query.filter, stack->verdict))
		return false;
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
	for (size_t i = 0; i < a->group->nr; i++)
		a->counts[i] = tally_sum(a->counts[i], t->counts[i]);
}

static void count_verdict(struct analysis *a, const struct stacks_stack *stack,
			  const struct tally_stack *t)
{
	const uint64_t samples = t->samples;
	const size_t why = stack->why - verdict_table;

	a->verdicts[stack->verdict] += samples;
	a->reasons[why] += samples;
	a->reason_weights[why] = tally_sum(a->reason_weights[why], t->period);
	if (!stacks_is_whole(stack))
		a->lacking_weights[why] = tally_sum(a->lacking_weights[why], t->period);
	if (stack->verdict == STACKS_COMPLETE && t->sample.has_lbr && !t->sample.nr_unwound)
		a->by_lbr += samples;
	if (stack->unverified)
		a->unverified += samples;
	if (stack->inferred)
		a->inferred += samples;
	if (stack->unwound)
		a->unwound += samples;
	if (stack->pointed)
		a->pointed += samples;
	if (stack->stitched)
		a->stitched += samples;
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
static int build(struct analysis_reading *r, const struct tally_stack *t,
		 const struct stacks_code *code, struct stacks_stack *stack)
{
	const struct stacks_caller *callers;
	size_t nr;

	if (stacks_build(&t->sample, code, stack))
		return -1;
	if (r->leaves) {
		stack->nr_frames = 1;
		return 0;
	}
	if (stitch_doubt(r->stitch, t->who->tid, stack, &nr))
		return -1;
	if (nr < stack->nr_frames && !stacks_is_proved(stack))
		stacks_cut(stack, nr);
	if (stack->open &&
	    (stitch_recall(r->stitch, t->who->tid,
			   t->sample.history ? STITCH_SIGHTINGS : 1, stack, &callers, &nr) ||
	     stacks_stitch(stack, code, callers, nr)))
		return -1;
	stacks_settle(&t->sample, code, stack);
	return 0;
}

/* Builds and judges one stack of the tally, and adds it to its profile; *trace: its number, if it
 * becomes a trace. */
static int judge_stack(struct analysis_reading *r, const struct tally_stack *t,
		       const struct stacks_code *code, struct stacks_stack *stack,
		       struct paths *paths, uint32_t *trace)
{
	struct analysis *a = r->list[t->who->event];

	if (build(r, t, code, stack))
		return -1;
	if (!meant(a, stack)) {
		a->nr_samples -= t->samples;
		return 0;
	}
	if (!r->leaves)
		count_verdict(a, stack, t);
	if (leave_out(a, stack, t))
		return 0;
	count_stack(a, t);
	if (stack->nr_frames &&
	    unnamed_add(&a->unnamed, r->symbols, stack->frames[0].place, t->period))
		return -1;
	if ((a->rows || !a->query.no_tree) && paths_add(&paths[a->number], t, stack))
		return -1;
	if (!r->query.traces)
		return 0;
	*trace = a->traces.nr;
	return traces_add(&a->traces, t, stack, (struct trace_place){
		paths[a->number].end, paths[a->number].own, paths[a->number].concluded }, r->query.frames);
}

/* Makes the paths for the profile of each analysis in the list. */
static struct paths *paths_of(struct analysis_reading *r)
{
	struct paths *paths = calloc(r->names.used, sizeof(*paths));

	for (size_t i = 0; paths && i < r->names.used; i++) {
		struct analysis *a = r->list[i];

		paths[i].to = (struct paths_to){ r->symbols, a->profile, a->rows,
						 r->query.no_tree, r->query.fold,
						 r->query.inverted, a->offcpu, r->query.sources };
	}
	return paths;
}

static int judge(struct analysis_reading *r)
{
	struct stacks_code code = samples_code(r->samples);
	struct stacks_stack stack = { 0 };
	struct paths *paths = paths_of(r);
	uint32_t *traces = malloc((tally_nr(r->tally) + 1) * sizeof(*traces));
	int ret = paths && traces ? 0 : -1;

	for (size_t i = 0; !ret && i < tally_nr(r->tally); i++) {
		struct tally_stack t;

		traces[i] = TRACE_NONE;
		ret = tally_get(r->tally, i, &t);
		t.sample.depth = samples_depth(r->samples);
		if (!ret)
			ret = judge_stack(r, &t, &code, &stack, paths, &traces[i]);
	}
	stacks_free(&stack);
	for (size_t i = 0; i < r->names.used; i++) {
		if (paths)
			paths_free(&paths[i]);
		if (!ret)
			ret = profile_sort(r->list[i]->profile);
		if (!ret)
			moments_of_traces(&r->list[i]->moments, traces);
	}
	free(paths);
	free(traces);
	return ret ? err_fail("not enough memory for the profile") : 0;
}

/* Sorts by the number in the capture. */
static int event_compare(const void *x, const void *y)
{
	const struct analysis *const *a = x, *const *b = y;

	return (*a)->event_number < (*b)->event_number ? -1 : 1;
}

/* Links the analyses with samples; if none has samples, the ones that remain for
 * analysis_none(). */
static struct analysis *chain(struct analysis_reading *r)
{
	struct analysis *first = NULL, **link = &first;

	qsort(r->list, r->names.used, sizeof(*r->list), event_compare);
	for (size_t i = 0; i < r->names.used; i++) {
		if (!r->list[i]->nr_samples)
			continue;
		r->list[i]->follows = first;
		*link = r->list[i];
		link = &r->list[i]->next;
	}
	if (first)
		return first;
	for (size_t i = 1; i < r->names.used; i++)
		r->list[0]->nr_read += r->list[i]->nr_read;
	return r->list[0];
}

struct analysis *analysis_open(const struct analysis_query *query)
{
	struct analysis_reading *r = reading_open(query);

	if (!r)
		return NULL;
	if (!reading_samples(r) && !judge(r)) {
		/* The tasks of traces are the tally's. */
		if (!query->traces) {
			tally_free(r->tally);
			r->tally = NULL;
		}
		return chain(r);
	}
	reading_free(r);
	return NULL;
}

int analysis_none(const struct analysis *a)
{
	if (a->preempted && !a->nr_read)
		return err_fail("%s: no thread waited: in all %" PRIu64 " times off the CPU it could run; -s state shows them",
				a->query.input, a->preempted);
	if (!a->nr_read)
		return samples_none(a->samples, a->query.input);
	return samples_none_chosen(a->query.input, a->nr_read);
}

void analysis_free(struct analysis *a)
{
	if (a)
		reading_free(a->reading);
}

const struct analysis *analysis_find(const struct analysis *list, const struct analysis *event)
{
	while (list && (strcmp(list->event, event->event) || list->offcpu != event->offcpu))
		list = list->next;
	return list;
}

bool analysis_has_cpu(const struct analysis *a)
{
	size_t nr;

	return samples_events(a->samples, &nr)[a->event_number].attr.sample_type & PERF_SAMPLE_CPU;
}

int analysis_one_event(const struct analysis *a, const char *what)
{
	char names[512];
	size_t at;

	if (!a->next || a->next->offcpu)
		return 0;
	at = snprintf(names, sizeof(names), "%s", a->event);
	for (const struct analysis *next = a->next; next && at < sizeof(names); next = next->next)
		at += snprintf(names + at, sizeof(names) - at, ", %s", next->event);
	return err_fail("%s: %s, but the capture has several events (%s): name one with -e",
			a->query.input, what, names);
}

double analysis_of_verdict(const struct analysis *a, enum stacks_verdict verdict)
{
	double sum = 0;

	for (size_t i = 0; i < VERDICT_ROWS; i++)
		if (verdict_table[i].verdict == verdict)
			sum += a->reason_weights[i];
	return sum;
}

double analysis_judged(const struct analysis *a)
{
	double sum = 0;

	for (size_t i = 0; i < VERDICT_ROWS; i++)
		sum += a->reason_weights[i];
	return sum;
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
	audit.bounded = audit.checked >= ANALYSIS_AUDIT_LEAST;
	audit.wrong = share_exact(audit.disagreed, audit.checked);
	return audit;
}
