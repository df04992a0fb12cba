// SPDX-License-Identifier: GPL-2.0
/* Reads the samples of a capture. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "perfdata/own_events.h"
#include "profile/memo.h"
#include "profile/reading.h"
#include "stacks/leaf.h"

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

static int count_process(struct analysis *a, uint32_t pid)
{
	a->nr_processes += !pidset_has(&a->processes, pid);
	a->pid = pid;
	return pidset_add(&a->processes, pid);
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
	if ((!a->nr_samples || raw->pid != a->pid) && count_process(a, raw->pid))
		return -1;
	a->nr_samples++;
	return raw->has_cpu && raw->cpu < MAX_CPU ?
	       count_cpu(a, raw->cpu, period) : 0;
}

/* Adds an analysis to the list. Returns NULL when memory is short. */
static struct analysis *new_event(struct analysis_reading *r, const char *name)
{
	const struct rows_sort *sort = r->query.sort;
	struct analysis *a;

	if (hash_reserve(&r->names) ||
	    room_for(&r->list, r->names.used + 1, &r->max, sizeof(*r->list)))
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	*a = (struct analysis){
		.reading = r, .leaves = r->leaves, .samples = r->samples, .symbols = r->symbols, .group = &r->group,
		.query = r->query, .event = name, .number = r->names.used,
		.moments = { .limit = r->query.moments_limit } };
	r->list[r->names.used] = a;
	hash_put(&r->names, hash_text(name));
	a->profile = profile_new();
	a->counts = calloc(r->group.nr + 1, sizeof(*a->counts));
	if (sort)
		a->rows = rows_new(sort, r->group.nr);
	return a->profile && a->counts && (a->rows || !sort) ? a : NULL;
}

/* Returns the analysis of an event; NULL when memory is short. */
static struct analysis *of_event(struct analysis_reading *r, const struct perfdata_event *event)
{
	size_t nr, at = event - samples_events(r->samples, &nr);

	if (r->of[at])
		return r->of[at];
	hash_for_each(i, &r->names, hash_text(event->name)) {
		if (strcmp(r->list[i]->event, event->name))
			continue;
		if (at < r->list[i]->event_number)
			r->list[i]->event_number = at;
		return r->of[at] = r->list[i];
	}
	r->of[at] = new_event(r, event->name);
	if (r->of[at]) {
		r->of[at]->event_number = at;
		r->of[at]->offcpu = samples_are_offcpu(event);
	}
	return r->of[at];
}

static bool sorts_by(const struct analysis_reading *r, enum rows_key key)
{
	return r->query.sort && rows_has(r->query.sort, key);
}

/* Whether stacks that differ only in this are kept apart. */
static bool differ_by(const struct analysis_reading *r, enum rows_key key)
{
	return r->query.traces || sorts_by(r, key);
}

/* Sets fields that the table does not show to 0, so that equal samples compare as equal. */
static struct tally_who whose(const struct analysis_reading *r, const struct analysis *a,
			      const struct recorded_sample *s)
{
	const bool by_thread = r->query.sources || differ_by(r, ROWS_COMM) ||
			       differ_by(r, ROWS_TID);

	return (struct tally_who){
		.process = maps_process_name(samples_maps(r->samples), s->raw.pid, s->raw.tid),
		.comm = by_thread ? s->comm : "",
		.event = a->number,
		.pid = differ_by(r, ROWS_PID) ? s->raw.pid : 0,
		.tid = differ_by(r, ROWS_TID) ? s->raw.tid : 0,
		.cpu = differ_by(r, ROWS_CPU) ? s->raw.cpu : 0,
		.cgroup = differ_by(r, ROWS_CGROUP) ? s->raw.cgroup : 0,
		.state = sorts_by(r, ROWS_STATE) ? samples_state(s) : 0,
	};
}

/* The caches of a reading. */
struct memos {
	struct memo *stacks;		/* from a sample's words to what it recorded, in any thread */
	struct memo *shown;		/* from that, the thread, and what else the query
					 * distinguishes, to the tally */
	uint32_t nr_stacks;		/* numbers given to entries of stacks */
};

