// SPDX-License-Identifier: GPL-2.0
/*
 * nest DEPTH INSTRUCTIONS WINDOW...: computes with exactly DEPTH open calls from the program's
 * first instruction on: it has no C library. It executes some INSTRUCTIONS in each of the
 * meter's windows, one after the other. Its real-time priority keeps other tasks off the CPU
 * meanwhile.
 */
#include "call.h"
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

/* start() is the first of the calls, leaf() the last. */
__attribute__((noreturn, used)) static void start(long *stack)
{
	char **argv = (char **)(stack + 1);
	long depth = call_number(argv[1]), i, argc = stack[0];

	call_be_first();
	for (i = 3; i < argc; i++) {
		meter_open(call_number(argv[i]));
		if (depth > 2)
			nest(depth - 2, call_number(argv[2]) / 4);
		else
			leaf(call_number(argv[2]) / 4);
		meter_close(call_number(argv[i]));
	}
	call_exit(0);
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall start\n");
