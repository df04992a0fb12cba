// SPDX-License-Identifier: GPL-2.0
/*
 * flushes SECONDS: a thread on CPU 1 computes, with 62 KiB of its stack in use, while another one
 * on CPU 0 takes the right to write to a page away and gives it back, about once a millisecond.
 * Linux flushes the TLB of CPU 1 then, and CPU 0 waits for its answer.  Prints
 *
 *	flushes NUMBER longest US rounds NUMBER
 *
 * with the longest time that this took, and the number of rounds of the computation a second.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096

static volatile uint64_t rounds;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("flushes: sched_setaffinity");
		exit(1);
	}
}

static void *compute(void *unused)
{
	volatile char stack[62 * 1024];

	go_to(1);
	memset((char *)stack, 1, sizeof(stack));
	for (;;) {
		stack[rounds % sizeof(stack)]++;
		rounds++;
	}
	return unused;
}

static uint64_t flush(char *page)
{
	uint64_t begin = now();

	*page = 1;
	if (mprotect(page, PAGE, PROT_READ) || mprotect(page, PAGE, PROT_READ | PROT_WRITE)) {
		perror("flushes: mprotect");
		exit(1);
	}
	return now() - begin;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	uint64_t begin, first, took, longest = 0, nr = 0;
	pthread_t thread;
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || pthread_create(&thread, NULL, compute, NULL))
		return 1;
	go_to(0);
	while (!rounds)
		usleep(1000);
	first = rounds;
	for (begin = now(); now() - begin < seconds * 1000000000ULL; nr++) {
		took = flush(page);
		longest = took > longest ? took : longest;
		usleep(1000);
	}
	printf("flushes %llu longest %llu rounds %llu\n", (unsigned long long)nr,
	       (unsigned long long)longest / 1000,
	       (unsigned long long)((rounds - first) * 1000000000.0 / (now() - begin)));
	fflush(stdout);
	_exit(0);
}
