/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data in the page: a JSON object, compressed (packed.h), inside a script element. What there is much of are
 * numbers in strings (columns.h).
 *
 * start: µs, which all times are relative to. verdicts: their names. threads: [pid, tid, name].
 * losses: for each, the time (as a difference to the one before), lost samples and lost records.
 * marks, of the budget: the difference of time, the CPU, the stretch in thousandths.
 *
 * code: for each function that has it here, its name, its object, and its instructions with the samples of the first
 * event, as lbrctl annotate prints them.
 *
 * graphs, one for each event. Its tree, for each node, callers first:
 *   the distance up from the node before it to its caller, 0 when that node is its caller
 *   its entry + 1, 0 for the root
 *
 * The traces of a side, which differ in one of these:
 *   the node in which they end, the thread, the CPU, the verdict
 *   the number of their outer frames (with thread and mark) that are concluded at the most
 *   of times off the CPU (off): the levels from the node to the function that waits
 *   if the side has no cells: samples, and if the samples' weights vary (each is 0) the sum of
 *   their weights and that of the weights' squares, as a multiple of `square`
 *
 * The cells of a side, in order of time: one sample each, or (slice is not 0) those of a trace in
 * a slice of that many µs:
 *   the time, in slices or µs, since the cell before it; the first, since start
 *   the trace
 *   with slices: the samples
 *   if weights vary: the weight as a difference to the cell before it; with slices: the sum of
 *   the squares, as above
 */
#ifndef LBRCTL_FLAME_DATA_H
#define LBRCTL_FLAME_DATA_H

#include "flame/html.h"
#include "flame/samples.h"

struct flame_data {
	const struct flame *first;
	enum out_flame_mode mode;
	const struct flame_codes *codes;
	struct flame_threads threads;
	struct flame_samples (*samples)[2];	/* by graph and side */
	size_t nr;
};

/* Returns 0, or -1 when memory is short; call flame_data_free() in both cases. */
int flame_data_make(struct flame_data *data, const struct flame *first, enum out_flame_mode mode);
void flame_data_free(struct flame_data *data);

void flame_data_put(FILE *out, const struct flame_data *data);

#endif
