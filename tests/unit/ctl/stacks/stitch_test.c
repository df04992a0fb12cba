// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/stitch.c: programs with a known stack (tracee.h) are sampled now and then with an
 * LBR that is far too small, or leave calls without a return. Stitched frames must be true. */
#include "tracee.h"

#include "stacks/stitch.h"

#define MOST_LBR	32
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

/* Calls that are left without a return stay in the LBR, and a signal handler's return removes
 * an entry that was not its own. `low` is left in two ways. */
static const char leaves_source[] =
	"#include <setjmp.h>\n#include <signal.h>\n"
	"#define NI __attribute__((noipa))\n"
	"volatile long sink;\n"
	"#define BURN for (int i = 0; i < 20; i++) sink += i\n"
	"#define CALLS(f, g) NI long f(long n) { BURN; n = g(n) + 1; BURN; return n; }\n"
	"static jmp_buf back;\n"
	"NI long low(long n) { BURN; if (n & 1) longjmp(back, 1); BURN; return n; }\n"
	"CALLS(l2, low) CALLS(l1, l2) CALLS(r3, low) CALLS(r2, r3) CALLS(r1, r2)\n"
	"NI long left(long n) { BURN; return l1(n) + 1; }\n"
	"NI long right(long n) { BURN; n = r1(n); BURN; return n; }\n"
	"CALLS(h2, -) CALLS(h1, h2)\n"
	"static void handler(int n) { BURN; h1(n); BURN; }\n"
	"NI long hit(long n) { BURN; raise(SIGUSR1); BURN; return n; }\n"
	"CALLS(s2, hit) CALLS(s1, s2) CALLS(after, -)\n"
	"NI long jumps(long n) { BURN; if (!setjmp(back)) n += n & 2 ? left(n) : right(n);\n"
	"  BURN; n = after(n); BURN; return n; }\n"
	"NI long round(long n) { BURN; n = jumps(n); BURN; n = s1(n); BURN; return n; }\n"
	"int main(void) { long n = 0; signal(SIGUSR1, handler);\n"
	"  for (int i = 0; i < 24; i++) { n += round(i); BURN; }\n"
	"  return n == 1; }\n";

/* A recursion that is left into its middle, and then returns from there: the inner calls are
 * still in the LBR, and look like more recursion. */
static const char escapes_source[] =
	"#include <setjmp.h>\n"
	"#define NI __attribute__((noipa))\n"
	"volatile long sink;\n"
	"#define BURN for (int i = 0; i < 20; i++) sink += i\n"
	"static jmp_buf back;\n"
	"NI long done(long n) { BURN; return n; }\n"
	"long again(long n);\n"
	"NI long jumps(long n) { BURN; return again(n); }\n"
	"NI long again(long n) { BURN; if (n == 9) longjmp(back, 1);\n"
	"  if (n != 3 || !setjmp(back)) AGAIN(n + 1);\n"
	"  BURN; n = done(n); BURN; return n; }\n"
	"NI long calm(long n) { BURN; if (n < 9) n = calm(n + 1); n = done(n); BURN; return n; }\n"
	"int main(void) { long n = 0;\n"
	"  for (int i = 0; i < 12; i++) { n += again(i & 1); n += calm(0); BURN; }\n"
	"  return n == 1; }\n";

/* A handler's return takes a call from the LBR that was not its own: of a recursion, one. */
static const char handled_source[] =
	"#include <signal.h>\n"
	"#define NI __attribute__((noipa))\n"
	"volatile long sink;\n"
	"#define BURN for (int i = 0; i < 20; i++) sink += i\n"
	"NI long done(long n) { BURN; return n; }\n"
	"static void handler(int n) { BURN; done(n); BURN; }\n"
	"NI long again(long n) { BURN; if (n == 6) raise(SIGUSR1); else again(n + 1);\n"
	"  BURN; n = done(n); BURN; return n; }\n"
	"NI long begin(long n) { BURN; n = again(n); BURN; return n; }\n"
	"int main(void) { long n = 0; signal(SIGUSR1, handler);\n"
	"  for (int i = 0; i < 24; i++) { n += begin(i & 3); n += begin(5); BURN; }\n"
	"  return n == 1; }\n";

static const struct {
	const char *name, *make;
	int period;			/* instructions a sample */
	size_t depth;			/* of the LBR */
	int least;			/* percent that must be whole */
} programs[] = {
	{ "chain", "%s c 30 > chain.c && gcc -O2 -w -o chain chain.c", 41, 8, 80 },
	/* rare enough that the second way hardly shows */
	{ "ways", ": %s; gcc -O2 -w -o ways ways.c", 197, 8, 5 },
	{ "leaves", ": %s; gcc -O2 -w -static -o leaves leaves.c", 23, 32, 70 },
	{ "escapes", ": %s; gcc -O2 -w -static -DAGAIN=again -o escapes escapes.c", 23, 32, 50 },
	{ "handled", ": %s; gcc -O2 -w -static -o handled handled.c", 23, 32, 20 },
};

