// SPDX-License-Identifier: GPL-2.0
/*
 * turns DEPTH TURNS WINDOW [stop]: two processes exchange a byte TURNS times in each of a few windows
 * of the meter: two context switches a turn. Each waits with exactly DEPTH open calls; the
 * program has no C library. Both have one real-time priority and one CPU, so that only their
 * waiting determines the order. stop: it stops itself first, until it is continued.
 */
#include "call.h"
#include "meter.h"

#define NOINLINE __attribute__((noinline, noclone, noipa))

#define WINDOWS 5
#define WARM_UP 20

/* The pipe that this process reads, and that of the other one. */
static int in, out;
static unsigned long turns, window;

static inline void give(void)
{
	if (call(CALL_WRITE, out, (long)"x", 1) != 1)
		call_exit(1);
}

static inline void take(void)
{
	char byte;

	if (call(CALL_READ, in, (long)&byte, 1) != 1)
		call_exit(1);
}

static inline void take_turns(unsigned long n, int first)
{
	while (n--) {
		if (first)
			give();
		take();
		if (!first)
			give();
	}
}

/* The windows are the first one's. */
static NOINLINE void leaf(int first)
{
	int i;

	take_turns(WARM_UP, first);
	for (i = 0; i < WINDOWS; i++) {
		if (first)
			meter_open(window);
		take_turns(turns, first);
		if (first)
			meter_close(window);
	}
}

static NOINLINE void nest(long depth, int first)
{
	if (depth > 1)
		nest(depth - 1, first);
	else
		leaf(first);
	__asm__ volatile("");	/* no tail call */
}

/* start() is the first of the calls, leaf() the last. */
__attribute__((noreturn, used)) static void start(long *stack)
{
	char **argv = (char **)(stack + 1);
	long depth = call_number(argv[1]), first;
	int there[2], back[2];

	turns = call_number(argv[2]);
	window = call_number(argv[3]);
	if (argv[4])
		call(CALL_KILL, call(CALL_GETPID, 0, 0, 0), CALL_SIGSTOP, 0);
	call_be_first();
	if (call(CALL_PIPE, (long)there, 0, 0) || call(CALL_PIPE, (long)back, 0, 0))
		call_exit(1);
	first = call(CALL_FORK, 0, 0, 0);
	in = first ? back[0] : there[0];
	out = first ? there[1] : back[1];
	if (depth > 2)
		nest(depth - 2, first != 0);
	else
		leaf(first != 0);
	call_exit(0);
}

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall start\n");
