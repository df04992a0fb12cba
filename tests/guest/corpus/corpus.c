// SPDX-License-Identifier: GPL-2.0
/* corpus CASE ROUNDS [CALM]: programs that make LBR stacks wrong or incomplete (corpus.py has
 * the true stacks). "all": all cases in turn in each round, except those with a mark before
 * their name. CALM rounds of the case callbacks come first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "corpus.h"

volatile long corpus_sink;
static const char *self;

/* --- callbacks: through the C library, and through pointers --- */

CHAIN(cmp, s + 1)
static int compare(const void *a, const void *b)
{
	return (int)(cmp_1(*(const long *)a) & 1) - (int)(*(const long *)b & 1);
}

NODE long sort(long s)
{
	long list[4] = { s, s + 1, s + 2, s + 3 };

	qsort(list, 4, sizeof(*list), compare);
	BURN(s);
	return s + list[0];
}

CHAIN(cb, sort(s))

CHAIN(ptr, s + 1)
static long (*volatile by_pointer)(long) = ptr_1;
NODE long callbacks(long s)
{
	s = cb_1(s) + (*by_pointer)(s);
	BURN(s);
	return s;
}

/* --- recursion: the functions' names state the depth, the leaf's that it is recursive --- */

#define RECURSE(n)							\
	NODE long at##n(long s) { BURN(s); BURN(s); return s + n; }	\
	NODE long again##n(long s, int depth)				\
	{								\
		BURN(s);						\
		s += depth < n ? again##n(s, depth + 1) : at##n(s);	\
		BURN(s);						\
		return s;						\
	}
RECURSE(3) RECURSE(10) RECURSE(26) RECURSE(60)

NODE long recursion(long s)
{
	s += again3(s, 1) + again10(s, 1);
	BURN(s);
	return s + again26(s, 1) + again60(s, 1);
}

/* --- callers that only a sleep shows: soon afterwards they have left the LBR --- */

/* Too fast for most samples to show it. */
NODE long dive(long s, int depth)
{
	if (depth)
		s = dive(s, depth - 1);
	return corpus_sink = s;
}

NODE long rested(long s)
{
	/* a host that pauses the machine may make a sleep end before it began */
	for (int i = 0; i < 10; i++)
		usleep(1000);
	s += dive(s, 40);
	for (int i = 0; i < 6000; i++)
		BURN(s);
	return s;
}

CHAIN(rest, rested(s))

/* --- tail calls: a function that ends in a jump has left the stack --- */

NODE long left_4(long s) { BURN(s); BURN(s); return s + 4; }
NODE long left_3(long s) { BURN(s); s += left_4(s); BURN(s); return s; }
NODE long left_2(long s) { BURN(s); return left_3(s + 2); }
NODE long left_1(long s) { BURN(s); return left_2(s + 1); }
NODE long tails(long s) { BURN(s); s += left_1(s); BURN(s); return s; }

/* --- longjmp --- */

static jmp_buf back;

NODE long jump(long s)
{
	BURN(s);
	corpus_sink = s;
	longjmp(back, 1);
}

CHAIN(down, jump(s))
CHAIN(after, s + 1)
NODE long jumps(long s)
{
	if (!setjmp(back))
		down_1(s);
	s = after_1(s);
	BURN(s);
	return s;
}

/* --- a function of two callers, one of which leaves it without a return --- */

NODE long leave(long s)
{
	BURN(s);
	if (s & 16)
		longjmp(back, 1);
	BURN(s);
	return s;
}

CHAIN(wx, leave(s))
CHAIN(wy, s + 1)
NODE long cross(long s, int x)
{
	BURN(s);
	s += x ? wx_1(s) : wy_1(s);
	BURN(s);
	return s;
}

CHAIN(xa, cross(s, 1))
CHAIN(ya, cross(s, 0))
NODE long crossed(long s)
{
	if (!setjmp(back))
		s = xa_1(s);
	BURN(s);
	s = ya_1(s);
	BURN(s);
	return s;
}

/* --- a recursion that is left into its middle, and then returns from there --- */

DEPTHS(e)
NODE long eagain(long s, int depth)
{
	BURN(s);
	s += eat[depth - 1](s);
	if (depth == 8)
		longjmp(back, 1);
	if (depth != 3 || !setjmp(back))
		s += eagain(s, depth + 1);
	s += eat[depth - 1](s);
	BURN(s);
	return s;
}

CHAIN(esc, eagain(s, 1))

/* --- signals: with a stack of their own, and without --- */

CHAIN(hand, s + 1)
static void handler(int number)
{
	long s = number;

	BURN(s);
	corpus_sink += hand_1(s);
}

NODE long hit(long s)
{
	BURN(s);
	raise(s & 8 ? SIGUSR1 : SIGUSR2);
	BURN(s);
	return s;
}

CHAIN(sig, hit(s))
NODE long signals(long s)
{
	static char other[65536];
	const stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction action = { .sa_handler = handler };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	return sig_1(s) + sig_1(s + 8);
}

/* --- coroutines --- */

static ucontext_t here, one, two;

CHAIN(cone, swapcontext(&one, &two))
CHAIN(ctwo, swapcontext(&two, &here))
static void first(void) { for (long s = 1;; s++) cone_1(s); }
static void second(void) { for (long s = 1;; s++) ctwo_1(s); }
CHAIN(swap, swapcontext(&here, &one))

