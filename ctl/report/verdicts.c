// SPDX-License-Identifier: GPL-2.0
/* The line about call stacks that ends a recording. */
#include <stdint.h>
#include <stdio.h>

#include "profile/analysis.h"
#include "report/verdicts.h"

static void verdicts_line(const struct analysis *a)
{
	const char *before = " ";

	fputs("lbrctl: stacks:", stderr);
	for (int v = 0; v < STACKS_NR_VERDICTS; v++) {
		if (!a->verdicts[v])
			continue;
		fprintf(stderr, "%s%llu %s (%.2f %%)", before,
			(unsigned long long)a->verdicts[v], stacks_verdict_name(v),
			100.0 * a->verdicts[v] / a->nr_samples);
		before = ", ";
	}
	fputc('\n', stderr);
}

void verdicts_print(const char *path)
{
	const struct symbols_options names = { .no_inlines = true };
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = path, .names = &names, .fold = true });

	if (a && a->nr_samples)
		verdicts_line(a);
	analysis_free(a);
}
