// SPDX-License-Identifier: GPL-2.0
/*
 * A session's events on a CPU whose cores are of several types.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "base/extack.h"
#include "events/cores.h"
#include "events/events.h"
#include "pmu/caps.h"

/* Names the last type of core that cannot count the events, if another type can. */
static void ls_cores_blame(const struct ls_events *events, const struct cpumask *cpus,
			   struct ls_extack *extack)
{
	struct ls_events *copy = kvmalloc(sizeof(*copy), GFP_KERNEL);
	u32 i, blame, nr = 0, bad = 0, last = 0;

	for (i = 0; copy && i < ls_caps_nr_types; i++) {
		const struct ls_caps_type *type = &ls_caps_types[i];

		if (cpus && !cpumask_intersects(cpus, &type->cpus))
			continue;
		nr++;
		*copy = *events;
		if (!ls_events_schedule(copy, &type->caps, &blame, NULL))
			continue;
		bad++;
		last = i;
	}
	if (bad && bad < nr)
		ls_extack_set(extack, "the cores of CPUs %*pbl cannot count these events, others can: select CPUs by CPUS",
			      cpumask_pr_args(&ls_caps_types[last].cpus));
	kvfree(copy);
}

int ls_cores_schedule(struct ls_events *events, const struct cpumask *cpus,
		      struct ls_extack *extack)
{
	struct ls_events *asked = NULL;
	struct ls_caps caps;
	u32 blame = 0;
	int err;

	ls_caps_common(cpus, &caps);
	if (ls_caps_nr_types > 1)
		asked = kvmalloc(sizeof(*asked), GFP_KERNEL);
	if (asked)
		*asked = *events;
	err = ls_events_schedule(events, &caps, &blame, extack);
	if (err && events->nr)
		events->blame = blame;
	if (err && asked)
		ls_cores_blame(asked, cpus, extack);
	kvfree(asked);
	return err;
}