NODE long coroutines(long s)
{
	static char stacks[2][65536];
	static int ready;

	if (!ready++) {
		getcontext(&one);
		one.uc_stack.ss_sp = stacks[0];
		one.uc_stack.ss_size = sizeof(stacks[0]);
		makecontext(&one, first, 0);
		getcontext(&two);
		two.uc_stack.ss_sp = stacks[1];
		two.uc_stack.ss_size = sizeof(stacks[1]);
		makecontext(&two, second, 0);
	}
	return swap_1(s) + swap_1(s + 1);
}

/* --- threads, children, another program --- */

#define THREAD(p)							\
	CHAIN(p, s + 1)							\
	static void *p##_run(void *arg)					\
	{								\
		long s = (long)arg;					\
									\
		for (int i = 0; i < 4; i++)				\
			s = p##_1(s);					\
		return (void *)s;					\
	}
THREAD(tone) THREAD(ttwo)

NODE long threads(long s)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, tone_run, (void *)s) ||
	    pthread_create(&b, NULL, ttwo_run, (void *)s))
		exit(1);
	BURN(s);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return s;
}

CHAIN(child, s + 1)
CHAIN(exec, s + 1)
NODE long split(long s)
{
	pid_t pid = fork();

	if (!pid) {
		child_1(s);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid) {
		execl(self, self, "exec", "4", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	BURN(s);
	return s;
}

CHAIN(fork, split(s))

/* --- objects that come and go, at the same address --- */

NODE long with(long s, const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);
	long (*run)(long) = library ? (long (*)(long))dlsym(library, name) : NULL;

	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < 4; i++)
		s += run(s);
	BURN(s);
	dlclose(library);
	return s;
}

NODE long objects(long s)
{
	return with(s, "./lib1.so", "ln_1") + with(s, "./lib2.so", "lm_1");
}

/* --- code made at run time, with a jit-PID.dump of it --- */

/* Each burns time, calls the next one (the last one calls none), and burns again. */
static const unsigned char jit_code[] = {
	0xb8, 0xc8, 0, 0, 0,			/* mov $200, %eax */
	0xff, 0xc8, 0x75, 0xfc,			/* dec %eax; jnz */
	0x48, 0x83, 0xec, 0x08,			/* sub $8, %rsp */
	0xe8, 0x0e, 0, 0, 0,			/* call the next */
	0xb8, 0xc8, 0, 0, 0, 0xff, 0xc8, 0x75, 0xfc,
	0x48, 0x83, 0xc4, 0x08, 0xc3,		/* add $8, %rsp; ret */
};

#define JIT_NR	3
static long (*jit)(void);

/* Written as V8 and the JVM's agent do: a page of it is mapped executable, for the capture. */
static FILE *jit_dump(void)
{
	const struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} head = { 0x4a695444, 1, sizeof(head), 62, 0, getpid(), 0, 0 };
	char path[64];
	FILE *dump;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	if (!dump || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) ==
		     MAP_FAILED)
		exit(1);
	fwrite(&head, sizeof(head), 1, dump);
	return dump;
}

static void jit_tell(FILE *dump, const unsigned char *at, uint64_t nr)
{
	struct timespec now;
	char name[16];
	int len = 1 + snprintf(name, sizeof(name), "jit_%lu", nr);

	clock_gettime(CLOCK_MONOTONIC, &now);
	fwrite(&(struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, bytes, index;
	}){ 0, 56 + len + sizeof(jit_code), now.tv_sec * 1000000000L + now.tv_nsec, getpid(),
	    getpid(), (long)at, (long)at, sizeof(jit_code), nr }, 56, 1, dump);
	fwrite(name, len, 1, dump);
	fwrite(at, sizeof(jit_code), 1, dump);
}

static void jit_make(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *dump = jit_dump();

	if (code == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < JIT_NR; i++) {
		unsigned char *at = code + i * sizeof(jit_code);

		memcpy(at, jit_code, sizeof(jit_code));
		jit_tell(dump, at, i + 1);
	}
	memset(code + (JIT_NR - 1) * sizeof(jit_code) + 13, 0x90, 5);
	fclose(dump);
	jit = (long (*)(void))code;
}

NODE long made(long s)
{
	if (!jit)
		jit_make();
	BURN(s);
	s += jit();
	BURN(s);
	return s;
}

/* --- */

static const struct {
	const char *name;
	long (*run)(long);
} cases[] = {
	{ "callbacks", callbacks }, { "recursion", recursion }, { "tails", tails },
	{ "jumps", jumps }, { "crossed", crossed }, { "signals", signals }, { "coroutines", coroutines },
	{ "threads", threads }, { "fork", fork_1 }, { "objects", objects },
	{ "made", made },
#ifdef THROWS
	{ "throws", throws }, { "!rethrows", ret_1 },
#endif
	{ "exec", exec_1 }, { "!rest", rest_1 }, { "!escapes", esc_1 },
};

/* What the LBR proves as long as it runs. */
NODE static long calm_1(long n)
{
	for (volatile long i = 0; i < 20000; i++)
		n += i;
	return n;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "all";
	long rounds = argc > 2 ? atol(argv[2]) : 1, s = 1;
	long calm = argc > 3 ? atol(argv[3]) : 0;

	self = argv[0];
	while (calm--)
		s += calm_1(s);
	for (long r = 0; r < rounds; r++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (*cases[i].name == '!' ? strstr(name, cases[i].name + 1) != NULL :
			    !strcmp(name, "all") || strstr(name, cases[i].name))
				s += cases[i].run(s + r);
	return 0;
}
