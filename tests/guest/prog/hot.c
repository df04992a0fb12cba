// SPDX-License-Identifier: GPL-2.0
/* hot() executes nine of ten instructions and cold() the tenth; work() calls both, and main()
 * calls work(), until the program is ended. */
#define NOINLINE __attribute__((noinline, noclone))

/* Two instructions a round. A macro, because a function would be a line of its own. */
#define GO_ROUND(times) do {							\
	unsigned long rounds = times;						\
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds));			\
} while (0)

NOINLINE static void hot(void)
{
	GO_ROUND(90000);
}

NOINLINE static void cold(void)
{
	GO_ROUND(10000);
}

NOINLINE static void work(void)
{
	hot();
	cold();
	__asm__ volatile("");	/* no tail call */
}

int main(void)
{
	for (;;)
		work();
}
