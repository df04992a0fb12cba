// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "err.h"
#include "memo.h"
#include "stitch.h"
#include "tally.h"

#define NR_REASONS (sizeof(((struct analysis *)0)->reasons) / \
		    sizeof(struct analysis_reason))

/* Which profile entry stands for a function, as itself and as a tail caller. */
struct entries {
	uint32_t (*of)[2];		/* by function number; 0: none yet, or + 1 */
	size_t max;
	uint32_t *path;
	size_t max_path;
	uint32_t marks[STACKS_NR_VERDICTS];	/* as of */
	uint32_t *threads;		/* entries that are threads */
	size_t nr_threads;
};

static void note_sample(struct analysis *a, const struct perfdata_sample *raw,
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
	a->period_sum = tally_sum(a->period_sum, period);
}

/* Most samples record what one before them did: that costs no more than to see it.
 * What is stitched to a stack also depends on what the thread showed meanwhile. */
static int count_sample(struct analysis *a, struct tally *tally, struct memo *memo,
			struct samples_sample *s, uint64_t period)
{
	uint64_t version = stitch_version(a->stitch, s->raw.tid);
	struct memo_entry fresh = { 0 }, *known = &fresh;
	const uint64_t *words;
	size_t nr;

	if (samples_words(a->samples, s, &words, &nr))
		return -1;
	if (nr && !(known = memo_entry(memo, words, nr)))
		return err_errno("counting stacks");
	if (known->version && known->version == version) {
		tally_again(tally, known->stack, period);
		return 0;
	}
	if (samples_place(a->samples, s))
		return -1;
	if (stitch_sample(a->stitch, s->raw.tid, &s->stack) ||
	    tally_add(tally, &s->stack, s->comm, period, &known->stack))
		return err_errno("counting stacks");
	known->version = version;
	return 0;
}

static int read_samples(struct analysis *a, struct tally *tally)
{
	struct memo *memo = memo_new();
	struct samples_sample s;
	int ret = memo ? 1 : err_errno("counting stacks");

	while (ret > 0 && (ret = samples_take(a->samples, &s)) > 0) {
		uint64_t period = s.raw.period ? s.raw.period : 1;

		note_sample(a, &s.raw, period);
		if (count_sample(a, tally, memo, &s, period))
			ret = -1;
	}
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
	return kind == STACKS_STITCHED ? PROFILE_STITCHED :
	       stacks_is_unwound(kind) ? PROFILE_UNWOUND : 0;
}

static int path_add(struct entries *e, size_t *nr, uint32_t entry, uint32_t marks)
{
	if (entry == UINT32_MAX)
		return -1;
	if (*nr == e->max_path) {
		size_t max = e->max_path ? 2 * e->max_path : 64;
		uint32_t *path = realloc(e->path, max * sizeof(*path));

		if (!path)
			return -1;
		e->path = path;
		e->max_path = max;
	}
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
	/* Of these the entry is known, and not how far they got. */
	if (tail || kind == STACKS_LEAF_INFERRED)
		nr_list = 1;
	for (size_t i = 0; i < nr_list; i++) {
		uint32_t entry = function_entry(a, e, list[i].function, tail);

		/* A row of addresses without a function is one line, no ladder. */
		if (*nr && entry == (e->path[*nr - 1] & ~PROFILE_MARKS) &&
		    !symbols_function(a->symbols, list[i].function)->known)
			continue;
		if (path_add(e, nr, entry, frame_marks(kind)))
			return -1;
	}
	return 0;
}

static int add_stack(struct analysis *a, struct entries *e,
		     const struct tally_stack *t,
		     const struct stacks_stack *stack)
{
	size_t nr = 0;

	if (path_add(e, &nr, thread_entry(a, e, t->comm), 0))
		return -1;
	if (stack->verdict != STACKS_COMPLETE &&
	    path_add(e, &nr, mark_entry(a, e, stack->verdict), 0))
		return -1;
	for (size_t i = stack->nr_frames; i-- > 0;)
		if (add_frame(a, e, &nr, &stack->frames[i]))
			return -1;
	return profile_add(a->profile, e->path, nr, t->samples, t->period);
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
	for (size_t i = 0; i < NR_REASONS; i++) {
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
	if (!a->strict || (stack->verdict != STACKS_BROKEN &&
			   stack->verdict != STACKS_DISPUTED))
		return false;
	a->left_out += t->samples;
	a->period_sum -= t->period < a->period_sum ? t->period : a->period_sum;
	return true;
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
		/* What was concluded early may have become one way of several. */
		t.sample.nr_stitched = stitch_holds(a->stitch, &t.sample);
		ret = stacks_build(&t.sample, &answers, &stack);
		if (ret)
			break;
		count_verdict(a, &stack, t.samples);
		if (!leave_out(a, &stack, &t))
			ret = add_stack(a, &entries, &t, &stack);
	}
	stacks_free(&stack);
	free(entries.of);
	free(entries.path);
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
	if (out)
		fclose(out);
	return text;
}

