// SPDX-License-Identifier: GPL-2.0
/* The line about call stacks that ends a recording. */
#include <stdint.h>
#include <stdio.h>

#include "profile/analysis.h"
#include "report/stacks_line.h"

/* Of the samples of all events. */
static void stacks_line(const struct analysis *first)
{
	uint64_t verdicts[STACKS_NR_VERDICTS] = { 0 }, samples = 0;
	const char *before = " ";

	for (const struct analysis *a = first; a; a = a->next) {
		samples += a->nr_samples;
		for (int v = 0; v < STACKS_NR_VERDICTS; v++)
			verdicts[v] += a->verdicts[v];
	}
	fputs("lbrctl: stacks:", stderr);
	for (int v = 0; v < STACKS_NR_VERDICTS; v++) {
		if (!verdicts[v])
			continue;
		fprintf(stderr, "%s%llu %s (%.2f %%)", before,
			(unsigned long long)verdicts[v], stacks_verdict_name(v),
			100.0 * verdicts[v] / samples);
		before = ", ";
	}
	fputc('\n', stderr);
}

void stacks_line_print(const char *path)
{
	const struct symbols_options names = { .no_inlines = true };
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = path, .names = &names, .no_tree = true });

	if (a && a->nr_samples)
		stacks_line(a);
	analysis_free(a);
}
