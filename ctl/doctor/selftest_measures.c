// SPDX-License-Identifier: GPL-2.0
/* The measurements of the self-test: each compares what the module reports of a known program
 * with what follows from the program's code. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "doctor/selftest_measures.h"
#include "doctor/selftest_programs.h"
#include "pmu/branches.h"

#define ROUNDS		1000000

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Runs a program twice, with different numbers of rounds. The difference of the counts must be
 * exactly that of the additional rounds; all other instructions cancel out. On real CPUs an
 * interrupt may count as an instruction. */
static int selftest_count(struct selftest *t, struct selftest_run *run,
			  const char *name, uint64_t a_round)
{
	const uint64_t want = a_round * ROUNDS;
	uint64_t once;

	run->rounds = ROUNDS;
	if (selftest_run(run))
		return -1;
	once = run->count;
	run->rounds = 2 * ROUNDS;
	if (selftest_run(run))
		return -1;
	selftest_result(t, name, run->cpu, distance(run->count - once, want) <=
			want / 10000, "%" PRId64 " more %s of %d more rounds, %" PRIu64
			" by construction", run->count - once, run->event, ROUNDS, want);
	return 0;
}

int selftest_measure_counts(struct selftest *t, struct selftest_run *run)
{
	static const struct {
		const char *name, *event;
		void (*program)(uint64_t rounds);
		uint64_t a_round;
	} counts[] = {
		{ "instructions", "instructions:u", selftest_loop, 2 },
		{ "instructions of calls", "instructions:u", selftest_calls, 6 },
		{ "branches", "branches:u", selftest_loop, 1 },
		{ "branches of calls", "branches:u", selftest_calls, 5 },
	};
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		run->event = counts[i].event;
		run->program = counts[i].program;
		if (selftest_count(t, run, counts[i].name, counts[i].a_round))
			return -1;
	}
	return 0;
}

/* The results of the samples. */
struct selftest_seen {
	uint32_t lbr_format;
	uint64_t depth;			/* calls that the leaf is in; 0: a history */
	uint64_t want;			/* minimum number of entries of each sample */
	uint64_t samples, there, right;	/* all samples, those in the program's loop, and the
					 * correct ones */
	uint64_t entries, cycles;	/* branch entries, and those with cycles */
	char wrong[120];			/* description of the first wrong entry */
};

static uint64_t selftest_link(uint64_t n)
{
	return (uint64_t)(uintptr_t)selftest_links + n * SELFTEST_LINK;
}

/* Prints an address as its distance from the program, or "elsewhere"; absolute addresses stay
 * private. */
static void selftest_place(char *text, size_t size, uint64_t base, uint64_t address)
{
	if (address - base <= SELFTEST_LINKS * SELFTEST_LINK)
		snprintf(text, size, "+%" PRIu64, address - base);
	else
		snprintf(text, size, "elsewhere");
}

static bool selftest_entry(struct selftest_seen *seen, unsigned int i, uint64_t base,
			   const struct perf_branch_entry *e, uint64_t from, uint64_t to)
{
	char seen_from[24], seen_to[24];

	if (e->from == from && e->to == to)
		return true;
	selftest_place(seen_from, sizeof(seen_from), base, e->from);
	selftest_place(seen_to, sizeof(seen_to), base, e->to);
	if (!seen->wrong[0])
		snprintf(seen->wrong, sizeof(seen->wrong), "; entry %u: from %s to %s, not +%"
			 PRIu64 " to +%" PRIu64, i, seen_from, seen_to, from - base,
			 to - base);
	return false;
}

/* A branch from or to the kernel has a kernel address, or 0, at that end. */
static bool selftest_is_user(uint64_t address)
{
	return (int64_t)address > 0;
}