/* Returns the entry of stack number `number` as this sample's thread shows it. NULL when memory is
 * short. */
static struct memo_entry *shown_entry(struct analysis_reading *r, struct memos *memos,
				      uint32_t number, const struct recorded_sample *s)
{
	const struct perfdata_sample *raw = &s->raw;
	struct maps_state state = maps_state(samples_maps(r->samples), raw->pid, raw->tid);
	const uint64_t words[] = {
		(uint64_t)raw->tid << 32 | number,
		(uint64_t)state.thread << 32 | (differ_by(r, ROWS_CPU) ? raw->cpu : 0),
		differ_by(r, ROWS_CGROUP) ? raw->cgroup : 0,
		sorts_by(r, ROWS_STATE) ? samples_state(s) : 0,
	};

	return memo_entry(memos->shown, words, sizeof(words) / sizeof(*words));
}

/* Whether the sample is one more of a stack of the tally, though it is the first of its thread. */
static bool is_shared(struct analysis_reading *r, const struct analysis *a,
		      const struct memo_entry *known, struct recorded_sample *s)
{
	struct tally_who who;

	if (!known->counted || known->special || !stitch_is_plain(r->stitch, s->raw.tid))
		return false;
	s->comm = maps_comm(samples_maps(r->samples), s->raw.pid, s->raw.tid);
	who = whose(r, a, s);
	return tally_is_of(r->tally, known->stack, &who);
}

/* Notes the calls of a stack for other samples of its thread. later: the tally remembers the stack for
 * the thread; open: its outer frames may be known from others. */
static int note_calls(struct analysis_reading *r, bool counted, struct memo_entry *known,
		      const struct recorded_sample *s, bool *later, bool *open)
{
	enum stitch_effect effect;

	*later = *open = false;
	if (r->leaves)
		return 0;
	if (stitch_note(r->stitch, &s->stack, &effect, open))
		return -1;
	known->special = effect == STITCH_SPECIAL || *open;
	*later = counted && effect == STITCH_PLAIN && stitch_is_plain(r->stitch, s->raw.tid);
	return *later ? 0 : stitch_note_thread(r->stitch, s->raw.tid, &s->stack, effect, open);
}

/* Counts a sample whose like this thread did not show before. */
static int count_new(struct analysis_reading *r, const struct analysis *a,
		     struct memo_entry *known, struct recorded_sample *s, uint64_t period,
		     uint32_t *stack)
{
	struct stacks_code code;
	struct tally_who who;
	bool open, later;

	if (samples_place(r->samples, s))
		return -1;
	s->stack.doubted = samples_failed_audit(r->samples, s->raw.pid);
	code = samples_code(r->samples);
	if (note_calls(r, a, known, s, &later, &open) || targets_note(r->targets, &code, &s->stack))
		return err_errno("counting stacks");
	known->noted = true;
	if (!a)
		return 0;
	who = whose(r, a, s);
	/* The outer frames are known only for this thread. */
	if (open)
		who.tid = s->raw.tid;
	if (tally_add(r->tally, &s->stack, &who, period, r->group.counts, stack) ||
	    (later && stitch_later(r->stitch, s->raw.tid, *stack)))
		return err_errno("counting stacks");
	known->stack = *stack;
	known->counted = true;
	return 0;
}

/* Most samples equal an earlier one of their thread; recognizing that is their whole cost. a: NULL
 * for samples that are filtered out; they show the thread's callers, too. */
static int count_stack(struct analysis_reading *r, const struct analysis *a, struct memos *memos,
		       struct recorded_sample *s, uint64_t period, uint32_t *stack)
{
	struct memo_entry fresh = { 0 }, *known, *shown;
	const uint64_t *words;
	size_t nr;

