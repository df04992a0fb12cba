/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions on samples: ratios of counts. */
#ifndef LBRCTL_PMU_ONLY_H
#define LBRCTL_PMU_ONLY_H

#include <stddef.h>

struct eventlist;

/*
 * Keeps only those samples of the list whose ratio of counts since the sample before is as text
 * says: EVENT/EVENT<NUMBER or EVENT/EVENT>NUMBER; ipc stands for instructions/cycles. A single
 * event becomes the leader of a group that counts the two as well, in its modes; of several
 * events, the two must be in the group of the one that is sampled.
 *
 * Returns 0, or -1 with one sentence in why.
 */
int only_apply(struct eventlist *list, const char *text, char *why, size_t size);

#endif
