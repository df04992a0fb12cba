/* SPDX-License-Identifier: GPL-2.0 */
/* Samples without their callers, for reports that count each sample for its innermost function alone. */
#ifndef LBRCTL_STACKS_LEAF_H
#define LBRCTL_STACKS_LEAF_H

#include "stacks/recorded.h"

/* Leaves of a sample, before recorded_place(), only what the place of its innermost frame depends on.
 * Most samples of a function then have equal recorded_words(), whatever called it. */
void leaf_alone(struct recorded_sample *sample);

#endif
