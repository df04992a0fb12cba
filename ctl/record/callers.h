/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds user stacks while they are recorded, so that the file gets call chains and not
 * pieces of stacks. It follows the mappings by the same side records that the file gets.
 *
 * A recorded program may be hostile. Of each process CALLERS_MAPPINGS_MAX mappings are
 * followed, of each sample UNWIND_FRAMES_MAX frames.
 */
#ifndef LBRCTL_RECORD_CALLERS_H
#define LBRCTL_RECORD_CALLERS_H

#include <linux/perf_event.h>

#include "module/ring.h"
#include "record/encode.h"

/* Linux allows 65,530 for a process at a time (vm.max_map_count), but does not report
 * unmapping. */
#define CALLERS_MAPPINGS_MAX	(1U << 18)

struct callers;

/* lbr_depth: entries of the LBR. Returns NULL with the reason printed. */
struct callers *callers_new(uint32_t lbr_depth);
void callers_free(struct callers *callers);

/* Returns the mappings and the code of the programs as of the last side record. */
struct recorded *callers_recorded(struct callers *callers);

/* Processes a side record (mapping, exec, fork, exit) with a struct sideband_id at its end;
 * ignores others. `callers` may be NULL. Returns 0, or -1 with the reason printed. */
int callers_record(struct callers *callers, const struct perf_event_header *record);

/* Returns the callers by the registers and the stack of the sample; nr 0 if the sample lacks
 * one of both. Valid until the next call. `callers` may be NULL. */
struct encode_callers callers_of(struct callers *callers, const struct ring_sample *sample);

/* The same of a call chain that the module has unwound; nr 0 without one. */
struct encode_callers callers_by_module(struct callers *callers, const struct ring_sample *sample);

#endif
