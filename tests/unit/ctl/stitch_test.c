// SPDX-License-Identifier: GPL-2.0
/* ctl/stitch.c: programs whose true stack is known (tracee.h) are sampled now and then
 * with an LBR that is far too small. What is put back must be true. */
#include "tracee.h"

#include "stitch.h"

#define LBR_DEPTH	8
#define MOST_SAMPLES	2500

/* Two ways to a function that is deep itself, and one that calls itself. By the second
 * way it is gone down so fast that no sample shows it, but at the very end. */
static const char ways_source[] =
	"#define NI __attribute__((noipa))\n"
	"volatile long sink, work;\n"
	"#define BURN for (int i = 0; i < work; i++) sink += i\n"
	"#define CALLS(f, g) NI long f(long n) { BURN; n = g(n) + 1; BURN; return n; }\n"
	"NI long s12(long n) { BURN; return n; }\n"
	"CALLS(s11, s12)\n"
	"NI long s10(long n) { work = 40; BURN; n = s11(n) + 1; BURN; return n; }\n"
	"CALLS(s9, s10) CALLS(s8, s9) CALLS(s7, s8) CALLS(s6, s7)\n"
	"CALLS(s5, s6) CALLS(s4, s5) CALLS(s3, s4) CALLS(s2, s3) CALLS(shared, s2)\n"
	"CALLS(a1, shared) CALLS(b2, shared) CALLS(b1, b2)\n"
	"NI long again(long n) { BURN; n = n ? again(n - 1) + 1 : s10(n); BURN; return n; }\n"
	"int main(void) { long n = 0;\n"
	"  for (int i = 0; i < 12; i++) { work = 40; n += a1(i); work = 0; n += b1(i); n += again(i); }\n"
	"  work = 300; n += b1(1);\n"
	"  return n == 1; }\n";

static const struct {
	const char *name, *make;
	int period;			/* instructions a sample */
	int least;			/* percent that must be whole */
} programs[] = {
	{ "chain", "%s c 30 > chain.c && gcc -O2 -w -o chain chain.c", 41, 80 },
	/* rare enough that the one way is thought to be the only one, for a while */
	{ "ways", ": %s; gcc -O2 -w -o ways ways.c", 197, 5 },
};

struct kept {
	struct stacks_sample sample;
	struct stacks_branch lbr[LBR_DEPTH];
	struct stacks_branch stitched[MOST_DEPTH];
	struct place calls[MOST_DEPTH];		/* the true ones, innermost first */
	size_t depth;
};

static struct kept *keep(struct tracee *t, struct kept *k)
{
	k->sample = (struct stacks_sample){
		.has_user = true, .has_lbr = true, .leaf_known = true,
		.leaf = place_of(t, t->regs.rip), .lbr = k->lbr,
		.nr_lbr = t->nr_lbr, .depth = LBR_DEPTH,
	};
	for (size_t i = 0; i < t->nr_lbr; i++) {
		const struct stacks_branch *b = &t->lbr[t->nr_lbr - 1 - i];

		k->lbr[i] = (struct stacks_branch){ place_of(t, b->from.addr),
						    place_of(t, b->to.addr) };
	}
	k->depth = t->depth;
	for (size_t i = 0; i < t->depth; i++)
		k->calls[i] = place_of(t, t->shadow[t->depth - 1 - i].from);
	return k;
}

/* Of the same version, the same sample gets the same; another one tells that the thread
 * showed something new. */
static void expect_again(struct tracee *t, struct stitch *s, uint64_t before,
			 const struct stacks_sample *sample)
{
	uint64_t version = stitch_version(s, t->pid);
	struct stacks_branch first[MOST_DEPTH];
	struct stacks_sample again = *sample;
	size_t size = sample->nr_stitched * sizeof(*first);

	assert_true(version >= before);
	memcpy(first, sample->stitched, size);
	assert_int_equal(stitch_sample(s, t->pid, &again), 0);
	assert_int_equal(stitch_version(s, t->pid), version);
	if (version != before)
		return;
	assert_int_equal(again.nr_stitched, sample->nr_stitched);
	for (size_t i = 0; i < sample->nr_stitched; i++)
		assert_int_equal(again.stitched[i].from.addr, first[i].from.addr);
}

