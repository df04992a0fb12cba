// SPDX-License-Identifier: GPL-2.0
/* Walks over the events in libpfm4's tables. event.c parses a name, name.c finds one. */
#include <stdlib.h>
#include <string.h>

#include "pmu/libpfm.h"

/* Names of tables that pfm_initialize() leaves out, with commas between them */
#define EVENTS_DISABLED	"LIBPFM_DISABLED_PMUS"

/* One of the tables has Linux's tracepoints. libpfm4 would open a file of tracefs for each,
 * thousands in all, and no PMU counts them. */
int events_begin(void)
{
	bool asked = getenv(EVENTS_DISABLED);
	int err;

	if (!asked)
		setenv(EVENTS_DISABLED, "perf", 1);
	err = pfm_initialize();
	/* a command that we execute must have its original environment */
	if (!asked)
		unsetenv(EVENTS_DISABLED);
	return err;
}

static bool each_of_pmu(const pfm_pmu_info_t *pmu,
			bool (*each)(void *ctx, const pfm_pmu_info_t *pmu,
				     const pfm_event_info_t *event), void *ctx)
{
	pfm_event_info_t event;
	int e;

	for (e = pmu->first_event; e != -1; e = pfm_get_event_next(e)) {
		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		if (pfm_get_event_info(e, PFM_OS_NONE, &event) == PFM_SUCCESS &&
		    each(ctx, pmu, &event))
			return true;
	}
	return false;
}

bool events_each(bool (*each)(void *ctx, const pfm_pmu_info_t *pmu,
			      const pfm_event_info_t *event), void *ctx)
{
	pfm_pmu_info_t pmu;
	int p;

	if (events_begin() != PFM_SUCCESS)
		return false;
	pfm_for_all_pmus(p) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm_get_pmu_info(p, &pmu) == PFM_SUCCESS &&
		    pmu.is_present && pmu.type == PFM_PMU_TYPE_CORE &&
		    each_of_pmu(&pmu, each, ctx))
			return true;
	}
	return false;
}

bool events_each_umask(const pfm_event_info_t *event,
		       bool (*each)(void *ctx, const pfm_event_attr_info_t *umask),
		       void *ctx)
{
	pfm_event_attr_info_t umask;
	int i;

	for (i = 0; i < event->nattrs; i++) {
		memset(&umask, 0, sizeof(umask));
		umask.size = sizeof(umask);
		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE,
					    &umask) == PFM_SUCCESS &&
		    umask.type == PFM_ATTR_UMASK && each(ctx, &umask))
			return true;
	}
	return false;
}
