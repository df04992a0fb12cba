// SPDX-License-Identifier: GPL-2.0
/*
 * happens PAGES SLEEPS MOVES: a thread of it touches PAGES new pages, sleeps SLEEPS times, and goes MOVES
 * times to the other one of the CPUs 0 and 1. It begins when a byte comes from the standard input.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int pages, sleeps, moves;

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

static void *work(void *memory)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	char byte;

	if (read(0, &byte, 1) != 1)
		abort();
	for (int i = 0; i < pages; i++)
		((volatile char *)memory)[i * 4096L] = 1;
	for (int i = 0; i < sleeps; i++)
		nanosleep(&ms, NULL);
	for (int i = 0; i < moves; i++)
		go_to(1 - i % 2);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char *memory;

	if (argc != 4)
		return 2;
	pages = atoi(argv[1]);
	sleeps = atoi(argv[2]);
	moves = atoi(argv[3]);
	go_to(0);
	memory = mmap(NULL, 4096L * (pages + 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || (pages && madvise(memory, 4096L * pages, MADV_NOHUGEPAGE)) ||
	    pthread_create(&thread, NULL, work, memory) || pthread_join(thread, NULL))
		return 1;
	return 0;
}
