// SPDX-License-Identifier: GPL-2.0
/* perf's names of the events that Linux counts. */
#include <linux/perf_event.h>
#include <string.h>

#include "pmu/software.h"

static const struct { const char *name; uint64_t config; } software[] = {
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS },
};

bool software_find(const char *name, uint64_t *config)
{
	for (size_t i = 0; software_name(i); i++) {
		if (strcmp(name, software[i].name))
			continue;
		*config = software[i].config;
		return true;
	}
	return false;
}

const char *software_name(size_t i)
{
	return i < sizeof(software) / sizeof(*software) ? software[i].name : NULL;
}