	if (samples_words(r->samples, s, &words, &nr))
		return -1;
	if (!nr || memo_rests(memos->stacks))
		return count_new(r, a, &fresh, s, period, stack);
	known = memo_entry(memos->stacks, words, nr);
	if (known && !known->number)
		known->number = ++memos->nr_stacks;
	shown = known ? shown_entry(r, memos, known->number, s) : NULL;
	if (!shown)
		return err_errno("counting stacks");
	if (a && !shown->counted && is_shared(r, a, known, s)) {
		shown->stack = known->stack;
		shown->noted = shown->counted = true;
		if (!r->leaves && stitch_later(r->stitch, s->raw.tid, known->stack))
			return err_errno("counting stacks");
	}
	if (shown->counted && a)
		tally_again(r->tally, *stack = shown->stack, period, r->group.counts);
	if (shown->counted || (shown->noted && !a))
		return 0;
	if (count_new(r, a, known, s, period, stack))
		return -1;
	shown->noted = true;
	shown->counted = a;
	shown->stack = *stack;
	return 0;
}

static int count_sample(struct analysis_reading *r, struct analysis *a, struct memos *memos,
			struct recorded_sample *s, uint64_t period)
{
	uint32_t stack = 0;

	if (count_stack(r, a, memos, s, period, &stack))
		return -1;
	if (a && r->query.moments &&
	    moments_add(&a->moments, s->raw.time, period, stack))
		return err_errno("keeping samples");
	return 0;
}

static int read_sample(struct analysis_reading *r, struct memos *memos, struct recorded_sample *s)
{
	const struct perfdata_sample *raw = &s->raw;
	uint64_t period = raw->period ? raw->period : 1;
	bool meant = !r->query.filter ||
		     filter_sample(r->query.filter, samples_maps(r->samples), raw);
	bool preempted = samples_state(s) == SAMPLES_PREEMPTED && !sorts_by(r, ROWS_STATE);
	struct analysis *a;

	if (samples_left_out(r->samples))
		return count_sample(r, NULL, memos, s, 0);
	a = of_event(r, s->event);
	if (a && meant && preempted) {
		a->preempted++;
		a->preempted_ns = tally_sum(a->preempted_ns, period);
		meant = false;
	}
	if (!a || (r->group.nr && group_take(&r->group, s->event, raw)) ||
	    (meant && note_sample(a, raw, period)))
		return err_errno("counting samples");
	a->nr_read += !preempted;
	if (r->leaves)
		leaf_alone(s);
	return count_sample(r, meant ? a : NULL, memos, s, period);
}

int reading_samples(struct analysis_reading *r)
{
	struct memos memos = { memo_new(), memo_new(), 0 };
	struct recorded_sample s;
	int ret = memos.stacks && memos.shown ? 1 : err_errno("counting stacks");

	while (ret > 0 && (ret = samples_take(r->samples, &s)) > 0)
		if (read_sample(r, &memos, &s))
			ret = -1;
	memo_free(memos.stacks);
	memo_free(memos.shown);
	if (!ret && !r->names.used && !new_event(r, ""))
		ret = err_errno("reading %s", r->query.input);
	return ret;
}

/* The calls of a stack are noted for a thread from the tally. */
static const struct stacks_sample *tally_sample(void *ctx, uint32_t stack)
{
	struct analysis_reading *r = ctx;

	return tally_get(r->tally, stack, &r->noted) ? NULL : &r->noted.sample;
}

/* Allocates the tables that the samples are collected in; errno has the reason of a failure. */
static int prepare(struct analysis_reading *r)
{
	const struct stacks_code code = samples_code(r->samples);
	struct symbols_options names = *r->query.names;
	size_t nr;

	samples_events(r->samples, &nr);
	r->of = calloc(nr + 1, sizeof(*r->of));
	r->targets = targets_new(samples_maps(r->samples));
	names.targets = r->targets;
	names.lines = differ_by(r, ROWS_LINE);
	r->symbols = r->query.library ? library_symbols(r->query.library, &names) :
					symbols_new(samples_maps(r->samples), &names);
	r->stitch = stitch_new(samples_maps(r->samples), &code,
			       &(struct stitch_source){ tally_sample, r });
	if (!r->of || !r->targets || !r->symbols || !r->stitch ||
	    group_init(&r->group, r->samples))
		return -1;
	r->tally = tally_new(r->group.nr);
	return r->tally ? 0 : -1;
}

