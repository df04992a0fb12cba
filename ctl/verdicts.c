// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>

#include "samples.h"
#include "verdicts.h"

static void verdicts_line(const uint64_t *verdicts, uint64_t nr, bool all)
{
	const char *before = " ";

	if (!nr)
		return;
	fprintf(stderr, "lbrctl: stacks%s:", all ? "" : ", of the first samples");
	for (int v = 0; v < STACKS_NR_VERDICTS; v++) {
		if (!verdicts[v])
			continue;
		fprintf(stderr, "%s%llu %s (%.2f %%)", before,
			(unsigned long long)verdicts[v], stacks_verdict_name(v),
			100.0 * verdicts[v] / nr);
		before = ", ";
	}
	fputc('\n', stderr);
}

void verdicts_print(const char *path)
{
	struct samples *samples = samples_open(path);
	uint64_t verdicts[STACKS_NR_VERDICTS] = { 0 }, nr = 0;
	struct stacks_stack stack = { 0 };
	struct samples_sample sample;
	struct stacks_code code;
	int more = 0;

	if (samples && !samples_select(samples, NULL)) {
		code = samples_code(samples);
		while ((more = samples_next(samples, &sample)) > 0 &&
		       nr < VERDICTS_MOST &&
		       !stacks_build(&sample.stack, &code, &stack)) {
			verdicts[stack.verdict]++;
			nr++;
		}
		verdicts_line(verdicts, nr, !more);
	}
	stacks_free(&stack);
	samples_close(samples);
}
