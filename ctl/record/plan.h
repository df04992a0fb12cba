/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording is going to do. */
#ifndef LBRCTL_RECORD_PLAN_H
#define LBRCTL_RECORD_PLAN_H

struct record;

/* Prints what the options, the CPU and the module make of a recording whose session is open: events, stacks, memory,
 * and the measured tasks. */
void plan_print(const struct record *record);

#endif
