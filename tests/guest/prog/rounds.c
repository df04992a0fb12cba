// SPDX-License-Identifier: GPL-2.0
/*
 * rounds N: N times the same work, 42 million instructions of calls and returns,
 * each in a window of the lab's meter that is numbered from 1.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../../lab/guest/meter.h"

#define NODE __attribute__((noipa))

static volatile uint64_t sink;

NODE static void leaf(void)
{
	sink = sink * 3 + 1;
}

NODE static void work(void)
{
	for (int i = 0; i < 6000000; i++)
		leaf();
	sink++;
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, i;

	for (i = 1; i <= n; i++) {
		meter_open(i);
		work();
		meter_close(i);
	}
	return 0;
}
