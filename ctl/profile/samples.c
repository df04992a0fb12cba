// SPDX-License-Identifier: GPL-2.0
/* Selects and iterates over the samples of a capture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/grow.h"
#include "profile/cgroup_names.h"
#include "profile/samples.h"
#include "perfdata/own_events.h"

struct samples {
	struct perfdata_file *file;
	struct recorded *recorded;
	struct recorded *own;		/* the same; NULL: it outlives the samples */
	struct cgroups cgroups;
	struct samples_losses losses;
	struct samples_loss *list;	/* each of the losses */
	size_t nr_list, max_list;
	struct samples_mark *marks;
	size_t nr_marks, max_marks;
	struct budget budget;
	bool *left_out;			/* by event; NULL: all are selected */
	bool *sampled;			/* by event: it had a sample so far */
	bool with_offcpu;		/* left out by the selection, but returned */
	bool is_left_out;		/* the sample of samples_take() */
};

struct samples *samples_open_again(const char *path, struct recorded *recorded)
{
	struct samples *s = calloc(1, sizeof(*s));
	size_t nr;

	if (!s) {
		err_errno("reading %s", path);
		return NULL;
	}
	s->file = perfdata_open(path);
	s->recorded = recorded;
	if (s->file && !recorded)
		s->recorded = s->own = recorded_new(perfdata_info(s->file), path);
	if (s->file && s->recorded) {
		perfdata_events(s->file, &nr);
		s->sampled = calloc(nr, sizeof(*s->sampled));
		if (s->sampled && (s->own || !recorded_begin(recorded, perfdata_info(s->file))))
			return s;
		err_errno("reading %s", path);
	}
	samples_close(s);
	return NULL;
}

struct samples *samples_open(const char *path)
{
	return samples_open_again(path, NULL);
}

void samples_close(struct samples *s)
{
	if (!s)
		return;
	recorded_free(s->own);
	cgroups_free(&s->cgroups);
	perfdata_close(s->file);
	free(s->left_out);
	free(s->sampled);
	free(s->list);
	free(s->marks);
	free(s);
}

bool samples_are_offcpu(const struct perfdata_event *event)
{
	return perfdata_is_own_named(event, PERFDATA_OFFCPU_NAME);
}

/* Text of the sample's raw data: record/encode.c. */
char samples_state(const struct recorded_sample *sample)
{
	static const char key[] = PERFDATA_OFFCPU_TEXT;
	const struct perfdata_sample *raw = &sample->raw;
	char state;

	if (!samples_are_offcpu(sample->event) || !raw->text || raw->text_size <= strlen(key) ||
	    memcmp(raw->text, key, strlen(key)))
		return '?';
	state = ((const char *)raw->text)[strlen(key)];
	state = state == 't' ? 'T' : state;
	return state && strchr("RSDT", state) ? state : '?';
}

const char *samples_state_name(char state)
{
	switch (state) {
	case SAMPLES_PREEMPTED:
		return "preempted";
	case 'S':
		return "sleeping";
	case 'D':
		return "uninterruptible";
	case 'T':
		return "stopped";
	}
	return "unknown";
}

static bool is_budget(const struct perfdata_event *event)
{
	return perfdata_is_own_named(event, PERFDATA_BUDGET_NAME);
}

bool samples_selected(const struct samples *s, size_t i)
{
	return !s->left_out || !s->left_out[i];
}

static bool is_dummy(const struct perfdata_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_DUMMY;
}

/* Prints that there is no such event, and lists the events. */
static int no_event(const struct perfdata_event *events, size_t nr,
		    const char *event)
{
	char names[512] = "";
	size_t at = 0;

	for (size_t i = 0; i < nr && at < sizeof(names); i++)
		if (!is_dummy(&events[i]))
			at += snprintf(names + at, sizeof(names) - at, "%s%s",
				       at ? ", " : "", events[i].name);
	return err_fail("the capture has no event '%s'; it has %s", event, names);
}

/* The kinds of events, in the order in which a report prefers them. */
enum samples_kind { SAMPLES_COUNTED, SAMPLES_OFFCPU, SAMPLES_TRIGGER, SAMPLES_NONE };

static enum samples_kind kind(const struct perfdata_event *event)
{
	if (is_dummy(event) || is_budget(event))
		return SAMPLES_NONE;
	if (!perfdata_is_own(event))
		return SAMPLES_COUNTED;
	return samples_are_offcpu(event) ? SAMPLES_OFFCPU : SAMPLES_TRIGGER;
}

