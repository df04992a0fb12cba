// SPDX-License-Identifier: GPL-2.0
/* Chooses the event of taken branches by libpfm4's names. */
#include "pmu/event.h"
#include "pmu/taken.h"

static const struct taken_event known[] = {
	/* Intel, Sandy Bridge and later */
	{ "BR_INST_RETIRED:NEAR_TAKEN:u", "it counts near taken branches" },
	/* Atom, Silvermont to Goldmont Plus */
	{ "BR_INST_RETIRED:ALL_TAKEN_BRANCHES:u", "it counts taken branches" },
	/* AMD */
	{ "RETIRED_TAKEN_BRANCH_INSTRUCTIONS:u", "it counts retired taken branches" },
	/* Nehalem and Westmere, which cannot count those that retire */
	{ "BR_INST_EXEC:TAKEN:u", "it counts taken branches, also on wrong paths" },
};

struct taken_event taken_event(const struct control_info *info)
{
	struct events_event event;
	char why[256];

	/* A code of one type of cores may mean something else on another. */
	if (info->nr_cores)
		return (struct taken_event){ "branches:u",
			"all types of cores of this CPU count branches by it, taken or not" };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!events_parse(known[i].name, &event, why, sizeof(why)))
			return known[i];
	return (struct taken_event){ "branches:u",
		"libpfm4 knows no event of this CPU for taken branches; it counts all of them" };
}
