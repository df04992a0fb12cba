/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of a capture, one after another, each address put into its place. */
#ifndef LBRCTL_PROFILE_SAMPLES_H
#define LBRCTL_PROFILE_SAMPLES_H

#include "perfdata/budget.h"
#include "perfdata/read.h"
#include "stacks/build.h"
#include "stacks/code.h"
#include "stacks/maps.h"

struct samples;

/* One recorded address. */
struct samples_spot {
	uint64_t address;	/* as it was sampled */
	uint64_t offset;	/* in the mapped file; address if there is none */
	struct place place;
};

struct samples_sample {
	const struct perfdata_event *event;
	struct perfdata_sample raw;
	const char *comm;	/* good until the next sample */
	struct samples_spot ip;

	/* The call stack as it was recorded, innermost first: kernel frames, the
	 * sampled user address, then LBR `from`s or the kernel's walk. */
	const struct samples_spot *frames;
	size_t nr_frames;
	bool has_chain;		/* the event records call chains */
	bool left_out;		/* see samples_with_offcpu() */

	struct stacks_sample stack;	/* depth is that of samples_depth() */
};

/* What the capture says was lost, in samples (LOST_SAMPLES) and records (LOST). */
struct samples_losses {
	uint64_t samples, records;
};

/* NULL with the reason printed. */
struct samples *samples_open(const char *path);
void samples_close(struct samples *samples);

/* Leaves only the samples of the event of that name, and what was lost of them.
 * NULL: of the events that a counter has; where there are none, of times off the
 * CPU; where there are none either, of triggers: events, ns and single occasions do
 * not add up. Marks of the budget are none of these. 0, or -1 with the reason
 * printed. */
int samples_select(struct samples *samples, const char *event);

/* Whether samples of event number i are left; all are, at first. */
bool samples_selected(const struct samples *samples, size_t i);

/* Whether an event's samples are times off the CPU, their period ns: ours
 * (encode.h), or those of perf record --off-cpu. */
bool samples_are_offcpu(const struct perfdata_event *event);

/* From then on samples_take() hands out times off the CPU even where they are not
 * selected, marked as left out: they show a thread's callers, too. */
void samples_with_offcpu(struct samples *samples);

/* What was done to keep to the budget, by the marks up to the sample of
 * samples_next(), selected or not. */
const struct budget *samples_budget(const struct samples *samples);

/* The next sample of a selected event. 1; 0 at the end; -1 with the reason
 * printed. The sample is good until the next call. */
int samples_next(struct samples *samples, struct samples_sample *sample);

/* The same in two steps: the sample as it was recorded (event, raw, has_chain), and
 * the rest of it, before the next is taken. 0, or -1 with the reason printed. */
int samples_take(struct samples *samples, struct samples_sample *sample);
int samples_place(struct samples *samples, struct samples_sample *sample);

/* All that the second step goes by of a sample of samples_take(): what comes of two
 * samples with the same words is the same. *nr is 0 where registers were recorded,
 * which never are the same; good until the next call. 0, or -1 with the reason
 * printed. */
int samples_words(struct samples *samples, const struct samples_sample *sample,
		  const uint64_t **words, size_t *nr);

/* Says that the capture at path has no samples. Returns -1. */
int samples_none(const struct samples *samples, const char *path);
/* Says that it has so many, none of which the options choose. Returns -1. */
int samples_none_chosen(const char *path, uint64_t nr);

const struct perfdata_info *samples_info(const struct samples *samples);
const struct perfdata_event *samples_events(const struct samples *samples,
					    size_t *nr);
struct samples_losses samples_losses(const struct samples *samples);

/* Whether the kernel told the recorder of mappings and tasks as they came. */
bool samples_follow_tasks(const struct samples *samples);
struct maps *samples_maps(struct samples *samples);

/* What is known of the code of the mapped files; of the samples, as long as they. */
struct stacks_code samples_code(struct samples *samples);

/* The path of a cgroup by its id, or NULL if the capture does not say. */
const char *samples_cgroup(const struct samples *samples, uint64_t id);

/* Entries of the LBR: as the capture says, else the least size that LBRs come in
 * (8, 16, 32, 64) that holds the fullest one seen so far. 0 without LBR. */
size_t samples_depth(const struct samples *samples);

#endif
