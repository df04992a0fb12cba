/* SPDX-License-Identifier: GPL-2.0 */
/* Events by the names of libpfm4. */
#ifndef LBRCTL_PMU_LIBPFM_H
#define LBRCTL_PMU_LIBPFM_H

#include <perfmon/pfmlib.h>
#include <stdbool.h>

/* Makes libpfm4 ready, before anything else is asked of it; as often as one likes.
 * Returns PFM_SUCCESS or its error. */
int events_begin(void);

/* Calls each() for every event that libpfm4 knows of this CPU's core PMU (others are not
 * to be sampled on), until one returns true. Returns whether one did. */
bool events_each(bool (*each)(void *ctx, const pfm_pmu_info_t *pmu,
			      const pfm_event_info_t *event), void *ctx);

/* The same for the unit masks of an event. */
bool events_each_umask(const pfm_event_info_t *event,
		       bool (*each)(void *ctx, const pfm_event_attr_info_t *umask),
		       void *ctx);

#endif