static void selftest_sample(void *ctx, const struct ring_sample *s)
{
	struct selftest_seen *seen = ctx;
	const uint64_t loop = (uint64_t)(uintptr_t)selftest_loop;
	const uint64_t jump = (uint64_t)(uintptr_t)selftest_loop_jump;
	const uint64_t at = seen->depth ? selftest_link(SELFTEST_LINKS) : loop;
	struct perf_branch_entry e;
	unsigned int i, valid = 0;
	bool right = true;

	seen->samples++;
	/* The leaf has the same loop. */
	if (s->ip < at || s->ip > at + (jump - loop))
		return;
	seen->there++;
	for (i = 0; i < s->nr && (!seen->depth || i < seen->depth); i++) {
		if (!branches_entry(seen->lbr_format, s->from[i], s->to[i],
				    s->info ? s->info[i] : 0, &e) ||
		    !selftest_is_user(e.from) || !selftest_is_user(e.to))
			continue;
		valid++;
		seen->cycles += e.cycles != 0;
		right &= seen->depth ?
			 selftest_entry(seen, i, selftest_link(0), &e,
					selftest_link(SELFTEST_LINKS - 1 - i),
					selftest_link(SELFTEST_LINKS - i)) :
			 selftest_entry(seen, i, loop, &e, jump, loop);
	}
	seen->entries += valid;
	seen->right += right && valid >= seen->want;
}

/* At least nine of ten samples are in the loop, and all of these must be correct. */
static int selftest_samples(struct selftest *t, struct selftest_run *run,
			    const char *name, uint64_t depth)
{
	struct selftest_seen seen = { .lbr_format = t->info.lbr_format, .depth = depth };
	bool ok;

	/* A history has few entries of the kernel. */
	seen.want = !depth ? t->info.lbr_depth / 2 :
		    depth < t->info.lbr_depth ? depth : t->info.lbr_depth;
	run->sample = selftest_sample;
	run->ctx = &seen;
	if (selftest_run(run))
		return -1;
	ok = seen.samples >= SELFTEST_SAMPLES / 2 && seen.there * 10 >= seen.samples * 9 &&
	     seen.right == seen.there && run->stats.delivered == seen.samples;
	selftest_result(t, name, run->cpu, ok, "%" PRIu64 " samples, %" PRIu64
			" in the loop, %" PRIu64 " of these right; %" PRIu64 " entries, %"
			PRIu64 " with cycles%s", seen.samples, seen.there, seen.right,
			seen.entries, seen.cycles, seen.wrong);
	return 0;
}

/* A sample falls due after each period of this many events. */
static int selftest_periods(struct selftest *t, struct selftest_run *run)
{
	const uint64_t all = 2 * SELFTEST_ROUNDS, want = all / SELFTEST_PERIOD;

	if (selftest_run(run))
		return -1;
	selftest_result(t, "period", run->cpu, distance(run->stats.produced, want) <= 1 +
			want / 100, "%" PRIu64 " samples of %" PRIu64 " instructions, one "
			"for %d: %" PRIu64, (uint64_t)run->stats.produced, all, SELFTEST_PERIOD,
			want);
	return 0;
}

static void selftest_sampling(struct selftest_run *run)
{
	run->rounds = SELFTEST_ROUNDS;
	run->event = "instructions:u";
	run->period = SELFTEST_PERIOD;
	run->branches = LBRSCOPE_BRANCHES_NONE;
	run->sample = NULL;
}

static void selftest_shallow(uint64_t rounds)
{
	((void (*)(uint64_t))(uintptr_t)selftest_link(SELFTEST_LINKS - 10))(rounds);
}

static void selftest_deep(uint64_t rounds)
{
	((void (*)(uint64_t))(uintptr_t)selftest_link(0))(rounds);
}

int selftest_measure_period(struct selftest *t, struct selftest_run *run)
{
	selftest_sampling(run);
	run->program = selftest_loop;
	return selftest_periods(t, run);
}

int selftest_measure_branches(struct selftest *t, struct selftest_run *run)
{
	selftest_sampling(run);
	if (t->info.branch_filter) {
		run->branches = LBRSCOPE_BRANCHES_HISTORY;
		run->program = selftest_loop;
		if (selftest_samples(t, run, "branch history", 0))
			return -1;
	}
	if (!t->info.call_stack)
		return 0;
	run->branches = LBRSCOPE_BRANCHES_CALL_STACK;
	run->program = selftest_shallow;
	if (selftest_samples(t, run, "call stack of 10", 10))
		return -1;
	run->program = selftest_deep;
	return selftest_samples(t, run, "call stack of 40", SELFTEST_LINKS);
}
