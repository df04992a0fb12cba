// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/unwind.c, ctl/stacks/replay.c and the stacks that ctl/stacks/build.c makes of
 * their results, at every instruction of programs with a known stack (tracee.h). */
#include "tracee_stack.h"

#include "stacks/replay.h"

static const char source[] =
	"#include <alloca.h>\n"
	"#include <setjmp.h>\n"
	"#include <signal.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#define NI __attribute__((noinline, noclone))\n"
	"volatile long sink;\n"
	"static jmp_buf back;\n"
	"NI long leaf(long n) { sink += n; return n * 3; }\n"
	"NI long down(long n) { volatile char room[24]; room[n % 24] = n;\n"
	"  return (n ? down(n - 1) : leaf(7)) + room[n % 24] + 1; }\n"
	"NI long wide(long n) { char *p = alloca(n * 16 + 8); memset(p, n, n * 16); sink += p[n];\n"
	"  return leaf(n) + p[1]; }\n"
	"NI long tail(long n) { sink--; return leaf(n + 1); }\n"
	"NI long hop(long n) { return tail(n) + 1; }\n"
	"NI int compare(const void *a, const void *b) { leaf(1); return *(int *)a - *(int *)b; }\n"
	"NI long sorted(long n) { int v[8]; for (int i = 0; i < 8; i++) v[i] = n * i * 37 % 11;\n"
	"  qsort(v, 8, sizeof(*v), compare); return v[n]; }\n"
	"NI void jump(long n) { if (n) jump(n - 1); leaf(2); longjmp(back, 1); }\n"
	"NI long jumped(long n) { if (!setjmp(back)) jump(n); return leaf(n) + 1; }\n"
	"NI long handled(long n) { return down(n) + 2; }\n"
	"static void handler(int s) { sink += handled(s % 3); }\n"
	"NI long alarmed(long n) { raise(SIGUSR1); sink += n; raise(SIGUSR2); return leaf(n) + 1; }\n"
	"static long (*volatile by_pointer)(long) = alarmed;\n"
	"NI long many(long a, long b, long c, long d, long e, long f, long g, long h)\n"
	"  { return leaf(a + b + c + d + e + f + g + h) + h; }\n"
	"int main(int c, char **v) { char text[64]; static char other[65536];\n"
	"  stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };\n"
	"  struct sigaction action = { .sa_handler = handler };\n"
	"  (void)v; sigaltstack(&stack, NULL); sigaction(SIGUSR1, &action, NULL);\n"
	"  action.sa_flags = SA_ONSTACK; sigaction(SIGUSR2, &action, NULL);\n"
	"  sink += down(60) + wide(5) + hop(c) + sorted(3) + jumped(4) + by_pointer(2);\n"
	"  sink += many(1, 2, 3, 4, 5, 6, 7, 8) + snprintf(text, sizeof(text), \"%ld %p\", sink, v);\n"
	"  return jumped(c) == 0; }\n";

/* Exceptions leave frames, and their calls in the LBR, without a return. */
static const char thrower[] =
	"#define NI __attribute__((noinline, noclone))\n"
	"volatile long sink;\n"
	"struct guard { long n; ~guard() { sink += n; } };\n"
	"NI long leaf(long n) { if (n == 3) throw n; sink += n; return n * 3; }\n"
	"NI long inner(long n) { guard g = { n }; return leaf(n) + g.n; }\n"
	"NI long middle(long n) { return n > 9 ? middle(n - 1) + 1 : inner(n - 5) + 2; }\n"
	"NI long outer(long n) { try { return middle(n); } catch (long e) { return leaf(e + 1); } }\n"
	"NI long again(long n) { try { return middle(n); } catch (...) { inner(7); throw; } }\n"
	"NI long both(long n) { try { return again(n); } catch (long e) { return inner(e + 5); } }\n"
	"int main() { long n = 0; for (int i = 7; i < 10; i++) n += outer(i) + both(i) + leaf(i);\n"
	"  return n == 1; }\n";

/* libelf 0.188 loses memory of its own on some damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so";
}

static const struct variant {
	const char *name, *compiler;
	/* 0: the program has call frame information. Else only its code tells the sizes of frames, and
	 * the LBR must prove this percentage of the stacks that it proves in the first program. */
	unsigned int bare;
} variants[] = {
	{ "o2", "gcc p.c -O2 -fomit-frame-pointer", 0 },
	{ "o0", "gcc p.c -O0", 0 },
	{ "o3.static", "gcc p.c -O3 -static -no-pie", 0 },
	{ "cet", "gcc p.c -O2 -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy", 0 },
	{ "clang", "clang p.c -O2 -fomit-frame-pointer", 0 },
	{ "stripped", "gcc p.c -O2 -s -Wl,-z,lazy", 0 },
	{ "pointer", "gcc p.c -Os -fno-omit-frame-pointer", 0 },
	{ "bare", "gcc p.c -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables", 95 },
	{ "bare.stripped", "gcc p.c -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -s", 55 },
	{ "throw", "g++ e.cc -O2", 0 },
};

