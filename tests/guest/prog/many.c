// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads at once, each of which runs a loop of known length. No thread begins before all
 * exist, and none ends before all have run.
 *
 *   many THREADS
 *
 * When all threads exist it reads a line from stdin, and then lets them run, so that a
 * recorder can attach before. Each thread executes at least 30,000 instructions.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STACK_BYTES	(32 << 10)
#define ROUNDS		10000

static pthread_barrier_t there, done;

/* Three instructions a round at least. */
static void *run(void *arg)
{
	volatile uint64_t i;

	pthread_barrier_wait(&there);
	for (i = 0; i < ROUNDS; i++)
		;
	pthread_barrier_wait(&done);
	return arg;
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 1, i;
	pthread_attr_t attr;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	if (!threads || pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK_BYTES))
		return 2;
	pthread_barrier_init(&there, NULL, nr + 1);
	pthread_barrier_init(&done, NULL, nr + 1);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &attr, run, NULL)) {
			fprintf(stderr, "many: thread %ld of %ld cannot be created\n", i + 1, nr);
			return 1;
		}
	printf("%ld threads\n", nr);
	fflush(stdout);
	getchar();
	pthread_barrier_wait(&there);
	pthread_barrier_wait(&done);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
