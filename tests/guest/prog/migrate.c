// SPDX-License-Identifier: GPL-2.0
/*
 * Reaches its working depth by way of another CPU: down to depth 3 on CPU 0, up to 1 and down
 * to 6 on CPU 1, and back to CPU 0, where it works at depth 6. The records of CPU 0 alone show
 * three calls of down() that have all returned.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noipa)) void work(void)
{
	for (int i = 0; i < 200000; i++)
		sink += i;
}

__attribute__((noipa)) void move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(2);
}

/* Goes n deep, to CPU cpu there, and works when n is 0. */
__attribute__((noipa)) void down(int n, int cpu)
{
	if (n > 1)
		down(n - 1, cpu);
	else
		move(cpu);
	if (n == 1 && !cpu)
		work();
	sink++;
}

int main(void)
{
	for (int i = 0; i < 300; i++) {
		down(3, 1);
		down(6, 0);
	}
	return 0;
}