/* --- recorded data, and the judgement of the result --- */

enum way {
	WINDOW, WINDOW_AND_LBR, LBR, WINDOW_AND_HISTORY, HISTORY, CALL_HISTORY, NR_WAYS
};

static const char *const way_names[] = { "window", "window and LBR", "LBR", "window and history",
					 "history", "call history" };

struct score {
	uint64_t whole[NR_WAYS], short_[NR_WAYS], disputed[NR_WAYS], all;
	uint64_t callers[NR_WAYS];	/* true ones that were found */
	uint64_t broken[NR_WAYS];
};

static struct unwind *unwind;

static bool is_at(struct tracee *t, struct place p, uint64_t addr)
{
	struct place true_place = place_of(t, addr);

	return p.file == true_place.file && p.addr == true_place.addr;
}

static bool is_open_at(struct tracee *t, const struct stacks_frame *f, size_t depth)
{
	return is_at(t, f->place, t->shadow[depth].from) &&
	       t->shadow[depth].signal == (f->kind == STACKS_INTERRUPTED);
}

/* Frames that are there must be the true ones, unless they are marked; how many callers those
 * are. Where only the LBR shows them levels of a recursion may be missing. */
static size_t judge_frames(struct tracee *t, const struct stacks_stack *stack,
			   enum way way)
{
	size_t depth = t->depth, callers = 0;

	if (!stack->nr_frames || !is_at(t, stack->frames[0].place, t->regs.rip))
		fail_at(t, stack, way_names[way], "another leaf");
	for (size_t i = 1; i < stack->nr_frames; i++) {
		const struct stacks_frame *f = &stack->frames[i];

		if (f->kind == STACKS_TAIL_CALL || f->kind == STACKS_SIGNAL)
			continue;
		/* The C library has a few functions without call frame information. */
		if (f->pointed)
			break;
		if (stack->verdict != STACKS_COMPLETE && i >= stack->proven)
			while (depth > 1 && !is_open_at(t, f, depth - 1))
				depth--;
		if (!depth-- || !is_open_at(t, f, depth))
			fail_at(t, stack, way_names[way], "a wrong frame");
		callers++;
	}
	return callers;
}

/* As many branches as there are calls in the LBR of call-stack mode. */
static void take_history(struct tracee *t, struct stacks_sample *s, bool jumps)
{
	static struct replay_branch history[MOST_BRANCHES];
	static struct stacks_branch calls[2 * MOST_BRANCHES];
	struct replay replay = { history, 0, jumps };
	struct stacks_code answers = code_answers(t->code);

	for (size_t i = 1; i <= t->nr_branches && i <= MOST_BRANCHES &&
	     replay.nr < t->most_lbr; i++) {
		size_t at = (t->nr_branches - i) % MOST_BRANCHES;

		if (!jumps && t->branches[at].jump)
			continue;
		history[replay.nr++] = (struct replay_branch){
			place_of(t, t->branches[at].from),
			place_of(t, t->branches[at].to), REPLAY_UNKNOWN };
	}
	replay_sample(&replay, &answers, calls, s);
}

/* Whether the LBR has the open calls. */
static bool lbr_is_true(const struct tracee *t)
{
	if (t->nr_lbr != t->depth)
		return false;
	for (size_t i = 0; i < t->depth; i++)
		if (t->shadow[i].signal || t->shadow[i].from != t->lbr[i].from.addr)
			return false;
	return true;
}

/* _start, and twice the C library. */
#define CALLS_OF_MAIN	3