static size_t record(struct tracee *t, struct stitch *s, int period,
		     struct kept *list)
{
	int signal = 0;
	size_t nr = 0;

	for (uint64_t steps = 0; nr < MOST_SAMPLES && step(t, &signal); steps++) {
		uint64_t version = stitch_version(s, t->pid);
		struct stacks_sample *sample;

		if (steps % period)
			continue;
		sample = &keep(t, &list[nr])->sample;
		assert_int_equal(stitch_sample(s, t->pid, sample), 0);
		assert_true(sample->nr_stitched <= MOST_DEPTH);
		if (sample->nr_stitched)
			memcpy(list[nr].stitched, sample->stitched,
			       sample->nr_stitched * sizeof(*sample->stitched));
		sample->stitched = list[nr++].stitched;
		expect_again(t, s, version, sample);
	}
	return nr;
}

struct score {
	size_t whole, stitched, refused, wrong;
};

static void judge(struct tracee *t, struct stitch *s, struct kept *k,
		  struct score *score)
{
	struct stacks_code answers = code_answers(t->code);
	struct stacks_stack stack = { 0 };
	size_t depth = 0;
	bool wrong = false;

	size_t holds = stitch_holds(s, &k->sample);

	score->refused += holds < k->sample.nr_stitched;
	k->sample.nr_stitched = holds;
	assert_int_equal(stacks_build(&k->sample, &answers, &stack), 0);
	for (size_t i = 1; i < stack.nr_frames; i++) {
		if (stack.frames[i].kind == STACKS_TAIL_CALL)
			continue;
		wrong |= depth == k->depth ||
			 stack.frames[i].place.file != k->calls[depth].file ||
			 stack.frames[i].place.addr != k->calls[depth].addr;
		depth++;
	}
	if (stack.verdict == STACKS_COMPLETE) {
		wrong |= depth != k->depth;
		score->whole++;
	}
	score->stitched += stack.stitched != 0;
	score->wrong += wrong;
	stacks_free(&stack);
}

static void what_is_put_back_is_true(void **state)
{
	static struct kept list[MOST_SAMPLES];
	static struct tracee t;

	(void)state;
	for (size_t p = 0; p < NR(programs); p++) {
		struct score score = { 0 };
		struct stitch *s;
		char path[1024];
		size_t nr;

		snprintf(path, sizeof(path), "%s", program_path(programs[p].name));
		start_program(&t, path);
		t.most_lbr = LBR_DEPTH;
		s = stitch_new(t.maps);
		nr = record(&t, s, programs[p].period, list);
		for (size_t i = 0; i < nr; i++)
			judge(&t, s, &list[i], &score);
		print_message("# %s: %zu samples, %zu whole, %zu stitched, %zu refused, %zu wrong\n",
			      programs[p].name, nr, score.whole, score.stitched,
			      score.refused, score.wrong);
		assert_int_equal(score.wrong, 0);
		assert_true(nr > 500 && score.stitched > 10);
		assert_true(score.whole * 100 >= nr * programs[p].least);
		stitch_free(s);
		kill(t.pid, SIGKILL);
		waitpid(t.pid, NULL, 0);
		end_program(&t);
	}
}

static int setup(void **state)
{
	char generator[1024];

	assert_non_null(getcwd(generator, sizeof(generator) - 32));
	strcat(generator, "/tests/guest/gen-chain");
	program_setup(state);
	program_write("ways.c", ways_source);
	for (size_t i = 0; i < NR(programs); i++) {
		char command[2048];

		snprintf(command, sizeof(command), programs[i].make, generator);
		run("%s", command);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_back_is_true),
	};

	return cmocka_run_group_tests_name("stitch", tests, setup, program_teardown);
}
