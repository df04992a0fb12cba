// SPDX-License-Identifier: GPL-2.0
/* Prints what a profile is worth. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/text.h"
#include "pgo/check.h"

/* Hot functions without counts that are named. */
#define NAMED	5

static const struct {
	const char *key, *text;
} causes[COUNTS_CAUSES] = {
	[COUNTS_EMPTY] = { "empty", "empty: the record was not full" },
	[COUNTS_KERNEL] = { "kernel", "within the kernel" },
	[COUNTS_WRONG_PATH] = { "wrong_path", "of a wrong path, which never retired" },
	[COUNTS_REPEATED] = { "repeated", "newest entry, a copy of the next one" },
	[COUNTS_NEWEST] = { "newest", "newest entry, since this CPU copies some of them" },
	[COUNTS_OTHER] = { "other_objects", "in other objects, or in no file" },
	[COUNTS_NO_CODE] = { "without_code", "in the object, whose code is not available" },
	[COUNTS_NO_INSTRUCTION] = { "no_instruction", "contradicted: from no instruction" },
	[COUNTS_NO_BRANCH] = { "no_branch", "contradicted: from an instruction that is no branch" },
	[COUNTS_ELSEWHERE] = { "other_target", "contradicted: a direct branch to elsewhere" },
};

static const char *const verdicts[] = {
	[PGO_USEFUL] = "useful", [PGO_UNREADABLE] = "unreadable",
	[PGO_NO_BRANCHES] = "no-branches", [PGO_WITHOUT_CODE] = "without-code",
	[PGO_OTHER_BUILD] = "other-build", [PGO_NO_RUNS] = "no-runs",
	[PGO_CONTRADICTED] = "contradicted", [PGO_FEW] = "few", [PGO_UNSTABLE] = "unstable",
};

/* The hot functions that have counts. */
struct covered {
	size_t nr;
	uint64_t samples, hot_samples;
};

static struct covered find_covered(const struct pgo_check *c)
{
	struct covered covered = { 0 };

	for (const struct pgo_function *f = c->functions; f < c->functions + c->nr_hot; f++) {
		covered.nr += f->executions > 0;
		covered.samples += f->executions ? f->samples : 0;
		covered.hot_samples += f->samples;
	}
	return covered;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * part / all : 0;
}

/* Returns the build id of the object, or NULL without one. */
static const char *id_text(const struct counts *n, char *text, size_t size)
{
	const void *id;
	size_t nr = n->object ? object_build_id(n->object, &id) : 0;

	if (!nr)
		return NULL;
	text_hex(text, size, id, nr);
	return text;
}

static void print_head(const struct pgo_check *c)
{
	const struct counts *n = &c->counts;
	char text[64];
	const char *id = id_text(n, text, sizeof(text));

	if (n->path)
		printf("# Object: %s, %s%s\n", n->path, id ? "build id " : "without a build id",
		       id ? id : "");
	if (n->event)
		printf("# Event: %s\n", n->event);
	if (n->period)
		printf("# Period: %" PRIu64 "\n", n->period);
	printf("# Samples: %" PRIu64 ", %" PRIu64 " with branch records\n", n->tally.samples,
	       n->tally.samples - n->tally.bare);
}

static void print_entries(const struct counts_tally *t)
{
	printf("#\n#    Share     Entries  Branch records\n");
	printf("   %6.2f%%  %10" PRIu64 "  used\n", percent(t->used, t->entries), t->used);
	for (int i = 0; i < COUNTS_CAUSES; i++)
		if (t->left_out[i])
			printf("   %6.2f%%  %10" PRIu64 "  %s\n", percent(t->left_out[i], t->entries),
			       t->left_out[i], causes[i].text);
	if (!t->runs)
		return;
	printf("#\n# Runs of code between them: %" PRIu64 "\n"
	       "# Left out: %" PRIu64 " runs that contradict the code or were interrupted; in all objects %"
	       PRIu64 "\n#   that end before they begin, or in another object\n",
	       t->runs, t->runs_contradicted, t->runs_backward);
}

static void print_uncovered(const struct pgo_check *c)
{
	size_t nr = 0;

	for (const struct pgo_function *f = c->functions; f < c->functions + c->nr_hot; f++)
		if (!f->executions && nr++ < NAMED)
			printf("#   without counts: %s, %.2f%%\n", f->name,
			       percent(f->samples, c->samples));
	if (nr > NAMED)
		printf("#   and %zu others\n", nr - NAMED);
}

void pgo_print_text(const struct pgo_check *c)
{
	struct covered covered = find_covered(c);

	print_head(c);
	print_entries(&c->counts.tally);
	if (c->nr_hot)
		printf("# Hot functions: %zu have %.2f%% of the object's samples; %zu of them, with %.2f%% of\n"
		       "# these samples, have counts\n", c->nr_hot,
		       percent(covered.hot_samples, c->samples), covered.nr,
		       percent(covered.samples, covered.hot_samples));
	print_uncovered(c);
	if (!isnan(c->stability))
		printf("# Stability: %.2f%%, the overlap of the branches of odd and even samples\n",
		       100 * c->stability);
	printf("# Verdict: %s%s\n", c->verdict ? "refused: " : "", verdicts[c->verdict]);
}

static void put_tally(struct json *j, const struct counts_tally *t)
{
	json_unsigned(j, "samples", t->samples);
	json_unsigned(j, "without_branches", t->bare);
	json_unsigned(j, "entries", t->entries);
	json_unsigned(j, "used", t->used);
	json_object(j, "left_out");
	for (int i = 0; i < COUNTS_CAUSES; i++)
		json_unsigned(j, causes[i].key, t->left_out[i]);
	json_close(j);
	json_object(j, "runs");
	json_unsigned(j, "used", t->runs);
	json_unsigned(j, "contradicted", t->runs_contradicted);
	json_unsigned(j, "backward", t->runs_backward);
	json_close(j);
}

static void put_functions(struct json *j, const struct pgo_check *c)
{
	struct covered covered = find_covered(c);

	json_object(j, "hot");
	json_unsigned(j, "functions", c->nr_hot);
	json_unsigned(j, "covered", covered.nr);
	json_unsigned(j, "samples", covered.hot_samples);
	json_unsigned(j, "covered_samples", covered.samples);
	json_array(j, "without_counts");
	for (const struct pgo_function *f = c->functions; f < c->functions + c->nr_hot; f++)
		if (!f->executions)
			json_text(j, NULL, f->name);
	json_close(j);
	json_close(j);
}

void pgo_print_json(const struct pgo_check *c)
{
	const struct counts *n = &c->counts;
	struct json j = json_to(stdout);
	char text[64];

	json_head(&j, "pgo check");
	json_text(&j, "verdict", verdicts[c->verdict]);
	json_text(&j, "object", n->path);
	json_text(&j, "build_id", id_text(n, text, sizeof(text)));
	json_text(&j, "event", n->event);
	json_unsigned(&j, "period", n->period);
	put_tally(&j, &n->tally);
	json_unsigned(&j, "object_samples", c->samples);
	put_functions(&j, c);
	json_fixed(&j, "stability", c->stability, 6);
	json_close(&j);
	json_end(&j);
}
