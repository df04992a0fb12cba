// SPDX-License-Identifier: GPL-2.0
/* Threads that sleep at the same time, as many as asked for; main() does not. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *sleeper(void *arg)
{
	const struct timespec while_all_begin = { .tv_sec = 5 };

	nanosleep(&while_all_begin, NULL);
	return arg;
}

int main(int argc, char **argv)
{
	int nr = argc == 2 ? atoi(argv[1]) : 0;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	for (int i = 0; i < nr; i++)
		if (!threads || pthread_create(&threads[i], NULL, sleeper, NULL))
			return 1;
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
