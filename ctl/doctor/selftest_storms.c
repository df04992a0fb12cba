// SPDX-License-Identifier: GPL-2.0
/* The hard measurements of the trial: overflows at once, context switches, and sleep. */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "doctor/selftest_measures.h"
#include "doctor/selftest_programs.h"
#include "pmu/branches.h"

#define EVENTS_MAX	6
#define TURNS		5000		/* how often a program gives the CPU away */
#define TURNS_PERIOD	10007		/* not a multiple of a turn's instructions */

static bool storm_near(uint64_t n, uint64_t want)
{
	return n <= want + 1 + want / 100 && want <= n + 1 + want / 100;
}

struct storm_events {
	unsigned int nr;
	uint64_t samples[EVENTS_MAX];
};

static void storm_count_event(void *ctx, const struct ring_sample *s)
{
	struct storm_events *seen = ctx;

	if (s->event < seen->nr)
		seen->samples[s->event]++;
}

int selftest_measure_overflows(struct selftest *t, struct selftest_run *run)
{
	static const char text[] = "instructions:u,instructions:u,instructions:u,"
				   "instructions:u,instructions:u,instructions:u";
	const size_t length = (sizeof(text)) / EVENTS_MAX;
	struct storm_events seen = {
		.nr = t->info.gp_counters < EVENTS_MAX ? t->info.gp_counters : EVENTS_MAX,
	};
	const uint64_t all = 2 * SELFTEST_ROUNDS, want = all / SELFTEST_PERIOD;
	char events[sizeof(text)], each[96] = "";
	unsigned int i;
	bool ok;

	memcpy(events, text, sizeof(text));
	events[seen.nr * length - 1] = '\0';
	run->program = selftest_loop;
	run->second = NULL;
	run->rounds = SELFTEST_ROUNDS;
	run->event = events;
	run->period = SELFTEST_PERIOD;
	run->branches = LBRSCOPE_BRANCHES_NONE;
	run->sample = storm_count_event;
	run->ctx = &seen;
	if (selftest_run(run))
		return -1;
	ok = run->stats.produced == run->stats.delivered;
	for (i = 0; i < seen.nr; i++) {
		ok &= storm_near(seen.samples[i], want);
		snprintf(each + strlen(each), sizeof(each) - strlen(each), "%s%" PRIu64,
			 i ? ", " : "", seen.samples[i]);
	}
	selftest_result(t, "overflows at once", run->cpu, ok, "%u events, samples of each: %s; "
			"one for %d of %" PRIu64 " instructions: %" PRIu64 "; lost: %" PRIu64,
			seen.nr, each, SELFTEST_PERIOD, all, want,
			(uint64_t)(run->stats.produced - run->stats.delivered));
	return 0;
}

/* The depths of the two programs that give each other the CPU. */
#define SHALLOW	10
#define DEEP	15

static uint64_t storm_link(uint64_t n)
{
	return (uint64_t)(uintptr_t)selftest_turns + n * SELFTEST_LINK;
}

/* How many of the two programs run; in memory that both share. */
static unsigned int *storm_there;

/* With a real-time policy each program that gives the CPU away does so to the other one. They
 * wait for each other before: nothing else runs on the CPU from then on. */
static void storm_meet(void)
{
	const struct sched_param priority = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		_exit(1);
	__atomic_add_fetch(storm_there, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(storm_there, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
}

static void storm_shallow(uint64_t rounds)
{
	storm_meet();
	((void (*)(uint64_t))(uintptr_t)storm_link(SELFTEST_LINKS - SHALLOW))(rounds);
}

static void storm_deep(uint64_t rounds)
{
	storm_meet();
	((void (*)(uint64_t))(uintptr_t)storm_link(SELFTEST_LINKS - DEEP))(rounds);
}

struct storm_turns {
	const struct selftest_run *run;
	uint32_t lbr_format;
	uint64_t samples, there, right;
};

/* Whether the calls of a sample are those of its own program. */
static bool storm_calls(const struct storm_turns *seen, const struct ring_sample *s,
			unsigned int depth)
{
	struct perf_branch_entry e;
	unsigned int i;

	if (s->nr < depth)
		return false;
	for (i = 0; i < depth; i++)
		if (!branches_entry(seen->lbr_format, s->from[i], s->to[i],
				    s->info ? s->info[i] : 0, &e) ||
		    e.from != storm_link(SELFTEST_LINKS - 1 - i) ||
		    e.to != storm_link(SELFTEST_LINKS - i))
			return false;
	return true;
}

static void storm_turn(void *ctx, const struct ring_sample *s)
{
	struct storm_turns *seen = ctx;
	const bool deep = s->pid == seen->run->second_pid;

	seen->samples++;
	if (s->ip < storm_link(SELFTEST_LINKS) || s->ip >= (uintptr_t)selftest_turns_end)
		return;
	seen->there++;
	seen->right += seen->run->branches == LBRSCOPE_BRANCHES_NONE ||
		       storm_calls(seen, s, deep ? DEEP : SHALLOW);
}

int selftest_measure_switches(struct selftest *t, struct selftest_run *run)
{
	struct storm_turns seen = { .run = run, .lbr_format = t->info.lbr_format };
	const uint64_t all = 2ULL * TURNS * SELFTEST_TURN, want = all / TURNS_PERIOD;
	bool ok;
	int err;

	run->program = storm_shallow;
	run->second = storm_deep;
	run->rounds = TURNS;
	run->event = "instructions:u";
	run->period = TURNS_PERIOD;
	run->branches = t->info.call_stack ? LBRSCOPE_BRANCHES_CALL_STACK :
					     LBRSCOPE_BRANCHES_NONE;
	run->sample = storm_turn;
	run->ctx = &seen;
	storm_there = mmap(NULL, sizeof(*storm_there), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (storm_there == MAP_FAILED)
		return err_errno("mapping memory for the programs of the self-test");
	err = selftest_run(run);
	munmap(storm_there, sizeof(*storm_there));
	if (err)
		return -1;
	ok = storm_near(run->stats.produced, want) &&
	     run->switches >= TURNS && seen.samples == run->stats.delivered &&
	     seen.there * 10 >= seen.samples * 9 && seen.right == seen.there;
	selftest_result(t, "switches", run->cpu, ok, "%" PRIu64 " switches; %" PRIu64
			" samples of %" PRIu64 " instructions, one for %d: %" PRIu64 "; %"
			PRIu64 " in the loops, %" PRIu64 " of these right", run->switches,
			(uint64_t)run->stats.produced, all, TURNS_PERIOD, want, seen.there,
			seen.right);
	return 0;
}

static void storm_twice(uint64_t rounds)
{
	selftest_loop(rounds);
	kill(getpid(), SIGSTOP);
	selftest_loop(rounds);
}

int selftest_measure_suspend(struct selftest *t, struct selftest_run *run)
{
	const uint64_t all = 4 * SELFTEST_ROUNDS, want = all / SELFTEST_PERIOD;

	run->program = storm_twice;
	run->second = NULL;
	run->rounds = SELFTEST_ROUNDS;
	run->event = "instructions:u";
	run->period = SELFTEST_PERIOD;
	run->branches = LBRSCOPE_BRANCHES_NONE;
	run->sample = NULL;
	if (selftest_run(run))
		return -1;
	selftest_result(t, "sleep", run->cpu, storm_near(run->stats.produced, want),
			"%" PRIu64 " samples of %" PRIu64 " instructions, half of them after "
			"the machine had slept, one for %d: %" PRIu64,
			(uint64_t)run->stats.produced, all, SELFTEST_PERIOD, want);
	return 0;
}
