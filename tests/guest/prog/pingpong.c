// SPDX-License-Identifier: GPL-2.0
/*
 * One of two partners: passes a byte through its stdin and stdout, from within a few calls,
 * ROUNDS times. It is linked twice, static, at addresses that have nothing in common, so that
 * each branch shows its program.
 */
#include <stdlib.h>
#include <unistd.h>

#define CALL __attribute__((noinline, noclone))

static CALL int turn(void)
{
	char byte = 'x';

	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
		return -1;
	return byte == 'x';
}

static CALL int deeper(int depth)
{
	int ok = depth ? deeper(depth - 1) : turn();

	__asm__ volatile("" : "+r" (ok));
	return ok;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;

	while (rounds--)
		if (deeper(5) < 0)
			break;
	return 0;
}
