// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/analysis.h"
#include "profile/memo.h"
#include "profile/tally.h"
#include "stacks/stitch.h"

/* Which profile entry stands for a function, as itself and as a tail caller. */
struct entries {
	uint32_t (*of)[2];		/* by function number; 0: none yet, or + 1 */
	size_t max;
	uint32_t *path;
	struct rows_line *lines;	/* of the path */
	size_t max_path;
	uint32_t *place;		/* in the path that is folded, by entry */
	size_t max_place;
	uint32_t marks[STACKS_NR_VERDICTS];	/* as of */
	uint32_t *threads;		/* entries that are threads */
	size_t nr_threads;
};

/* More than any kernel can be built for: a number beyond is damage. */
#define MAX_CPU	65536

static int count_cpu(struct analysis *a, uint32_t cpu, uint64_t period)
{
	if (cpu >= a->nr_cpus) {
		struct analysis_cpu *list = realloc(a->cpus, (cpu + 1) * sizeof(*list));

		if (!list)
			return -1;
		memset(list + a->nr_cpus, 0, (cpu + 1 - a->nr_cpus) * sizeof(*list));
		a->cpus = list;
		a->nr_cpus = cpu + 1;
	}
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

/* What the table does not tell apart is the same. */
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

/* The table may tell samples apart by where they were, which is not among the words. */
static int words_where(struct analysis *a, const struct perfdata_sample *raw,
		       const uint64_t **words, size_t *nr)
{
	if (!*nr || (!sorts_by(a, ROWS_CPU) && !sorts_by(a, ROWS_CGROUP)))
		return 0;
	if (*nr + 2 > a->max_words) {
		uint64_t *list = realloc(a->words, 2 * (*nr + 2) * sizeof(*list));

		if (!list)
			return -1;
		a->words = list;
		a->max_words = 2 * (*nr + 2);
	}
	memcpy(a->words, *words, *nr * sizeof(**words));
	a->words[(*nr)++] = sorts_by(a, ROWS_CPU) ? raw->cpu : 0;
	a->words[(*nr)++] = sorts_by(a, ROWS_CGROUP) ? raw->cgroup : 0;
	*words = a->words;
	return 0;
}

/* Most samples record what one before them did: that costs no more than to see it.
 * Samples that are not meant tell of the thread's callers, too. */
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
	code = samples_code(a->samples);
	if (stitch_note(a->stitch, s->raw.tid, &s->stack, &open) ||
	    targets_note(a->targets, &code, &s->stack))
		return err_errno("counting stacks");
	known->noted = true;
	if (!meant)
		return 0;
	who = whose(a, s);
	/* What is outside of it is known of its thread alone. */
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

static uint32_t function_entry(struct analysis *a, struct entries *e,
			       uint32_t number, bool tail)
{
	const struct symbols_function *f = symbols_function(a->symbols, number);
	uint32_t *entry;

	if (number >= e->max) {
		size_t max = 2 * (size_t)number + 64;
		void *list = realloc(e->of, max * sizeof(*e->of));

		if (!list)
			return UINT32_MAX;
		e->of = list;
		memset(e->of + e->max, 0, (max - e->max) * sizeof(*e->of));
		e->max = max;
	}
	entry = &e->of[number][tail];
	if (!*entry)
		*entry = 1 + profile_entry_new(a->profile,
			tail ? PROFILE_TAIL_CALL :
			f->inlined ? PROFILE_INLINED :
			f->kernel ? PROFILE_KERNEL : PROFILE_USER,
			f->name, f->object);
	if (*entry)
		a->profile->entries[*entry - 1].unknown = !f->known;
	return *entry - 1;
}

static uint32_t thread_entry(struct analysis *a, struct entries *e,
			     const char *comm)
{
	uint32_t *list, entry;

	for (size_t i = 0; i < e->nr_threads; i++)
		if (!strcmp(a->profile->entries[e->threads[i]].name, comm))
			return e->threads[i];
	list = realloc(e->threads, (e->nr_threads + 1) * sizeof(*list));
	if (!list || !(comm = strdup(comm)))
		return UINT32_MAX;
	for (char *c = (char *)comm; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	e->threads = list;
	entry = profile_entry_new(a->profile, PROFILE_THREAD, comm, "");
	if (entry != UINT32_MAX)
		list[e->nr_threads++] = entry;
	return entry;
}

static uint32_t mark_entry(struct analysis *a, struct entries *e,
			   enum stacks_verdict verdict)
{
	static const char *const names[STACKS_NR_VERDICTS] = {
		[STACKS_TRUNCATED] = "[truncated]",
		[STACKS_PARTIAL] = "[partial]",
		[STACKS_BROKEN] = "[broken]",
		[STACKS_DISPUTED] = "[disputed]",
		[STACKS_NO_USER] = "[kernel only]",
	};

	if (!e->marks[verdict])
		e->marks[verdict] = 1 + profile_entry_new(a->profile,
				PROFILE_MARK, names[verdict], "");
	return e->marks[verdict] - 1;
}

static uint32_t frame_marks(enum stacks_kind kind)
{
	return stacks_is_stitched(kind) ? PROFILE_STITCHED :
	       stacks_is_unwound(kind) ? PROFILE_UNWOUND : 0;
}

/* Cuts the way round out of the path where it comes back to an entry. */
static int fold(const struct analysis *a, struct entries *e, size_t *nr)
{
	size_t out = 0;

	if (a->profile->nr_entries > e->max_place) {
		uint32_t *place = realloc(e->place, a->profile->nr_entries *
					  sizeof(*place));

		if (!place)
			return -1;
		memset(place + e->max_place, 0, (a->profile->nr_entries -
						 e->max_place) * sizeof(*place));
		e->place = place;
		e->max_place = a->profile->nr_entries;
	}
	for (size_t i = 0; i < *nr; i++) {
		uint32_t entry = e->path[i] & ~PROFILE_MARKS;
		uint32_t at = e->place[entry];

		/* A place of a path before, or of what was cut out, is none. */
		if (at < out && (e->path[at] & ~PROFILE_MARKS) == entry &&
		    !a->profile->entries[entry].unknown) {
			e->path[at] |= PROFILE_RECURSIVE;
			out = at + 1;
			continue;
		}
		e->place[entry] = out;
		e->path[out++] = e->path[i];
	}
	*nr = out;
	return 0;
}

/* A thread is the outermost caller of all that it does: that says nothing. */
static size_t invert(uint32_t *path, size_t nr)
{
	if (nr > 1)
		memmove(path, path + 1, --nr * sizeof(*path));
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t other = path[nr - 1 - i];

		path[nr - 1 - i] = path[i];
		path[i] = other;
	}
	return nr;
}

static int add_path(struct analysis *a, struct entries *e, size_t nr,
		    const struct tally_stack *t)
{
	if (a->rows && rows_add(a->rows, a->profile, e->path, e->lines, nr, t))
		return -1;
	if (a->query.fold && fold(a, e, &nr))
		return -1;
	if (a->query.inverted)
		nr = invert(e->path, nr);
	return profile_add(a->profile, e->path, nr, &(struct profile_weight){
			   t->samples, t->period, t->squares });
}

static int path_add(struct entries *e, size_t *nr, uint32_t entry, uint32_t marks,
		    const struct rows_line *line)
{
	if (entry == UINT32_MAX)
		return -1;
	if (*nr == e->max_path) {
		size_t max = e->max_path ? 2 * e->max_path : 64;
		uint32_t *path = realloc(e->path, max * sizeof(*path));
		struct rows_line *lines;

		if (!path)
			return -1;
		e->path = path;
		lines = realloc(e->lines, max * sizeof(*lines));
		if (!lines)
			return -1;
		e->lines = lines;
		e->max_path = max;
	}
	e->lines[*nr] = *line;
	e->path[(*nr)++] = entry | marks;
	return 0;
}

/* The function of a frame, and what is inlined there. */
static int add_frame(struct analysis *a, struct entries *e, size_t *nr,
		     const struct stacks_frame *frame)
{
	enum stacks_kind kind = frame->kind;
	bool tail = kind == STACKS_TAIL_CALL;
	struct place place = frame->place;
	const struct symbols_frame *list;
	size_t nr_list;

	/* A return address may be the first of the next function. */
	if ((kind == STACKS_RETURN || kind == STACKS_KERNEL_RETURN) && place.addr)
		place.addr--;
	list = symbols_frames(a->symbols, place, &nr_list);
	/* Of these the function is known, and not where in it. */
	if (tail || kind == STACKS_LEAF_INFERRED || kind == STACKS_STITCHED_SOMEWHERE)
		nr_list = 1;
	for (size_t i = 0; i < nr_list; i++) {
		uint32_t entry = function_entry(a, e, list[i].function, tail);
		struct rows_line line = { list[i].file, list[i].line };

		/* A row of addresses without a function is one line, no ladder. */
		if (*nr && entry == (e->path[*nr - 1] & ~PROFILE_MARKS) &&
		    !symbols_function(a->symbols, list[i].function)->known)
			continue;
		if (path_add(e, nr, entry, frame_marks(kind), &line))
			return -1;
	}
	return 0;
}

static int add_stack(struct analysis *a, struct entries *e,
		     const struct tally_stack *t,
		     const struct stacks_stack *stack)
{
	const struct rows_line nowhere = { NULL, 0 };
	size_t nr = 0;

	if (path_add(e, &nr, thread_entry(a, e, t->who->comm), 0, &nowhere))
		return -1;
	if (stack->verdict != STACKS_COMPLETE &&
	    path_add(e, &nr, mark_entry(a, e, stack->verdict), 0, &nowhere))
		return -1;
	for (size_t i = stack->nr_frames; i-- > 0;)
		if (add_frame(a, e, &nr, &stack->frames[i]))
			return -1;
	return add_path(a, e, nr, t);
}

/* Whether the innermost frame is one that is meant. */
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

/* --strict: what is known to be wrong somewhere is no part of the shares. */
static bool leave_out(struct analysis *a, const struct stacks_stack *stack,
		      const struct tally_stack *t)
{
	if (!a->query.strict || (stack->verdict != STACKS_BROKEN &&
				 stack->verdict != STACKS_DISPUTED))
		return false;
	a->left_out += t->samples;
	return true;
}

/* 0, or -1 when memory is short. */
static int build(struct analysis *a, const struct tally_stack *t,
		 const struct stacks_code *code, struct stacks_stack *stack)
{
	const struct stacks_caller *callers;
	size_t nr;

	if (stacks_build(&t->sample, code, stack) ||
	    stitch_doubt(a->stitch, t->who->tid, stack, &nr))
		return -1;
	if (nr < stack->nr_frames)
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
	struct entries entries = { 0 };
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
		ret = add_stack(a, &entries, &t, &stack);
	}
	stacks_free(&stack);
	free(entries.of);
	free(entries.path);
	free(entries.lines);
	free(entries.place);
	free(entries.threads);
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

/* What the samples are gathered in; errno says why not. */
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

/* What the samples do not tell they cannot be sorted by. */
static int check_keys(const struct analysis *a)
{
	size_t nr;
	const struct perfdata_event *events = samples_events(a->samples, &nr);

	for (size_t i = 0; i < nr && sorts_by(a, ROWS_CGROUP); i++)
		if (samples_selected(a->samples, i) &&
		    events[i].attr.sample_type & PERF_SAMPLE_CGROUP)
			return 0;
	return !sorts_by(a, ROWS_CGROUP) ? 0 :
	       err_fail("%s: its samples have no cgroups: record with --all-cgroups",
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
