// SPDX-License-Identifier: GPL-2.0
/* Arguments of options: events, branch filters, triggers, rotation, sizes, times, CPUs,
 * numbers. */
#include "base/cpulist.h"
#include "base/duration.h"
#include "base/size.h"
#include "fuzz.h"
#include "pmu/branches.h"
#include "pmu/list.h"
#include "record/rotation.h"
#include "record/triggers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct triggers triggers = {};
	struct eventlist events = {};
	struct cpulist cpus = {};
	struct rotation rotation = {};
	uint64_t number;
	uint32_t filter;
	char why[256], *text = malloc(size + 1);

	if (!text)
		abort();
	fuzz_silence();
	memcpy(text, data, size);
	text[size] = '\0';
	eventlist_parse(&events, text, why, sizeof(why));
	branches_parse(text, &filter, why, sizeof(why));
	triggers_add(&triggers, text, why, sizeof(why));
	triggers_close(&triggers);
	rotation_parse(&rotation, text);
	size_parse(text, &number);
	duration_parse(text, 1, &number);
	cpulist_option("record", &cpus, text);
	cpulist_free(&cpus);
	free(text);
	return 0;
}
