// SPDX-License-Identifier: GPL-2.0
/* sleepers N: N threads that sleep at the same time; main() does not sleep. */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int begun;

static void *sleeper(void *arg)
{
	const struct timespec until_woken = { .tv_sec = 100000 };

	begun++;
	nanosleep(&until_woken, NULL);
	return arg;
}

static void wake(int signal)
{
	(void)signal;
}

/* Returns how many threads of this program are off the CPU. */
static int asleep(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int nr = 0;

	while (tasks && (task = readdir(tasks))) {
		char path[sizeof("/proc/self/task//stat") + sizeof(task->d_name)], state = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
		stat = fopen(path, "r");
		if (!stat)
			continue;
		nr += fscanf(stat, "%*d %*s %c", &state) == 1 && state == 'S';
		fclose(stat);
	}
	if (tasks)
		closedir(tasks);
	return nr;
}

int main(int argc, char **argv)
{
	int nr = argc == 2 ? atoi(argv[1]) : 0;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	/* This handler ends nanosleep(). */
	signal(SIGUSR1, wake);
	for (int i = 0; i < nr; i++)
		if (!threads || pthread_create(&threads[i], NULL, sleeper, NULL))
			return 1;
	while (begun < nr || asleep() < nr)
		poll(NULL, 0, 10);
	for (int i = 0; i < nr; i++)
		pthread_kill(threads[i], SIGUSR1);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
