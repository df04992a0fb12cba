// SPDX-License-Identifier: GPL-2.0
/*
 * shapes WHAT TIMES: programs of one shape each.
 *
 *   tight   arithmetic, hardly a branch, no memory
 *   chase   each load's address comes from the last: 8 MiB in random order
 *   small   the same in 16 KiB
 *   stream  a sum over 8 MiB, one word after the other
 *   guess   branches that go either way at random
 *   known   the same branches, all one way
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG	(8 << 20)
#define SMALL	(16 << 10)
#define LINE	64

static uint64_t memory[BIG / sizeof(uint64_t)] __attribute__((aligned(4096)));
static uint64_t state = 1;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* One cycle through all lines of the first bytes (Sattolo's shuffle). */
static void link_lines(size_t bytes)
{
	size_t lines = bytes / LINE, step = LINE / sizeof(*memory), i, j;
	uint64_t swap;

	for (i = 0; i < lines; i++)
		memory[i * step] = (uint64_t)&memory[i * step];
	for (i = lines - 1; i > 0; i--) {
		j = rnd() % i;
		swap = memory[i * step];
		memory[i * step] = memory[j * step];
		memory[j * step] = swap;
	}
}

static void tight(long times)
{
	while (times--)
		asm volatile(".rept 100\n add $1, %%rax\n.endr" ::: "rax");
}

static void chase(long times)
{
	uint64_t *p = memory;

	while (times--)
		asm volatile(".rept 10\n mov (%0), %0\n.endr" : "+r" (p));
}

static void stream(long times)
{
	uint64_t *p, sum = 0;

	while (times--)
		for (p = memory; p < memory + BIG / sizeof(*memory); p += 8)
			asm volatile("add (%1), %0\n add 8(%1), %0\n add 16(%1), %0\n"
				     "add 24(%1), %0\n add 32(%1), %0\n add 40(%1), %0\n"
				     "add 48(%1), %0\n add 56(%1), %0\n" : "+r" (sum) : "r" (p));
}

static void branches(long times, uint64_t mask)
{
	uint64_t taken = 0;

	while (times--)
		asm volatile("test $1, %b1\n jz 1f\n inc %0\n1:\n"
			     "test $2, %b1\n jz 1f\n inc %0\n1:\n"
			     "test $4, %b1\n jz 1f\n inc %0\n1:\n"
			     "test $8, %b1\n jz 1f\n inc %0\n1:\n" : "+r" (taken) : "q" (rnd() >> 20 & mask));
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	long times = argc == 3 ? atol(argv[2]) : 0;

	if (!strcmp(what, "tight")) {
		tight(times);
	} else if (!strcmp(what, "chase")) {
		link_lines(BIG);
		chase(times);
	} else if (!strcmp(what, "small")) {
		link_lines(SMALL);
		chase(times);
	} else if (!strcmp(what, "stream")) {
		stream(times);
	} else if (!strcmp(what, "guess")) {
		branches(times, -1);
	} else if (!strcmp(what, "known")) {
		branches(times, 0);
	} else {
		fprintf(stderr, "usage: shapes WHAT TIMES\n");
		return 2;
	}
	return 0;
}