static void judge(struct tracee *t, enum way way, struct score *score)
{
	static struct stacks_stack stack;
	struct stacks_sample s = { .has_user = true, .leaf_known = true,
				   .leaf = place_of(t, t->regs.rip),
				   .stack_known = true, .stack = t->begin - t->regs.rsp };
	struct stacks_code answers = code_answers(t->code);
	size_t callers;

	if (way == WINDOW || way == WINDOW_AND_LBR || way == WINDOW_AND_HISTORY)
		unwind_now(t, unwind, &s);
	if (way == WINDOW_AND_LBR || way == LBR)
		take_lbr(t, &s);
	else if (way != WINDOW)
		take_history(t, &s, way != CALL_HISTORY);
	assert_int_equal(stacks_build(&s, &answers, &stack), 0);
	stacks_settle(&s, &answers, &stack);
	if (stack.evidence & EVIDENCE(OTHER_DEPTH) && lbr_is_true(t))
		fail_at(t, &stack, way_names[way], "the true calls have another depth");
	callers = judge_frames(t, &stack, way);
	score->callers[way] += callers;
	score->disputed[way] += stack.verdict == STACKS_COMPLETE && stack.evidence & EVIDENCE(DISAGREE);
	score->broken[way] += stack.verdict == STACKS_BROKEN;
	if (stack.verdict != STACKS_COMPLETE)
		score->short_[way]++;
	else if (callers != t->depth &&
		 (strcmp(stack.why->reason, "reaches main()") ||
		  t->depth - callers > CALLS_OF_MAIN))
		fail_at(t, &stack, way_names[way], "called complete");
	else
		score->whole[way]++;
	stacks_free(&stack);
}

/* --- programs --- */

/* In the program itself every instruction is judged; elsewhere one now and then,
 * where hand-written code may have no call frame information. */
static void run_program(const char *path, size_t lbr, struct score *score)
{
	static struct tracee t;
	int signal = 0;

	memset(score, 0, sizeof(*score));
	start_program(&t, path);
	unwind = unwind_new(t.maps);
	t.most_lbr = lbr;
	for (uint64_t steps = 0; step(&t, &signal); steps++) {
		bool inside = t.regs.rip >= t.program.start &&
			      t.regs.rip < t.program.end;

		if (!inside && steps % 101)
			continue;
		score->all++;
		for (enum way way = 0; way < NR_WAYS; way++)
			judge(&t, way, score);
	}
	unwind_free(unwind);
	end_program(&t);
}

static void every_instruction_has_its_stack(void **state)
{
	struct score score;
	uint64_t proved = 0;
	char path[1024];

	(void)state;
	for (size_t v = 0; v < NR(variants); v++) {
		const int lbr = v % 2 && !variants[v].bare ? 8 : 32;

		snprintf(path, sizeof(path), "%s", program_path(variants[v].name));
		run_program(path, lbr, &score);
		print_message("# %s, LBR of %d: %lu instructions; whole: %lu by the window, %lu with the LBR (%lu disputed), %lu by the LBR alone\n",
			      variants[v].name, lbr, score.all,
			      score.whole[WINDOW], score.whole[WINDOW_AND_LBR],
			      score.disputed[WINDOW_AND_LBR], score.whole[LBR]);
		print_message("# by the branches: %lu whole with the window (%lu disputed), %lu callers found without, %lu by calls and returns\n",
			      score.whole[WINDOW_AND_HISTORY],
			      score.disputed[WINDOW_AND_HISTORY], score.callers[HISTORY],
			      score.callers[CALL_HISTORY]);
		assert_true(score.all > 1000);
		/* Calls that are not known to be open are left out, and never contradict. */
		assert_int_equal(score.broken[HISTORY], 0);
		assert_int_equal(score.broken[CALL_HISTORY], 0);
		assert_true(score.callers[HISTORY] * 2 > score.all);
		assert_true(score.callers[CALL_HISTORY] > score.callers[HISTORY]);
		if (variants[v].bare) {
			assert_true(score.whole[LBR] * 100 >= proved * variants[v].bare);
			continue;
		}
		if (!v)
			proved = score.whole[LBR];
		assert_true(score.whole[WINDOW_AND_HISTORY] * 100 >= score.all * 95);
		assert_true(score.whole[WINDOW] * 100 >= score.all * 95);
		assert_true(score.whole[WINDOW_AND_LBR] * 100 >= score.all * 95);
	}
}

/* --- hostile data --- */

static uint64_t random_state = 88172645463325252ULL;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static struct place random_place(struct maps *maps)
{
	uint64_t offset, at = random_next() % 5 ? 0x555555555000 + random_next() % 0x1000 :
						  random_next();

	return (int64_t)at < 0 ? (struct place){ MAPS_KERNEL, at } :
				 maps_place(maps, 7, at, &offset);
}

