// SPDX-License-Identifier: GPL-2.0
/* Judges the branches of captures as a profile. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "pgo/check.h"

/* The module takes no shorter one. */
#define PERIOD_MIN	10000

static uint32_t function_of(const struct pgo_check *c, uint64_t addr)
{
	return symbols_find(c->symbols, (struct place){ c->counts.file, addr });
}

/* Counts the samples and executions of each function, by its number. */
static void count_functions(struct pgo_check *c, struct pgo_function *all)
{
	const struct counts *n = &c->counts;

	for (size_t i = 0; i < n->nr_sampled; i++) {
		all[function_of(c, n->sampled[i].addr)].samples += n->sampled[i].samples;
		c->samples += n->sampled[i].samples;
	}
	for (size_t i = 0; i < n->nr_ranges; i++)
		all[function_of(c, n->ranges[i].start)].executions += n->ranges[i].executions;
}

static int compare(const void *x, const void *y)
{
	const struct pgo_function *a = x, *b = y;

	return a->samples > b->samples ? -1 : a->samples < b->samples;
}

/* Finds the functions, and which of them are hot. */
static int find_functions(struct pgo_check *c)
{
	const struct counts *n = &c->counts;
	uint64_t samples = 0;
	size_t max = 0;

	c->symbols = symbols_new(samples_maps(n->capture.samples),
				 &(struct symbols_options){ .no_inlines = true });
	if (!c->symbols)
		return err_fail("out of memory");
	for (size_t i = 0; i < n->nr_sampled; i++)
		max = fmax(max, function_of(c, n->sampled[i].addr) + 1);
	for (size_t i = 0; i < n->nr_ranges; i++)
		max = fmax(max, function_of(c, n->ranges[i].start) + 1);
	c->functions = calloc(max + 1, sizeof(*c->functions));
	if (!c->functions)
		return err_errno("counting functions");
	count_functions(c, c->functions);
	for (size_t i = 0; i < max; i++)
		if (c->functions[i].samples || c->functions[i].executions)
			c->functions[i].name = symbols_function(c->symbols, i)->name;
	qsort(c->functions, max, sizeof(*c->functions), compare);
	while (c->nr_functions < max && c->functions[c->nr_functions].samples)
		c->nr_functions++;
	while (c->nr_hot < c->nr_functions && samples < PGO_HOT * c->samples)
		samples += c->functions[c->nr_hot++].samples;
	return 0;
}

/* Returns the overlap of the branches in odd and even samples: the sum, over all branches, of the
 * smaller of its two shares (Levin, Newman and Haber, "Complementing Missing and Inaccurate
 * Profiling", 2008; llvm-profdata overlap). */
static double find_stability(const struct counts *n)
{
	double odd = 0, even = 0, common = 0;

	for (size_t i = 0; i < n->nr_branches; i++) {
		odd += n->branches[i].odd;
		even += n->branches[i].executions - n->branches[i].odd;
	}
	if (!odd || !even)
		return NAN;
	for (size_t i = 0; i < n->nr_branches; i++) {
		const struct counts_branch *b = &n->branches[i];

		common += fmin(b->odd / odd, (b->executions - b->odd) / even);
	}
	return common;
}

static double find_contradicted(const struct counts_tally *t)
{
	const uint64_t *causes = t->left_out;
	double contradicted = causes[COUNTS_NO_INSTRUCTION] + causes[COUNTS_NO_BRANCH] +
			      causes[COUNTS_ELSEWHERE];

	return contradicted ? contradicted / (contradicted + t->used) : 0;
}

/* Returns the period that gives `factor` times as many samples; 0 if the capture has no period, or
 * that one is too short. */
static uint64_t shorter_period(const struct counts *n, double factor)
{
	uint64_t period = n->period / factor;

	return period >= PERIOD_MIN ? period : 0;
}

/* Says how to record `factor` times as many samples. Returns -1. */
static int refuse_few(const struct counts *n, double factor, const char *why)
{
	uint64_t period = shorter_period(n, factor);
	char remedy[64] = "";

	if (period)
		snprintf(remedy, sizeof(remedy), ", or with -c %" PRIu64, period);
	return err_fail("refused: %s: record %.0f times as many samples: for longer%s", why,
			ceil(factor), remedy);
}

static int judge(struct pgo_check *c)
{
	const struct counts *n = &c->counts;
	double noise = 1 - c->stability, wanted = 1 - PGO_STABILITY_WANTED;
	char why[160];

	if (c->contradicted > PGO_CONTRADICTED_MAX) {
		c->verdict = PGO_CONTRADICTED;
		return err_fail("refused: %.1f%% of the branches contradict the code of %s: is it the file that ran? Record the one that is there now, or give --symfs the folder with the one that ran",
				100 * c->contradicted, n->path);
	}
	if (n->tally.used < PGO_ENTRIES_MIN) {
		c->verdict = PGO_FEW;
		snprintf(why, sizeof(why), "%" PRIu64 " branches are too few for a profile",
			 n->tally.used);
		return refuse_few(n, 10.0 * PGO_ENTRIES_MIN / fmax(1, n->tally.used), why);
	}
	if (c->stability >= PGO_STABILITY_MIN)
		return 0;
	c->verdict = PGO_UNSTABLE;
	snprintf(why, sizeof(why),
		 "the profile is mostly chance: its halves have only %.1f%% in common",
		 100 * c->stability);
	/* What is not common shrinks with the square root of the samples. */
	return refuse_few(n, noise * noise / (wanted * wanted), why);
}

int pgo_check(struct pgo_check *c, const struct counts_query *query, char **files, int nr)
{
	static const enum pgo_verdict verdicts[] = {
		[COUNTS_COUNTED] = PGO_USEFUL, [COUNTS_UNREADABLE] = PGO_UNREADABLE,
		[COUNTS_NO_BRANCHES] = PGO_NO_BRANCHES,
		[COUNTS_WITHOUT_CODE] = PGO_WITHOUT_CODE, [COUNTS_OTHER_BUILD] = PGO_OTHER_BUILD,
		[COUNTS_NO_RUNS] = PGO_NO_RUNS,
	};
	int err = pgo_read(&c->counts, query, files, nr);

	c->verdict = verdicts[c->counts.failure];
	c->stability = NAN;
	if (err)
		return -1;
	c->stability = find_stability(&c->counts);
	c->contradicted = find_contradicted(&c->counts.tally);
	if (find_functions(c) || err_whole()) {
		c->verdict = PGO_UNREADABLE;
		return -1;
	}
	return judge(c);
}

void pgo_check_free(struct pgo_check *c)
{
	symbols_free(c->symbols);
	free(c->functions);
	counts_free(&c->counts);
}