struct analysis *analysis_open(const char *path, const char *event, bool strict,
			       const struct symbols_options *names)
{
	struct analysis *a = calloc(1, sizeof(*a));
	struct tally *tally = tally_new();

	if (!a || !tally) {
		err_errno("reading %s", path);
		goto err;
	}
	a->strict = strict;
	a->samples = samples_open(path);
	if (!a->samples || samples_select(a->samples, event))
		goto err;
	a->symbols = symbols_new(samples_maps(a->samples), names);
	a->profile = profile_new();
	a->stitch = stitch_new(samples_maps(a->samples));
	a->event = event_names(a->samples, &a->offcpu);
	if (!a->symbols || !a->profile || !a->stitch || !a->event) {
		err_errno("reading %s", path);
		goto err;
	}
	if (read_samples(a, tally) || judge(a, tally))
		goto err;
	tally_free(tally);
	return a;
err:
	tally_free(tally);
	analysis_free(a);
	return NULL;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->profile && i < a->profile->nr_entries; i++)
		if (a->profile->entries[i].kind == PROFILE_THREAD)
			free((char *)a->profile->entries[i].name);
	profile_free(a->profile);
	stitch_free(a->stitch);
	symbols_free(a->symbols);
	samples_close(a->samples);
	free(a->event);
	free(a);
}

double analysis_percent(const struct analysis *a, uint64_t part)
{
	return a->period_sum ? 100.0 * part / a->period_sum : 0;
}

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
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	p->line(p->ctx, text);
}

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
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
	if (a->inferred)
		say(p, "Inferred: %" PRIu64 " (%.2f%%) stacks have frames that were left by a tail call, marked so",
		    a->inferred, share(a->inferred, a->nr_samples));
	if (a->unwound)
		say(p, "Unwound: %" PRIu64 " (%.2f%%) stacks have frames that only the recorded user stack tells, marked so",
		    a->unwound, share(a->unwound, a->nr_samples));
	if (a->stitched)
		say(p, "Stitched: %" PRIu64 " (%.2f%%) stacks have frames that the thread showed before, marked so",
		    a->stitched, share(a->stitched, a->nr_samples));
	if (a->strict)
		say(p, "Strict: %" PRIu64 " (%.2f%%) stacks that are broken or disputed are left out, the shares are those of the others",
		    a->left_out, share(a->left_out, a->nr_samples));
	for (size_t i = 0; i < NR_REASONS && a->reasons[i].text; i++)
		say(p, "Broken: %" PRIu64 ": %s", a->reasons[i].samples,
		    a->reasons[i].text);
	if (a->unverified)
		say(p, "Unverified: %" PRIu64 " (%.2f%%) stacks have entries that could not be checked against the code",
		    a->unverified, share(a->unverified, a->nr_samples));
}

void analysis_summary(const struct analysis *a,
		      void (*line)(void *ctx, const char *text), void *ctx)
{
	const struct perfdata_info *info = samples_info(a->samples);
	struct samples_losses losses = samples_losses(a->samples);
	struct printer p = { line, ctx };
	char text[256];

	if (info->cmdline)
		say(&p, "Command: %s", info->cmdline);
	if (info->hostname || info->osrelease)
		say(&p, "Host: %s, Linux %s", info->hostname ? info->hostname : "?",
		    info->osrelease ? info->osrelease : "?");
	if (a->offcpu)
		say(&p, "Event: %s, %.6f s off the CPU", a->event,
		    a->period_sum / 1e9);
	else if (a->period)
		say(&p, "Event: %s, period %" PRIu64, a->event, a->period);
	else
		say(&p, "Event: %s, varying period", a->event);
	say(&p, "Samples: %" PRIu64 " in %.3f s", a->nr_samples,
	    (a->last_time - a->first_time) / 1e9);
	say(&p, "Lost: %" PRIu64 " samples, %" PRIu64 " records",
	    losses.samples, losses.records);
	if (budget_text(samples_budget(a->samples), text, sizeof(text)))
		say(&p, "Budget: to keep to it %s", text);
	if (!samples_follow_tasks(a->samples))
		say(&p, "Mappings: from /proc now and then, perf's task events being denied; what was there for a moment only has no names");
	summary_verdicts(a, &p);
	if (symbols_kernel_note(a->symbols))
		say(&p, "Kernel addresses have no names: %s",
		    symbols_kernel_note(a->symbols));
}
