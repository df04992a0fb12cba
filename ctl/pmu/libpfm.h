/* SPDX-License-Identifier: GPL-2.0 */
/* Walks over the events in libpfm4's tables. */
#ifndef LBRCTL_PMU_LIBPFM_H
#define LBRCTL_PMU_LIBPFM_H

#include <perfmon/pfmlib.h>
#include <stdbool.h>

/* Initializes libpfm4. Call it before any other use; repeated calls do nothing. Returns
 * PFM_SUCCESS or its error. */
int events_begin(void);

/* Calls each() for every event of libpfm4 for this CPU's core PMU (others cannot be sampled),
 * until one call returns true. Returns whether one did. */
bool events_each(bool (*each)(void *ctx, const pfm_pmu_info_t *pmu,
			      const pfm_event_info_t *event), void *ctx);

/* The same for the unit masks of an event. */
bool events_each_umask(const pfm_event_info_t *event,
		       bool (*each)(void *ctx, const pfm_event_attr_info_t *umask),
		       void *ctx);

#endif
