// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/unwind_pointer.c: code without call frame information, in a file and made at run
 * time, at every instruction of programs with a known stack (tracee.h). */
#include "tracee_stack.h"

/* The functions between blob and blob_end run where they were linked, and as a copy. All but
 * `other` and those named bare keep a frame pointer. */
static const char source[] =
	"#include <string.h>\n"
	"#include <sys/mman.h>\n"
	"#define NI __attribute__((noinline, noclone))\n"
	"typedef long fn(long), caller(fn *, long);\n"
	"volatile long sink;\n"
	"extern char blob[], blob_end[], framed[], direct[], bare[], bare_caller[], other[], late[], later[];\n"
	"__asm__(\".text\\nblob:\\n\"\n"
	"#define F(name) \".type \" #name \",@function\\n\" #name \":\\n\"\n"
	"#define END(name) \".size \" #name \",.-\" #name \"\\n\"\n"
	"F(framed) \"push %rbp; mov %rsp,%rbp; push %rbx; sub $24,%rsp; mov %rdi,%rax;\"\n"
	"  \"mov %rsi,%rdi; xor %ebx,%ebx; call *%rax; add $24,%rsp; pop %rbx; pop %rbp; ret\\n\" END(framed)\n"
	"F(bare) \"lea (%rdi,%rdi,2),%rax; add $1,%rax; nop; ret\\n\" END(bare)\n"
	"F(direct) \"endbr64; push %rbp; mov %rsp,%rbp; sub $16,%rsp; mov %rsi,%rdi; call bare; leave; ret\\n\" END(direct)\n"
	"F(late) \"test %rsi,%rsi; je 1f; push %rbp; mov %rsp,%rbp; mov %rdi,%rax; mov %rsi,%rdi;\"\n"
	"  \"call *%rax; pop %rbp; 1: ret\\n\" END(late)\n"
	"F(bare_caller) \"sub $8,%rsp; mov %rdi,%rax; mov %rsi,%rdi; call *%rax; add $8,%rsp; ret\\n\" END(bare_caller)\n"
	"F(other) \"push %rbp; push %rbx; lea 40(%rsp),%rbp; sub $8,%rsp; mov %rdi,%rax; mov %rsi,%rdi; call *%rax;\"\n"
	"  \"lea -48(%rsp),%rbp; mov $7,%ebp; nop; add $8,%rsp; pop %rbx; pop %rbp; ret\\n\" END(other)\n"
	"\"blob_end:\\n\"\n"
	/* As V8's interpreter begins; where no symbol tells where it begins it cannot be followed. */
	"F(later) \"test %rsi,%rsi; je 1f; .fill 30,4,0x52048d48; push %rbp; mov %rsp,%rbp; mov %rdi,%rax; mov %rsi,%rdi;\"\n"
	"  \"call *%rax; pop %rbp; 1: ret\\n\" END(later));\n"
	"static char *base;\n"
	"static char *copied(const char *f) { return base + (f - blob); }\n"
	"NI long leaf(long n) { sink += n; return n * 3; }\n"
	"NI long down(long n) { volatile char room[24]; room[n % 24] = n;\n"
	"  return (n ? down(n - 1) : leaf(7)) + room[n % 24] + 1; }\n"
	"NI long inner(long n) { return ((caller *)copied(framed))(down, n % 3) + 1; }\n"
	"NI long outer(long n) { return ((caller *)copied(late))(inner, n + 1) + 2; }\n"
	"NI long good(long n) { long m = ((caller *)copied(framed))(outer, n);\n"
	"  m += ((caller *)copied(direct))(0, m);\n"
	"  m += ((caller *)later)(outer, n + 1);\n"
	"  return m + ((caller *)copied(framed))(leaf, n); }\n"
	"NI long bad(long n) { long m = ((caller *)copied(bare_caller))(inner, n);\n"
	"  m += ((caller *)copied(framed))((fn *)copied(bare), n);\n"
	"  m += ((fn *)copied(bare))(m) + ((caller *)copied(other))(leaf, n);\n"
	"  return m + ((caller *)copied(other))(inner, n); }\n"
	"int main(int c, char **v) { (void)v;\n"
	"  base = blob; sink += WHICH(c) + leaf(1);\n"
	"  base = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
	"  memcpy(base, blob, blob_end - blob); sink += WHICH(c) + leaf(2); return 0; }\n";