struct kept {
	struct stacks_sample sample;
	struct stacks_branch lbr[MOST_LBR];
	struct call calls[MOST_DEPTH];		/* the true ones, innermost first */
	struct place unwound[1 + MOST_DEPTH];	/* as frame pointers lead */
	size_t depth;
};

static void keep(struct tracee *t, struct kept *k)
{
	k->sample = (struct stacks_sample){
		.has_user = true, .has_lbr = true, .leaf_known = true,
		.leaf = place_of(t, t->regs.rip), .lbr = k->lbr,
		.nr_lbr = t->nr_lbr, .depth = t->most_lbr,
	};
	for (size_t i = 0; i < t->nr_lbr; i++) {
		const struct stacks_branch *b = &t->lbr[t->nr_lbr - 1 - i];

		k->lbr[i] = (struct stacks_branch){ place_of(t, b->from.addr),
						    place_of(t, b->to.addr) };
	}
	k->depth = t->depth;
	for (size_t i = 0; i < t->depth; i++)
		k->calls[i] = t->shadow[t->depth - 1 - i];
	k->unwound[0] = k->sample.leaf;
	for (size_t i = 0; i < t->depth; i++)
		k->unwound[1 + i] = place_of(t, ptrace(PTRACE_PEEKDATA, t->pid, k->calls[i].slot, 0));
}

static const struct stacks_sample *kept_sample(void *list, uint32_t i)
{
	return &((struct kept *)list)[i].sample;
}

/* As the reader of a capture does: plain stacks are noted when others need them. */
static bool note(struct tracee *t, struct stitch *s, const struct stacks_sample *sample,
		 uint32_t number)
{
	enum stitch_effect effect;
	bool open;

	assert_int_equal(stitch_note(s, sample, &effect, &open), 0);
	if (effect == STITCH_PLAIN && stitch_is_plain(s, t->pid))
		assert_int_equal(stitch_later(s, t->pid, number), 0);
	else
		assert_int_equal(stitch_note_thread(s, t->pid, sample, effect, &open), 0);
	return open;
}

static size_t record(struct tracee *t, struct stitch *s, int period,
		     struct kept *list)
{
	int signal = 0;
	size_t nr = 0;

	for (uint64_t steps = 0; nr < MOST_SAMPLES && step(t, &signal); steps++) {
		bool open;

		if (steps % period)
			continue;
		keep(t, &list[nr]);
		open = note(t, s, &list[nr].sample, nr);
		assert_true(open || list[nr].sample.nr_lbr >= list[nr].depth);
		nr++;
	}
	return nr;
}

struct score {
	size_t whole, stitched, somewhere, wrong;
};

/* Whether the frame is the call, or at least in the calling function. */
static bool is_true(struct tracee *t, const struct stacks_frame *f, const struct call *call)
{
	struct place from = place_of(t, call->from);
	const struct object *o = maps_file(t->maps, from.file)->object;
	struct object_range function;

	if (call->signal || f->place.file != from.file)
		return false;
	if (f->kind != STACKS_STITCHED_SOMEWHERE)
		return f->place.addr == from.addr;
	return object_function(o, from.addr, &function) &&
	       f->place.addr == function.start;
}

static void judge(struct tracee *t, uint32_t tid, struct stitch *s, const struct kept *k,
		  struct score *score)
{
	struct stacks_code answers = code_answers(t->code);
	const struct stacks_caller *callers;
	struct stacks_stack stack = { 0 };
	bool wrong = false, somewhere = false;
	size_t depth = 0, nr;

	assert_int_equal(stacks_build(&k->sample, &answers, &stack), 0);
	assert_int_equal(stitch_doubt(s, tid, &stack, &nr), 0);
	if (nr < stack.nr_frames)
		stacks_cut(&stack, nr);
	if (stack.open) {
		assert_int_equal(stitch_recall(s, tid, 1, &stack, &callers, &nr), 0);
		assert_int_equal(stacks_stitch(&stack, &answers, callers, nr), 0);
	}
	for (size_t i = 1; i < stack.nr_frames; i++) {
		if (stack.frames[i].kind == STACKS_TAIL_CALL)
			continue;
		wrong |= depth == k->depth ||
			 !is_true(t, &stack.frames[i], &k->calls[depth]);
		somewhere |= stack.frames[i].kind == STACKS_STITCHED_SOMEWHERE;
		depth++;
	}
	if (stack.verdict == STACKS_COMPLETE || stack.verdict == STACKS_UNPROVED) {
		wrong |= depth != k->depth && !(stack.evidence & EVIDENCE(MAIN));
		score->whole++;
	}
	score->stitched += stack.stitched != 0;
	score->somewhere += somewhere;
	score->wrong += wrong;
	stacks_free(&stack);
}

/* Frame pointers lead from frame to frame along memory, which has nothing of the calls that were left;
 * the LBR shows the same calls. */
