/* SPDX-License-Identifier: GPL-2.0 */
/* The times in which samples are kept. */
#ifndef LBRCTL_RECORD_GATE_H
#define LBRCTL_RECORD_GATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Samples are read after they were taken, by as much as a flight recorder's rings hold. The gate
 * therefore keeps the last changes with their times. A sample that is older than all of them is
 * judged by the oldest.
 */
#define GATE_CHANGES_MAX	1024

struct gate {
	struct gate_change {
		uint64_t time;	/* ns, CLOCK_MONOTONIC as in samples */
		bool open;
	} changes[GATE_CHANGES_MAX];	/* sorted by time */
	unsigned int nr;	/* 0: always open */
};

/* Opens or closes the gate from this time on, whatever was planned for later. Drops the oldest
 * change if there are too many. */
void gate_set(struct gate *gate, uint64_t time, bool open);

/* Whether a sample of this time is kept. */
bool gate_is_open(const struct gate *gate, uint64_t time);

#endif
