/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns one recorded sample (addresses, LBR entries, registers, a stack window) into the
 * struct stacks_sample that stacks_build() takes.
 *
 * Owns the data of the recorded machine: the mappings of its processes, the code of the mapped
 * files, the unwinder. The source of the samples does not matter: a file, or a running
 * recording.
 */
#ifndef LBRCTL_STACKS_RECORDED_H
#define LBRCTL_STACKS_RECORDED_H

#include "perfdata/read.h"
#include "stacks/build.h"
#include "stacks/code.h"
#include "stacks/maps.h"

struct recorded;

/* One recorded address. */
struct recorded_spot {
	uint64_t address;	/* the sampled address */
	uint64_t offset;	/* offset in the mapped file; equals address without a file */
	struct place place;
};

struct recorded_sample {
	/* Set by the caller. raw.chain is NULL if the event records no call chains. */
	const struct perfdata_event *event;
	struct perfdata_sample raw;

	/* Set by recorded_place(); valid until its next call. */
	const char *comm;
	struct recorded_spot ip;
	/* The call stack as it was recorded, innermost first: kernel frames, the
	 * sampled user address, then LBR `from`s or the kernel's walk. */
	const struct recorded_spot *frames;
	size_t nr_frames;
	struct stacks_sample stack;	/* its depth is that of recorded_depth() */
};

/* `info` must outlive the result. Returns NULL with the reason printed; `path` is for
 * messages. */
struct recorded *recorded_new(const struct perfdata_info *info, const char *path);
void recorded_free(struct recorded *recorded);

/* From now on the samples are those of another capture of the same machine. What is known of its
 * files and their code stays; the rest is forgotten. Returns 0, or -1 with errno. */
int recorded_begin(struct recorded *recorded, const struct perfdata_info *info);

/* Returns the number of answers about the code that are stored. */
size_t recorded_nr_answers(const struct recorded *recorded);

/* Returns the mappings. The caller passes the side records to them in order of time. */
struct maps *recorded_maps(struct recorded *recorded);

/* Returns the answers about the code of the mapped files; valid as long as `recorded`. */
struct stacks_code recorded_code(struct recorded *recorded);

/* Fills the fields that the caller does not set, which must be 0. Returns 0, or -1 with the
 * reason printed. */
int recorded_place(struct recorded *recorded, struct recorded_sample *sample);

/* All words that the result of recorded_place() depends on, but its `comm`: two samples with equal
 * words, of whatever threads of a process, have equal results. `event` is the number of the sample's event. *nr is 0 for a sample
 * with registers, which no other sample equals. *words is valid until the next call.
 * Returns 0, or -1 with the reason printed. */
int recorded_words(struct recorded *recorded, const struct recorded_sample *sample,
		   uint32_t event, const uint64_t **words, size_t *nr);

/* Whether an address is one of the kernel; whether the branches of an event's samples are call stacks. */
static inline bool recorded_in_kernel(uint64_t address)
{
	/* The upper half of the address space is the kernel's on x86-64. */
	return (int64_t)address < 0;
}

static inline bool recorded_has_lbr_stack(const struct perfdata_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Returns the number of LBR entries: that of the perfdata_info, else the smallest size of an
 * LBR (8, 16, 32, 64) that holds the fullest one seen so far. 0 without LBR. */
size_t recorded_depth(const struct recorded *recorded);

#endif
