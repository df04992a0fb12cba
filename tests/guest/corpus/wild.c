// SPDX-License-Identifier: GPL-2.0
/* wild CASE ROUNDS[:SEED]: programs whose calls and returns do not pair, so that the branch
 * records lack open calls, or have closed ones (corpus.py has the true stacks). Each case runs
 * alone: what it leaves in the LBR stays for the thread's life. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "corpus.h"

volatile long corpus_sink;

static unsigned long random_state;

static unsigned long chance(unsigned long of)
{
	random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
	return (random_state >> 33) % of;
}

/* --- recursion that signals interrupt, at any depth --- */

CHAIN(shand, s + 1)
static void stopped(int number)
{
	long s = number;

	BURN(s);
	corpus_sink += shand_1(s);
}

DEPTHS(s)
NODE long sagain(long s, int depth)
{
	BURN(s);
	if (!chance(24))
		raise(SIGUSR1);
	s += sat[depth - 1](s);
	if (depth < 8)
		s += sagain(s, depth + 1);
	s += sat[depth - 1](s);
	BURN(s);
	return s;
}

CHAIN(stop, sagain(s, 1))

/* --- recursion that a jump leaves into its middle, from any depth to any --- */

static jmp_buf marks[9];

DEPTHS(l)
NODE long lagain(long s, int depth)
{
	BURN(s);
	s += lat[depth - 1](s);
	if (depth == 8 && chance(2))
		longjmp(marks[1 + chance(7)], 1);
	if (depth < 8 && !setjmp(marks[depth]))
		s += lagain(s, depth + 1);
	s += lat[depth - 1](s);
	BURN(s);
	return s;
}

CHAIN(leap, lagain(s, 1))

/* --- coroutines that share a function, by each way to change the stack --- */

/* Saves the callee-saved registers and the stack pointer in *from, and continues with those of
 * `to`. */
#define SWITCH(name, load, leave)					\
	asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" \
	    "endbr64\npush %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n" \
	    load							\
	    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\n"	\
	    leave "\n.size " #name ", . - " #name "\n.popsection");	\
	void name(void **from, void *to);

SWITCH(turn_mov, "mov %rsp, (%rdi)\nmov %rsi, %rsp\n", "ret")
SWITCH(turn_lea, "mov %rsp, (%rdi)\nlea (%rsi), %rsp\n", "ret")
SWITCH(turn_xchg, "xchg %rsp, %rsi\nmov %rsi, (%rdi)\n", "ret")
SWITCH(turn_pop, "mov %rsp, (%rdi)\npush %rsi\npop %rsp\n", "ret")
SWITCH(jump_mov, "mov %rsp, (%rdi)\nmov %rsi, %rsp\n", "pop %rcx\njmp *%rcx")
SWITCH(jump_lea, "mov %rsp, (%rdi)\nlea (%rsi), %rsp\n", "pop %rcx\njmp *%rcx")
SWITCH(jump_xchg, "xchg %rsp, %rsi\nmov %rsi, (%rdi)\n", "pop %rcx\njmp *%rcx")

static void (*turn)(void **from, void *to);
static void *stacks[3];			/* the program's own, and those of two coroutines */

/* Sometimes continues the other coroutine, or the program. */
static inline __attribute__((always_inline)) void give_way(int own)
{
	if (chance(3))
		turn(&stacks[own], stacks[(own + 1 + chance(2)) % 3]);
}

CHAIN(uia, s + 1)
CHAIN(uib, s + 1)
NODE long ushare(long s, int own)
{
	BURN(s);
	give_way(own);
	s += own == 1 ? uia_1(s) : uib_1(s);
	give_way(own);
	BURN(s);
	return s;
}

CHAIN(ua, ushare(s, 1))
CHAIN(ub, ushare(s, 2))
static void ufirst(void) { for (long s = 1;; s++) ua_1(s); }
static void usecond(void) { for (long s = 1;; s++) ub_1(s); }
CHAIN(um, (give_way(0), s + 1))

static void *begin_on(char *top, void (*run)(void))
{
	void **at = (void **)top - 2;

	*at = run;
	return at - 6;			/* six registers that turn() pops */
}

NODE long umain(long s)
{
	static char room[2][65536] __attribute__((aligned(16)));

	if (!stacks[1]) {
		stacks[1] = begin_on(room[0] + sizeof(room[0]), ufirst);
		stacks[2] = begin_on(room[1] + sizeof(room[1]), usecond);
	}
	return um_1(s) + um_1(s + 1);
}

/* --- two functions of one name, by coroutines that take turns --- */

long twin_first(long s), twin_second(long s);

CHAIN(tia, (give_way(1), s + 1))
CHAIN(tib, (give_way(2), s + 1))
CHAIN(ta, twin_first(s))
CHAIN(tb, twin_second(s))
static void tfirst(void) { for (long s = 1;; s++) ta_1(s); }
static void tsecond(void) { for (long s = 1;; s++) tb_1(s); }

NODE long tmain(long s)
{
	static char room[2][65536] __attribute__((aligned(16)));

	if (!stacks[1]) {
		stacks[1] = begin_on(room[0] + sizeof(room[0]), tfirst);
		stacks[2] = begin_on(room[1] + sizeof(room[1]), tsecond);
	}
	s = um_1(s);
	BURN(s);
	return s;
}

/* --- computed jumps that signals interrupt --- */

CHAIN(gop, s + 1)
NODE long gvm(long s)
{
	static const void *const code[] = { &&add, &&call, &&stop, &&end };

	goto *code[chance(3)];
add:
	BURN(s);
	goto *code[chance(3)];
call:
	s += gop_1(s);
	goto *code[chance(4)];
stop:
	raise(SIGUSR1);
	BURN(s);
	goto *code[chance(4)];
end:
	BURN(s);
	return s;
}

CHAIN(gv, gvm(s))

/* --- */

static const struct {
	const char *name;
	long (*run)(long);
	void (*turn)(void **from, void *to);
} cases[] = {
	{ "stops", stop_1, NULL }, { "leaps", leap_1, NULL }, { "gotos", gv_1, NULL },
	{ "turn_mov", umain, turn_mov }, { "turn_lea", umain, turn_lea },
	{ "turn_xchg", umain, turn_xchg }, { "turn_pop", umain, turn_pop },
	{ "jump_mov", umain, jump_mov }, { "jump_lea", umain, jump_lea },
	{ "jump_xchg", umain, jump_xchg }, { "twins", tmain, turn_mov },
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "stops";
	long rounds = argc > 2 ? atol(argv[2]) : 1, s = 1;

	if (argc > 2 && strchr(argv[2], ':'))
		random_state = atol(strchr(argv[2], ':') + 1);
	signal(SIGUSR1, stopped);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(name, cases[i].name))
			continue;
		turn = cases[i].turn;
		for (long r = 0; r < rounds; r++)
			s += cases[i].run(s + r);
	}
	return 0;
}