int samples_select(struct samples *s, const char *event)
{
	size_t nr, left = 0;
	const struct perfdata_event *events = perfdata_events(s->file, &nr);
	enum samples_kind first = SAMPLES_NONE;

	free(s->left_out);
	s->left_out = calloc(nr, sizeof(*s->left_out));
	if (!s->left_out)
		return err_errno("selecting an event");
	for (size_t i = 0; i < nr; i++)
		if (kind(&events[i]) < first)
			first = kind(&events[i]);
	for (size_t i = 0; i < nr; i++) {
		s->left_out[i] = event ? strcmp(events[i].name, event) :
					 kind(&events[i]) != first;
		left += !s->left_out[i] && !is_dummy(&events[i]);
	}
	if (left || !event)
		return 0;
	return no_event(events, nr, event);
}

void samples_select_offcpu(struct samples *s)
{
	size_t nr;
	const struct perfdata_event *events = perfdata_events(s->file, &nr);

	for (size_t i = 0; i < nr; i++)
		if (samples_are_offcpu(&events[i]))
			s->left_out[i] = false;
}

void samples_with_offcpu(struct samples *s)
{
	s->with_offcpu = true;
}

bool samples_silent(const struct samples *s, size_t i)
{
	size_t nr;
	const struct perfdata_event *event = &perfdata_events(s->file, &nr)[i];

	/* An event without a period is a member of a group; its counts come with the samples of
	 * another event. */
	return kind(event) == SAMPLES_COUNTED && event->attr.sample_period && !s->sampled[i];
}

static void note_sampled(struct samples *s, const struct perfdata_event *event)
{
	size_t nr;

	if (event)
		s->sampled[event - perfdata_events(s->file, &nr)] = true;
}

static bool is_left_out(const struct samples *s, const struct perfdata_record *r)
{
	size_t nr;

	return r->event && !samples_selected(s, r->event -
					     perfdata_events(s->file, &nr));
}

/* Layouts of LOST (id, lost) and LOST_SAMPLES (lost): uapi/linux/perf_event.h. */
static int take_loss(struct samples *s, const struct perfdata_record *r)
{
	size_t at = r->type == PERF_RECORD_LOST ? 16 : 8;
	uint64_t lost, *sum = r->type == PERF_RECORD_LOST ? &s->losses.records :
							    &s->losses.samples;

	if (r->type == PERF_RECORD_LOST_SAMPLES && is_left_out(s, r))
		return 0;
	if (r->body_size < at + 8)
		return 0;
	lost = perfdata_u64(r->data + at);
	*sum += lost;
	if (room_for(&s->list, s->nr_list + 1, &s->max_list, sizeof(*s->list)))
		return err_errno("reading losses");
	s->list[s->nr_list++] = (struct samples_loss){ r->time, {
		.samples = r->type == PERF_RECORD_LOST_SAMPLES ? lost : 0,
		.records = r->type == PERF_RECORD_LOST ? lost : 0 } };
	return 0;
}

const struct samples_loss *samples_each_loss(const struct samples *s, size_t *nr)
{
	*nr = s->nr_list;
	return s->list;
}

/* Ignores an invalid mark, from a foreign event of the same name. */
static int take_mark(struct samples *s, const struct perfdata_sample *raw)
{
	struct budget_record mark;
	char text[BUDGET_MARK];

	if (!raw->raw || !raw->raw_size)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)raw->raw_size,
		 (const char *)raw->raw);
	if (!budget_parse(text, &mark))
		return 0;
	budget_add(&s->budget, &mark, raw->cpu);
	if (room_for(&s->marks, s->nr_marks + 1, &s->max_marks, sizeof(*s->marks)))
		return err_errno("reading the budget's marks");
	s->marks[s->nr_marks++] = (struct samples_mark){ raw->time, raw->cpu, mark };
	return 0;
}

const struct samples_mark *samples_each_mark(const struct samples *s, size_t *nr)
{
	*nr = s->nr_marks;
	return s->marks;
}

/* The clock of other sources of time besides the kernel: `perf record -k mono`. */
static bool is_monotonic(const struct perfdata_event *event)
{
	return event->attr.use_clockid && event->attr.clockid == CLOCK_MONOTONIC;
}

