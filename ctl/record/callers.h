/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds user stacks while they are recorded, so that call chains are written and not
 * pieces of stacks. It follows the mappings by the same side records that the file gets.
 *
 * A program that is recorded may be hostile. Of each process CALLERS_MAPPINGS_MAX mappings
 * are followed, of each sample UNWIND_FRAMES_MAX frames.
 */
#ifndef LBRCTL_RECORD_CALLERS_H
#define LBRCTL_RECORD_CALLERS_H

#include <linux/perf_event.h>

#include "module/ring.h"
#include "record/encode.h"

/* Linux has 65,530 of a process at a time (vm.max_map_count). It reports none that goes. */
#define CALLERS_MAPPINGS_MAX	(1U << 18)

struct callers;

/* lbr_depth: entries of the LBR. NULL with the reason printed. */
struct callers *callers_new(uint32_t lbr_depth);
void callers_free(struct callers *callers);

/* The mappings and the code of the programs as they are at the last side record. */
struct recorded *callers_recorded(struct callers *callers);

/* Takes note of a side record (mapping, exec, fork, exit) with a struct sideband_id at its
 * end; passes over others. `callers` may be NULL. Returns 0, or -1 with the reason printed. */
int callers_record(struct callers *callers, const struct perf_event_header *record);

/* The callers by the registers and the stack of the sample; none of a sample that has not
 * both. Valid until the next call. `callers` may be NULL. */
struct encode_callers callers_of(struct callers *callers, const struct ring_sample *sample);

#endif
