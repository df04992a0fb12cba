// SPDX-License-Identifier: GPL-2.0
/*
 * relay PAIRS ROUNDS: PAIRS pairs of processes exchange a byte, so that they switch all the
 * time. In between each works in burn() for some 20,000 instructions, always at the end of
 * main -> a -> b -> c -> d -> e -> f, from which it never returns.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE __attribute__((noipa))

static volatile uint64_t sink;
static int rounds, in, out;

NODE static void burn(void)
{
	for (int i = 0; i < 3000; i++)
		sink = sink * 3 + 1;
}

NODE static void f(void)
{
	char byte = 'x';

	for (int i = 0; i < rounds; i++) {
		burn();
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
			break;
	}
	sink++;
}

#define LEVEL(name, next) NODE static void name(void) { next(); sink++; }
LEVEL(e, f)
LEVEL(d, e)
LEVEL(c, d)
LEVEL(b, c)
LEVEL(a, b)

static void pair(void)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		_exit(1);
	if (fork()) {
		in = back[0];
		out = there[1];
		return;
	}
	in = there[0];
	out = back[1];
}

int main(int argc, char **argv)
{
	int pairs = argc == 3 ? atoi(argv[1]) : 1;

	rounds = argc == 3 ? atoi(argv[2]) : 100;
	while (pairs-- > 0)
		if (!fork()) {
			pair();
			a();
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