int samples_take(struct samples *s, struct recorded_sample *sample)
{
	struct perfdata_record r;
	int ret;

	while ((ret = perfdata_next(s->file, &r)) > 0) {
		if (r.type == PERF_RECORD_SAMPLE) {
			note_sampled(s, r.event);
			if (is_budget(r.event) && take_mark(s, &r.sample))
				return -1;
			s->is_left_out = is_left_out(s, &r);
			if (s->is_left_out && !(s->with_offcpu && samples_are_offcpu(r.event)))
				continue;
			memset(sample, 0, sizeof(*sample));
			sample->event = r.event;
			sample->raw = r.sample;
			if (r.sample.has_time && is_monotonic(r.event))
				maps_until(recorded_maps(s->recorded), r.sample.pid, r.sample.time);
			return 1;
		}
		if ((r.type == PERF_RECORD_LOST || r.type == PERF_RECORD_LOST_SAMPLES) &&
		    take_loss(s, &r))
			return -1;
		if (r.type == PERF_RECORD_CGROUP && cgroups_record(&s->cgroups, &r))
			return err_errno("reading a cgroup's name");
		if (maps_record(recorded_maps(s->recorded), &r))
			return -1;
	}
	return ret;
}

bool samples_left_out(const struct samples *s)
{
	return s->is_left_out;
}

int samples_place(struct samples *s, struct recorded_sample *sample)
{
	return recorded_place(s->recorded, sample);
}

int samples_words(struct samples *s, const struct recorded_sample *sample,
		  const uint64_t **words, size_t *nr)
{
	size_t nr_events;
	const struct perfdata_event *events = perfdata_events(s->file, &nr_events);

	return recorded_words(s->recorded, sample, sample->event - events, words, nr);
}

int samples_none(const struct samples *s, const char *path)
{
	char others[256] = "";
	size_t nr, at = 0;
	const struct perfdata_event *events = samples_events(s, &nr);

	for (size_t i = 0; i < nr && at < sizeof(others); i++)
		if (!samples_selected(s, i) && !is_dummy(&events[i]) && !is_budget(&events[i]))
			at += snprintf(others + at, sizeof(others) - at, "%s%s", at ? ", " : "",
				       events[i].name);
	if (at)
		return err_fail("%s: no samples; other events there, for -e: %s", path, others);
	return err_fail("%s: no samples; was the program running, and long enough for one period?",
			path);
}

int samples_none_chosen(const char *path, uint64_t nr)
{
	return err_fail("%s: no sample matches the filters (%llu samples in the capture)",
			path, (unsigned long long)nr);
}

const unsigned char *samples_contents(const struct samples *s, uint64_t *size)
{
	return perfdata_contents(s->file, size);
}

const struct perfdata_info *samples_info(const struct samples *s)
{
	return perfdata_info(s->file);
}

const struct perfdata_event *samples_events(const struct samples *s, size_t *nr)
{
	return perfdata_events(s->file, nr);
}

const struct budget *samples_budget(const struct samples *s)
{
	return &s->budget;
}

bool samples_follow_tasks(const struct samples *s)
{
	const struct perfdata_event *events;
	size_t nr;

	events = perfdata_events(s->file, &nr);
	for (size_t i = 0; i < nr; i++)
		if (events[i].attr.mmap || events[i].attr.mmap2)
			return true;
	return false;
}

static int audit_compare(const void *pid, const void *audit)
{
	uint32_t a = *(const uint32_t *)pid, b = ((const struct perfdata_audit *)audit)->pid;

	return a < b ? -1 : a > b;
}

bool samples_failed_audit(const struct samples *s, uint32_t pid)
{
	const struct perfdata_info *info = samples_info(s);
	const struct perfdata_audit *audit = !info->nr_audits ? NULL :
		bsearch(&pid, info->audits, info->nr_audits, sizeof(*audit), audit_compare);

	return audit && audit->disagreed;
}

struct samples_losses samples_losses(const struct samples *s)
{
	return s->losses;
}

struct maps *samples_maps(struct samples *s)
{
	return recorded_maps(s->recorded);
}

struct stacks_code samples_code(struct samples *s)
{
	return recorded_code(s->recorded);
}

const char *samples_cgroup(const struct samples *s, uint64_t id)
{
	return cgroups_path(&s->cgroups, id);
}

size_t samples_depth(const struct samples *s)
{
	return recorded_depth(s->recorded);
}