/* A recursion that is left by longjmp(): the calls that were left stay in the LBR. */
static const char left_source[] =
	"#include <setjmp.h>\n"
	"#define NI __attribute__((noinline, noclone))\n"
	"static jmp_buf j; volatile long sink;\n"
	"NI long work(long n) { long x = 1; while (n--) x = x * 1664525 + sink; return x; }\n"
	"NI long rec(long d) { volatile long y = 0; if (d == 4) { if (!_setjmp(j)) y = rec(5); }\n"
	"  else if (d == 9) _longjmp(j, 1); else y = rec(d + 1);\n"
	"  if (d == 1) y += work(50); return y + 1; }\n"
	"int main(void) { return rec(0) & 1; }\n";

static struct unwind *unwind;
static uint64_t main_address;

/* Samples with code without rules on the stack. */
struct score {
	uint64_t all, right, short_, misled;
};

/* Code that was made since is in no file; its mapping has a side record when it is made. */
static void map_anonymous(struct tracee *t)
{
	char name[64], line[1024], rights[8];
	uint64_t start, end;
	FILE *in;
	int more;

	if (place_of(t, t->regs.rip).file != MAPS_NOTHING)
		return;
	snprintf(name, sizeof(name), "/proc/%d/maps", t->pid);
	in = fopen(name, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &start, &end, rights, &more) == 3 &&
		    rights[2] == 'x' && !line[more])
			feed_mmap2(t->maps, t->pid, start, end - start, 0, "//anon");
	fclose(in);
}

/* Code that cannot be read has its calls only by their return address, minus one. */
static bool is_true(struct tracee *t, struct place p, uint64_t from)
{
	struct place true_place = place_of(t, from);

	return p.file == true_place.file && p.addr >= true_place.addr &&
	       p.addr - true_place.addr < (maps_file(t->maps, p.file)->object ? 1 : 7);
}

/* Returns the number of true callers; *wrong: the first frame that is none, or NULL. */
static size_t true_callers(struct tracee *t, const struct stacks_stack *stack,
			   const struct stacks_frame **wrong)
{
	size_t depth = t->depth;

	*wrong = NULL;
	for (size_t i = 1; i < stack->nr_frames; i++) {
		const struct stacks_frame *f = &stack->frames[i];

		if (f->kind == STACKS_TAIL_CALL)
			continue;
		if (!depth || !is_true(t, f->place, t->shadow[depth - 1].from)) {
			*wrong = f;
			break;
		}
		depth--;
	}
	return t->depth - depth;
}

/* Whether a frame that only the recorded stack shows lacks the mark that one further in has. */
static bool mark_is_lost(const struct stacks_stack *stack)
{
	bool pointed = false;

	for (size_t i = 0; i < stack->nr_frames; i++) {
		if (pointed && stacks_is_unwound(stack->frames[i].kind) &&
		    !stack->frames[i].pointed)
			return true;
		pointed |= stack->frames[i].pointed;
	}
	return false;
}

/* Whether main() runs: what goes before and behind it is code of the C library. */
static bool is_in_main(struct tracee *t)
{
	for (size_t i = 0; i < t->depth; i++)
		if (place_of(t, t->shadow[i].to).addr == main_address &&
		    place_of(t, t->shadow[i].to).file == place_of(t, t->program.start).file)
			return true;
	return false;
}

