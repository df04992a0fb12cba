// SPDX-License-Identifier: GPL-2.0
/*
 * rounds N [TURNS]: N times the same work, 42 million instructions of calls and returns, each
 * in a window of the lab's meter, numbered from 1. With TURNS, the work is divided into that
 * many parts of 7000 instructions. After each part a child has the CPU for a moment. Both have
 * the same real-time priority, so that only their waiting determines the order.
 */
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../lab/guest/meter.h"

#define NODE __attribute__((noipa))

static volatile uint64_t sink;

NODE static void leaf(void)
{
	sink = sink * 3 + 1;
}

NODE static void work(int times)
{
	while (times--)
		leaf();
	sink++;
}

static int to_child[2], to_parent[2];

/* Returns each byte, until the pipe is closed. */
static void be_child(void)
{
	char byte;

	close(to_child[1]);
	while (read(to_child[0], &byte, 1) == 1 && write(to_parent[1], &byte, 1) == 1)
		;
	_exit(0);
}

NODE static void turn(void)
{
	char byte = 0;

	if (write(to_child[1], &byte, 1) != 1 || read(to_parent[0], &byte, 1) != 1)
		exit(1);
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i;
	int turns = argc > 2 ? atoi(argv[2]) : 0, k;

	if (turns && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
		return 1;
	if (turns && (pipe(to_child) || pipe(to_parent)))
		return 1;
	if (turns && !fork())
		be_child();
	for (i = 1; i <= n; i++) {
		meter_open(i);
		if (!turns)
			work(6000000);
		for (k = 0; k < turns; k++) {
			work(1000);
			turn();
		}
		meter_close(i);
	}
	return 0;
}
