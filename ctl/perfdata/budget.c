// SPDX-License-Identifier: GPL-2.0
/* The actions that kept a recording to its budget: marks in a capture, and their sum. */
#include <inttypes.h>
#include <stdio.h>

#include "perfdata/budget.h"

#define BUDGET_NONE	1000	/* the stretch of unstretched periods */

void budget_mark(const struct budget_record *record, char mark[BUDGET_MARK])
{
	snprintf(mark, BUDGET_MARK, "stretch=%u.%03u spent=%u.%u%% left-out=%u",
		 record->stretch / 1000, record->stretch % 1000,
		 record->share / 10, record->share % 10, record->left_out);
}

bool budget_parse(const char *mark, struct budget_record *record)
{
	unsigned int whole, part, percent, tenth;
	int end = 0;

	*record = (struct budget_record){};
	if (sscanf(mark, "stretch=%4u.%3u spent=%3u.%1u%% left-out=%9u%n",
		   &whole, &part, &percent, &tenth, &record->left_out,
		   &end) != 5 || mark[end])
		return false;
	record->stretch = whole * 1000 + part;
	record->share = percent * 10 + tenth;
	return true;
}

void budget_add(struct budget *budget, const struct budget_record *record,
		uint32_t cpu)
{
	uint32_t none = BUDGET_NONE, *stretch = &none;

	if (cpu < BUDGET_CPUS)
		stretch = &budget->cpus[cpu];
	if (record->stretch > BUDGET_NONE && record->stretch > *stretch)
		budget->stretched++;
	if (record->stretch > budget->most)
		budget->most = record->stretch;
	budget->left_out += record->left_out;
	*stretch = record->stretch;
}

/* Prints a list of CPUs as the kernel does, "0-3,8". */
static void budget_print_cpus(const struct budget *budget, FILE *out)
{
	const char *before = "";
	unsigned int first, cpu;

	for (cpu = 0; cpu < BUDGET_CPUS; cpu++) {
		if (!budget->cpus[cpu])
			continue;
		first = cpu;
		while (cpu + 1 < BUDGET_CPUS && budget->cpus[cpu + 1])
			cpu++;
		fprintf(out, "%s%u", before, first);
		if (cpu > first)
			fprintf(out, "-%u", cpu);
		before = ",";
	}
}

bool budget_text(const struct budget *budget, char *text, size_t size)
{
	FILE *out;

	if (!budget->stretched && !budget->left_out)
		return false;
	/* Text that does not fit is cut. */
	out = fmemopen(text, size - 1, "w");
	if (!out)
		return false;
	text[size - 1] = '\0';
	if (budget->stretched)
		fprintf(out, "periods stretched %" PRIu64 " times, up to "
			"%u.%02u-fold", budget->stretched, budget->most / 1000,
			budget->most % 1000 / 10);
	if (budget->stretched && budget->left_out)
		fprintf(out, ", and ");
	if (budget->left_out)
		fprintf(out, "branches and times off the CPU omitted at %" PRIu64
			" context switches", budget->left_out);
	fprintf(out, ", on CPUs ");
	budget_print_cpus(budget, out);
	fclose(out);
	return true;
}
