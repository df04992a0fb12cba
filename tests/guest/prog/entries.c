// SPDX-License-Identifier: GPL-2.0
/*
 * Two ways into the kernel, in turns: first() is only called by one(), second() only by two().
 * The user registers that the kernel stored at one entry stay until the next entry stores its
 * own. Argument: rounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define NODE __attribute__((noipa))

static volatile uint64_t sink;

#define WAY(inner, outer)						\
NODE static void inner(void)						\
{									\
	long nr = SYS_getpid;						\
									\
	asm volatile("syscall" : "+a" (nr) : : "rcx", "r11", "memory");	\
	sink = nr;							\
}									\
NODE static void outer(void) { inner(); sink++; }

WAY(first, one) WAY(second, two)

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 200000;

	while (rounds--) {
		one();
		two();
	}
	return 0;
}
