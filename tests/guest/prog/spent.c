// SPDX-License-Identifier: GPL-2.0
/*
 * half(), third() and fifth() execute five, three and two instructions of ten.
 * Usage: ROUNDS [CHILDREN].  With CHILDREN, this many children, one after the other, run the
 * rounds.  Prints the CPU time of the process, or of the children, in ns, by getrusage().
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void run(unsigned long rounds)
{
	while (rounds--)
		work();
}

static void run_child(unsigned long rounds)
{
	if (fork()) {
		wait(NULL);
		return;
	}
	run(rounds);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long children = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, i;
	struct rusage usage;

	for (i = 0; i < children; i++)
		run_child(rounds);
	if (!children)
		run(rounds);
	getrusage(children ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
	printf("%llu\n", ns(usage.ru_utime) + ns(usage.ru_stime));
	return 0;
}
