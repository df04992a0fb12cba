// SPDX-License-Identifier: GPL-2.0
/* Twenty threads with a name of their own each, "worker 0" to "worker 19", in the same functions.
 * Argument: rounds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS		20
#define NODE		__attribute__((noipa))

static volatile uint64_t sink;
static uint64_t rounds = 100;

NODE static void turn(void)
{
	for (int i = 0; i < 4000; i++)
		sink = sink * 6364136223846793005ull + 1;
}

NODE static void shift(void)
{
	for (uint64_t i = 0; i < rounds; i++)
		turn();
	sink++;
}

static void *work(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "worker %d", (int)(intptr_t)number);
	pthread_setname_np(pthread_self(), name);
	shift();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	if (argc > 1)
		rounds = strtoull(argv[1], NULL, 0);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i))
			return 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