static bool has_cgroup(const struct perfdata_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_CGROUP;
}

/* Samples cannot be sorted by data that they do not have. */
static int check_keys(const struct analysis_reading *r)
{
	static const struct {
		enum rows_key key;
		bool (*has)(const struct perfdata_event *event);
		const char *what, *remedy;
	} checks[] = {
		{ ROWS_CGROUP, has_cgroup, "the samples have no cgroups", "record with --all-cgroups" },
		{ ROWS_STATE, samples_are_offcpu, "only times off the CPU have a state",
		  "record with --off-cpu, and choose them by -e " PERFDATA_OFFCPU_NAME },
	};
	size_t nr;
	const struct perfdata_event *events = samples_events(r->samples, &nr);

	for (size_t c = 0; c < sizeof(checks) / sizeof(*checks); c++) {
		bool found = !sorts_by(r, checks[c].key);

		for (size_t i = 0; i < nr && !found; i++)
			found = samples_selected(r->samples, i) && checks[c].has(&events[i]);
		if (!found)
			return err_fail("%s: %s: %s", r->query.input, checks[c].what, checks[c].remedy);
	}
	return 0;
}

/* Whether the query can be answered without callers. A time off the CPU is that of the function by which
 * the program entered a library. */
static bool needs_leaves(const struct analysis_reading *r)
{
	const struct analysis_query *q = &r->query;
	size_t nr;
	const struct perfdata_event *events = samples_events(r->samples, &nr);

	for (size_t i = 0; i < nr; i++)
		if (samples_selected(r->samples, i) && samples_are_offcpu(&events[i]))
			return false;
	return q->leaves && !q->strict && !(q->filter && q->filter->verdicts);
}

static struct samples *open_samples(const struct analysis_query *query)
{
	struct recorded *recorded;

	if (!query->library)
		return samples_open(query->input);
	recorded = library_recorded(query->library);
	return recorded ? samples_open_again(query->input, recorded) : NULL;
}

struct analysis_reading *reading_open(const struct analysis_query *query)
{
	struct analysis_reading *r = calloc(1, sizeof(*r));

	if (!r) {
		err_errno("reading %s", query->input);
		return NULL;
	}
	r->query = *query;
	if (query->filter)
		filter_begin(query->filter);
	r->samples = open_samples(query);
	if (!r->samples || samples_select(r->samples, query->event))
		goto err;
	if (query->with_offcpu && !query->event)
		samples_select_offcpu(r->samples);
	r->leaves = needs_leaves(r);
	if (!r->leaves)
		samples_with_offcpu(r->samples);
	if (check_keys(r))
		goto err;
	if (!prepare(r))
		return r;
	err_errno("reading %s", query->input);
err:
	reading_free(r);
	return NULL;
}

static void free_event(struct analysis *a)
{
	for (size_t i = 0; a->profile && i < a->profile->nr_entries; i++)
		if (a->profile->entries[i].kind == PROFILE_PROCESS ||
		    a->profile->entries[i].kind == PROFILE_THREAD)
			free((char *)a->profile->entries[i].name);
	rows_free(a->rows);
	profile_free(a->profile);
	traces_free(&a->traces);
	unnamed_free(&a->unnamed);
	pidset_free(&a->processes);
	free(a->moments.list);
	free(a->counts);
	free(a->cpus);
	free(a);
}

void reading_free(struct analysis_reading *r)
{
	for (size_t i = 0; i < r->names.used; i++)
		free_event(r->list[i]);
	free(r->list);
	free(r->of);
	hash_free(&r->names);
	tally_free(r->tally);
	stitch_free(r->stitch);
	group_free(&r->group);
	if (!r->query.library)
		symbols_free(r->symbols);
	targets_free(r->targets);
	samples_close(r->samples);
	free(r);
}
