// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a variable from one stack and works under another one, again and again, so that a
 * watchpoint on the variable tells a moment whose stack no sample of the work has.
 *
 *   stored ROUNDS
 *
 * Stacks: store <- writes_two <- writes_one <- main, and work <- works_two <- works_one <- main.
 * Nothing switches to another task by itself.
 */
#include <stdlib.h>

#define CALLED	__attribute__((noipa, noinline, aligned(64)))

volatile unsigned long variable;

CALLED void store(void)
{
	variable++;
}

CALLED void writes_two(void)
{
	store();
	asm volatile("");
}

CALLED void writes_one(void)
{
	writes_two();
	asm volatile("");
}

CALLED void work(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

CALLED void works_two(void)
{
	work();
	asm volatile("");
}

CALLED void works_one(void)
{
	works_two();
	asm volatile("");
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		writes_one();
		for (int j = 0; j < 5; j++)
			works_one();
	}
	return 0;
}
