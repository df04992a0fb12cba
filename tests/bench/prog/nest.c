// SPDX-License-Identifier: GPL-2.0
/*
 * nest DEPTH INSTRUCTIONS WINDOW...: computes with DEPTH calls open, no more and no
 * less, from the program's first instruction on: there is no C library. About so many
 * instructions long, inside of the meter's windows.
 */
#include "meter.h"

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile unsigned long sink;

static NOINLINE void leaf(unsigned long rounds)
{
	unsigned long i, sum = 0;

	for (i = 0; i < rounds; i++) {
		sum += i;
		__asm__ volatile("" : "+r" (sum));
	}
	sink = sum;
}

static NOINLINE void nest(long depth, unsigned long rounds)
{
	if (depth > 1)
		nest(depth - 1, rounds);
	else
		leaf(rounds);
	__asm__ volatile("");	/* no tail call */
}

static unsigned long number(const char *text)
{
	unsigned long value = 0;

	while (*text)
		value = 10 * value + (*text++ - '0');
	return value;
}

/* start() is the first of the calls, leaf() the last. */
__attribute__((noreturn, used)) static void start(long *stack)
{
	char **argv = (char **)(stack + 1);
	long depth = number(argv[1]), i, argc = stack[0];

	for (i = 3; i < argc; i++)
		meter_open(number(argv[i]));
	if (depth > 2)
		nest(depth - 2, number(argv[2]) / 4);
	else
		leaf(number(argv[2]) / 4);
	for (i = 3; i < argc; i++)
		meter_close(number(argv[i]));
	__asm__ volatile("syscall" : : "a" (60), "D" (0) : "rcx", "r11", "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall start\n");