static void judge(struct tracee *t, bool lbr, struct score *score)
{
	static struct stacks_stack stack;
	struct stacks_sample s = { .has_user = true, .leaf_known = true,
				   .leaf = place_of(t, t->regs.rip) };
	struct stacks_code answers = code_answers(t->code);
	const struct stacks_frame *wrong;
	const char *used = lbr ? "window and LBR" : "window";
	size_t callers;

	if (!is_in_main(t))
		return;
	unwind_now(t, unwind, &s);
	if (lbr)
		take_lbr(t, &s);
	if (!s.pointed && s.unwound_end == STACKS_END_ENTRY)
		return;
	assert_int_equal(stacks_build(&s, &answers, &stack), 0);
	callers = true_callers(t, &stack, &wrong);
	score->all++;
	if (wrong && !wrong->pointed)
		fail_at(t, &stack, used, "a wrong frame without the mark");
	if (mark_is_lost(&stack))
		fail_at(t, &stack, used, "a frame behind a marked one has no mark");
	if (stack.pointed && (stack.verdict == STACKS_COMPLETE ||
			      stack.verdict == STACKS_DISPUTED))
		fail_at(t, &stack, used, "a frame pointer is called proof");
	if (wrong)
		score->misled++;
	else if (callers == t->depth)
		score->right++;
	else
		score->short_++;
	if (callers < t->depth && stack.verdict == STACKS_COMPLETE &&
	    strcmp(stack.why->reason, "reaches main()"))
		fail_at(t, &stack, used, "called complete");
	stacks_free(&stack);
}

static struct score run_program(const char *name, size_t lbr)
{
	static struct tracee t;
	struct score score = { 0 };
	char path[1024];
	int signal = 0;
	FILE *in;

	run("nm %s | grep ' T main$' > main", name);
	in = fopen(program_path("main"), "r");
	assert_int_equal(fscanf(in, "%lx", &main_address), 1);
	fclose(in);
	snprintf(path, sizeof(path), "%s", program_path(name));
	start_program(&t, path);
	maps_live(t.maps);
	unwind = unwind_new(t.maps);
	t.most_lbr = lbr;
	while (step(&t, &signal)) {
		map_anonymous(&t);
		judge(&t, lbr, &score);
	}
	unwind_free(unwind);
	end_program(&t);
	print_message("# %s, LBR of %zu: %lu stacks with such code, %lu right, %lu short, %lu misled\n",
		      name, lbr, score.all, score.right, score.short_, score.misled);
	return score;
}

static void frame_pointers_are_followed(void **state)
{
	struct score score = run_program("good", 0);

	(void)state;
	assert_true(score.all > 200);
	assert_int_equal(score.misled, 0);
	assert_int_equal(score.short_, 0);
}

/* What the frame pointer hides, the LBR shows. */
static void lbr_is_preferred(void **state)
{
	struct score alone = run_program("bad", 0), both = run_program("bad", 32);

	(void)state;
	assert_true(alone.all > 200);
	assert_int_equal(both.all, alone.all);
	assert_true(both.misled * 2 < alone.misled + 2);
}

/* A function that sets up a frame hides no caller. */
static void calls_that_were_left_are_not_preferred(void **state)
{
	struct score score = run_program("left", 32);

	(void)state;
	assert_true(score.all > 200);
	assert_int_equal(score.misled, 0);
	assert_true(score.right * 100 >= score.all * 95);
}

static int setup(void **state)
{
	program_setup(state);
	program_write("p.c", source);
	program_write("left.c", left_source);
	run("gcc left.c -O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -o left");
	run("gcc p.c -O2 -fomit-frame-pointer -Wl,-z,now -DWHICH=good -w -o good");
	run("gcc p.c -O2 -fomit-frame-pointer -Wl,-z,now -DWHICH=bad -w -o bad");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_pointers_are_followed),
		cmocka_unit_test(lbr_is_preferred),
		cmocka_unit_test(calls_that_were_left_are_not_preferred),
	};

	return cmocka_run_group_tests_name("unwind_pointer", tests, setup, program_teardown);
}
