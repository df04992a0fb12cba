// SPDX-License-Identifier: GPL-2.0
/*
 * half(), third() and fifth() execute five, three and two instructions of ten.  Usage: ROUNDS.
 * At the end it prints its CPU time in ns, by getrusage().
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define NOINLINE __attribute__((noinline, noclone))

/* Two instructions a round. A macro, because a function would be a line of its own. */
#define GO_ROUND(times) do {							\
	unsigned long rounds = times;						\
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds));			\
} while (0)

NOINLINE static void half(void)
{
	GO_ROUND(50000);
}

NOINLINE static void third(void)
{
	GO_ROUND(30000);
}

NOINLINE static void fifth(void)
{
	GO_ROUND(20000);
}

NOINLINE static void work(void)
{
	half();
	third();
	fifth();
	__asm__ volatile("");	/* no tail call */
}

static unsigned long long ns(struct timeval t)
{
	return t.tv_sec * 1000000000ULL + t.tv_usec * 1000ULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	struct rusage usage;

	while (rounds--)
		work();
	getrusage(RUSAGE_SELF, &usage);
	printf("%llu\n", ns(usage.ru_utime) + ns(usage.ru_stime));
	return 0;
}