static void what_is_in_memory_is_not_doubted(void **state)
{
	static struct kept list[MOST_SAMPLES];
	static struct tracee t;
	struct score alone = { 0 }, both = { 0 };
	struct stacks_code code;
	struct stitch *s;
	char path[1024];
	size_t nr;

	(void)state;
	snprintf(path, sizeof(path), "%s", program_path("escapes.pointers"));
	start_program(&t, path);
	t.most_lbr = 32;
	code = code_answers(t.code);
	s = stitch_new(t.maps, &code, &(struct stitch_source){ kept_sample, list });
	nr = record(&t, s, 23, list);
	for (size_t i = 0; i < nr; i++) {
		judge(&t, t.pid, s, &list[i], &alone);
		list[i].sample.unwound = list[i].unwound;
		list[i].sample.nr_unwound = 1 + list[i].depth;
		list[i].sample.pointed = 1;
		list[i].sample.unwound_end = STACKS_END_ENTRY;
		judge(&t, t.pid, s, &list[i], &both);
	}
	print_message("# of %zu samples %zu whole without, %zu with memory, %zu wrong\n", nr, alone.whole, both.whole, both.wrong);
	assert_true(nr > 500 && alone.whole < nr * 9 / 10);
	assert_int_equal(both.whole, nr);
	assert_int_equal(both.wrong, 0);
	stitch_free(s);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	end_program(&t);
}

/* A forked process has the callers of its parent, until it executes another program; a thread
 * has only those that every thread begins with. */
static void a_child_has_its_parents_callers(void **state)
{
	enum { CHILD = 100001, GRANDCHILD, THREAD };
	static struct kept list[MOST_SAMPLES];
	static struct tracee t;
	struct score parent = { 0 }, child = { 0 }, thread = { 0 }, other = { 0 };
	struct stacks_code code;
	struct stitch *s;
	char path[1024];
	size_t nr;

	(void)state;
	snprintf(path, sizeof(path), "%s", program_path(programs[0].name));
	start_program(&t, path);
	t.most_lbr = programs[0].depth;
	code = code_answers(t.code);
	s = stitch_new(t.maps, &code, &(struct stitch_source){ kept_sample, list });
	nr = record(&t, s, programs[0].period, list);
	feed_fork(t.maps, CHILD, t.pid, CHILD, t.pid);
	feed_fork(t.maps, GRANDCHILD, CHILD, GRANDCHILD, CHILD);
	feed_fork(t.maps, t.pid, t.pid, THREAD, t.pid);
	for (size_t i = 0; i < nr; i++) {
		judge(&t, t.pid, s, &list[i], &parent);
		judge(&t, GRANDCHILD, s, &list[i], &child);
		judge(&t, THREAD, s, &list[i], &thread);
	}
	feed_comm(t.maps, CHILD, CHILD, "other", true);
	for (size_t i = 0; i < nr; i++)
		judge(&t, GRANDCHILD, s, &list[i], &other);
	assert_true(parent.stitched > 10);
	assert_int_equal(child.stitched, parent.stitched);
	assert_int_equal(child.whole, parent.whole);
	assert_int_equal(child.wrong, 0);
	assert_int_equal(thread.wrong + other.wrong, 0);
	assert_true(thread.stitched > 10 && thread.stitched < parent.stitched / 10);
	assert_int_equal(other.stitched, thread.stitched);
	stitch_free(s);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	end_program(&t);
}

static void what_is_put_back_is_true(void **state)
{
	static struct kept list[MOST_SAMPLES];
	static struct tracee t;

	(void)state;
	for (size_t p = 0; p < NR(programs); p++) {
		struct score score = { 0 };
		struct stacks_code code;
		struct stitch *s;
		char path[1024];
		size_t nr;

		snprintf(path, sizeof(path), "%s", program_path(programs[p].name));
		start_program(&t, path);
		t.most_lbr = programs[p].depth;
		code = code_answers(t.code);
		s = stitch_new(t.maps, &code, &(struct stitch_source){ kept_sample, list });
		nr = record(&t, s, programs[p].period, list);
		for (size_t i = 0; i < nr; i++)
			judge(&t, t.pid, s, &list[i], &score);
		print_message("# %s: %zu samples, %zu whole, %zu stitched, %zu of them somewhere, %zu wrong\n",
			      programs[p].name, nr, score.whole, score.stitched,
			      score.somewhere, score.wrong);
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
	program_write("leaves.c", leaves_source);
	program_write("escapes.c", escapes_source);
	program_write("handled.c", handled_source);
	run("gcc -O2 -w -fno-omit-frame-pointer -static -DAGAIN=jumps -o escapes.pointers escapes.c");
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
		cmocka_unit_test(what_is_in_memory_is_not_doubted),
		cmocka_unit_test(a_child_has_its_parents_callers),
	};

	return cmocka_run_group_tests_name("stitch", tests, setup, program_teardown);
}