/* Random branches, as an LBR's call stack or as a history, with the unwound callers. */
static void build_noise(struct maps *maps, const struct unwind_result *unwound)
{
	static struct stacks_branch calls[64];
	static struct stacks_caller stitched[4];
	static struct stacks_stack stack;
	struct replay_branch history[32];
	struct code *code = code_new(maps);
	struct stacks_code answers = code_answers(code);
	struct stacks_sample s = {
		.has_user = true, .leaf_known = random_next() % 4, .depth = 32,
		.leaf = random_place(maps), .has_lbr = true, .lbr = calls,
		.nr_lbr = random_next() % 33, .unwound = unwound->frames,
		.nr_unwound = unwound->nr, .unwound_end = unwound->end,
		.pointed = unwound->pointed,
	};

	for (size_t i = 0; i < NR(history); i++) {
		calls[i] = (struct stacks_branch){ random_place(maps), random_place(maps) };
		stitched[i % NR(stitched)] = (struct stacks_caller){
			calls[i], random_next() % 2, random_place(maps) };
		history[i] = (struct replay_branch){ calls[i].from, calls[i].to,
						     random_next() % 5 };
	}
	if (random_next() % 2)
		replay_sample(&(struct replay){ history, s.nr_lbr, random_next() % 2 },
			      &answers, calls, &s);
	assert_int_equal(stacks_build(&s, &answers, &stack), 0);
	assert_int_equal(stacks_stitch(&stack, &answers, stitched, random_next() % 5), 0);
	stacks_settle(&s, &answers, &stack);
	assert_true(stack.nr_frames <= stack.max_frames);
	assert_non_null(stack.why->reason);
	stacks_free(&stack);
	code_free(code);
}

/* Registers and stack that are noise, with addresses of the program in it. */
static void unwind_noise(struct maps *maps, struct unwind *u, uint64_t code,
			 uint64_t size)
{
	size_t words = random_next() % 64;
	uint64_t *stack = malloc(words * sizeof(*stack) + 1);
	struct unwind_start start = { .pid = 7, .stack = (void *)stack,
				      .size = words * sizeof(*stack) };
	struct unwind_result result;

	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		start.registers[i] = random_next() % 2 ? random_next() :
				     0x7ffc00000000 + random_next() % 512;
	start.registers[OBJECT_CFI_RETURN_ADDRESS] = code + random_next() % size;
	for (size_t i = 0; i < words; i++)
		stack[i] = random_next() % 4 ? code + random_next() % size :
			   random_next() % 2 ? random_next() :
			   start.registers[OBJECT_CFI_STACK_POINTER] + i * 8;
	result = unwind_stack(u, &start);
	assert_true(result.nr >= 1 && result.nr <= 4100);
	assert_int_not_equal(result.end, STACKS_END_NONE);
	free(stack);
	build_noise(maps, &result);
}

/* Any result is allowed, but no read out of bounds, and no endless loop. */
static void spoilt_files_do_no_harm(void **state)
{
	static unsigned char whole[65536], spoilt[65536];
	uint64_t size, vma, offset, length;
	char path[1024];
	FILE *in;

	(void)state;
	run("objdump -h o2 | grep ' [.]eh_frame ' > o2.frames");
	in = fopen(program_path("o2.frames"), "r");
	assert_int_equal(fscanf(in, " %*d .eh_frame %lx %lx %*x %lx", &length, &vma,
				&offset), 3);
	fclose(in);
	in = fopen(program_path("o2"), "r");
	size = fread(whole, 1, sizeof(whole), in);
	fclose(in);
	snprintf(path, sizeof(path), "%s", program_path("spoilt"));
	for (int round = 0; round < 300; round++) {
		struct maps *maps = maps_new(NULL);
		struct unwind *u = unwind_new(maps);
		FILE *out = fopen(path, "w");

		memcpy(spoilt, whole, size);
		for (int i = 0; i < round % 24; i++)
			spoilt[offset + random_next() % length] = random_next();
		assert_int_equal(fwrite(spoilt, 1, size, out), size);
		fclose(out);
		feed_mmap2(maps, 7, 0x555555555000, 0x1000, 0x1000, path);
		for (int i = 0; i < 50; i++)
			unwind_noise(maps, u, 0x555555555000, 0x1000);
		unwind_free(u);
		maps_free(maps);
	}
}

static int setup(void **state)
{
	program_setup(state);
	program_write("p.c", source);
	program_write("e.cc", thrower);
	for (size_t i = 0; i < NR(variants); i++)
		run("%s -w -o %s", variants[i].compiler, variants[i].name);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_has_its_stack),
		cmocka_unit_test(spoilt_files_do_no_harm),
	};

	return cmocka_run_group_tests_name("unwind", tests, setup, program_teardown);
}
