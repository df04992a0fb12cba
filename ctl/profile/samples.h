/* SPDX-License-Identifier: GPL-2.0 */
/* Selects and iterates over the samples of a capture. */
#ifndef LBRCTL_PROFILE_SAMPLES_H
#define LBRCTL_PROFILE_SAMPLES_H

#include "perfdata/budget.h"
#include "perfdata/read.h"
#include "stacks/recorded.h"

struct samples;

/* The losses that the capture reports, in samples (LOST_SAMPLES) and records (LOST). */
struct samples_losses {
	uint64_t samples, records;
};

/* Opens a capture. Returns NULL with the reason printed. */
struct samples *samples_open(const char *path);
/* The same with the recorded of an earlier capture of this machine (recorded_begin()), which must
 * outlive the samples. */
struct samples *samples_open_again(const char *path, struct recorded *recorded);
void samples_close(struct samples *samples);

/* Selects the samples, and the losses, of the event with that name. NULL: of the events that a
 * counter counts; without such events, of times off the CPU; without these, of triggers.
 * (Periods of different events cannot be added up.) Budget marks are never selected.
 * Returns 0, or -1 with the reason printed. */
int samples_select(struct samples *samples, const char *event);

/* Selects times off the CPU besides. */
void samples_select_offcpu(struct samples *samples);

/* Each loss that the capture reports, in order of time. */
struct samples_loss {
	uint64_t time;			/* ns, when it was reported */
	struct samples_losses lost;
};
const struct samples_loss *samples_each_loss(const struct samples *samples, size_t *nr);

/* Each mark of an action that kept the recording to its budget, in order of time. */
struct samples_mark {
	uint64_t time;			/* ns */
	uint32_t cpu;
	struct budget_record action;
};
const struct samples_mark *samples_each_mark(const struct samples *samples, size_t *nr);

/* Whether event number i is selected. Before samples_select() all are. */
bool samples_selected(const struct samples *samples, size_t i);

/* Whether event number i, which a counter counted with samples of its own, had none up to the
 * last sample of samples_take(), selected or not. */
bool samples_silent(const struct samples *samples, size_t i);

/* Whether the samples of an event are times off the CPU, with periods in ns: those of
 * lbrctl (perfdata/own_events.h) or of perf record --off-cpu. */
bool samples_are_offcpu(const struct perfdata_event *event);

/* Returns the state in which a thread was off the CPU, by its letter in /proc/PID/stat: S, D, T, or
 * SAMPLES_PREEMPTED if it could run; '?': the sample does not say it, or is no time off the CPU. */
#define SAMPLES_PREEMPTED	'R'
char samples_state(const struct recorded_sample *sample);
/* Returns "preempted", "sleeping" ... */
const char *samples_state_name(char state);

/* From now on samples_take() also returns times off the CPU that are not selected
 * (samples_left_out() is then true): they show a thread's callers, too. */
void samples_with_offcpu(struct samples *samples);

/* Whether the last sample of samples_take() is not selected. */
bool samples_left_out(const struct samples *samples);

/* The actions that kept the recording to its budget, by all marks up to the last sample of
 * samples_take(), selected or not. */
const struct budget *samples_budget(const struct samples *samples);

/* Gets the next selected sample: sets event and raw, and all else to 0. Returns 1; 0 at the end;
 * -1 with the reason printed. The sample is valid until the next call. */
int samples_take(struct samples *samples, struct recorded_sample *sample);
/* Sets the other fields of the last sample of samples_take(). Returns 0, or -1 with the reason
 * printed. */
int samples_place(struct samples *samples, struct recorded_sample *sample);

/* Returns recorded_words() of a sample of samples_take(). */
int samples_words(struct samples *samples, const struct recorded_sample *sample,
		  const uint64_t **words, size_t *nr);

/* Prints that the capture at path has no samples. Returns -1. */
int samples_none(const struct samples *samples, const char *path);
/* Prints that no sample matches the filters; nr: the samples in the capture. Returns -1. */
int samples_none_chosen(const char *path, uint64_t nr);

/* perfdata_contents() */
const unsigned char *samples_contents(const struct samples *samples, uint64_t *size);

const struct perfdata_info *samples_info(const struct samples *samples);
const struct perfdata_event *samples_events(const struct samples *samples,
					    size_t *nr);
/* Whether an audit found that the LBR showed a wrong stack of process pid. */
bool samples_failed_audit(const struct samples *samples, uint32_t pid);

struct samples_losses samples_losses(const struct samples *samples);

/* Whether the capture has the mappings and tasks as the kernel reported them. */
bool samples_follow_tasks(const struct samples *samples);

/* The maps of the samples; valid as long as the samples. */
struct maps *samples_maps(struct samples *samples);
struct stacks_code samples_code(struct samples *samples);
size_t samples_depth(const struct samples *samples);

/* Returns the path of a cgroup by its id, or NULL if the capture does not have it. */
const char *samples_cgroup(const struct samples *samples, uint64_t id);

#endif
