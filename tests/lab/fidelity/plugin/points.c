// SPDX-License-Identifier: GPL-2.0
/*
 * points COUNT [RAW]: does this and that, in an order that looks random, and reads the
 * counters of the whole CPU by RDPMC COUNT times in between; a line for each time:
 *
 *   insns:u insns:k branches:u branches:k [taken:u taken:k]
 *
 * RAW is the event code of near taken branches, if the CPU has one.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define EVENTS 6
#define POINTS 4096

static struct perf_event_mmap_page *events[EVENTS];
static uint64_t seen[POINTS][EVENTS];
static volatile int handled;

static struct perf_event_mmap_page *count(uint32_t type, uint64_t config, int kernel)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .pinned = 1,
		.exclude_kernel = !kernel, .exclude_user = kernel,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		perror("points: an event");
		exit(1);
	}
	return page;
}

/* One RDPMC for each event, in their order */
static void read_all(uint64_t *values, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		uint32_t low, high;

		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (events[i]->index - 1));
		values[i] = (uint64_t)high << 32 | low;
	}
}

static void on_signal(int signal)
{
	handled += signal;
}

static uint32_t next_random(void)
{
	static uint32_t x = 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static void do_something(uint8_t *memory, int pipe[2])
{
	uint32_t r = next_random(), size = r >> 8 & 0xffff;
	void *from = memory, *to = memory + 32 * PAGE;
	uint64_t many = size;
	int status;

	switch (r % 12) {
	case 0:
		asm volatile("rep movsb" : "+S" (from), "+D" (to), "+c" (many) : : "memory");
		break;
	case 1:
		asm volatile("repne scasb" : "+D" (from), "+c" (many) : "a" (7) : "memory", "cc");
		break;
	case 2:
		asm volatile("1: loop 1b" : "+c" (many) : : "cc");
		break;
	case 3:
		madvise(memory, 64 * PAGE, MADV_DONTNEED);	/* page faults to come */
		break;
	case 4:
		memset(memory, r, 64 * PAGE);
		break;
	case 5:
		status = write(pipe[1], memory, size & 0x7ff);
		status = read(pipe[0], memory, status > 0 ? status : 0);
		break;
	case 6:
		raise(SIGUSR1);
		break;
	case 7:
		asm volatile("lock addl $1, 62(%0)" : : "r" (memory) : "memory", "cc");
		break;
	case 8:
		sched_yield();
		break;
	case 9:
		free(malloc(size * 8));
		break;
	case 10:
		if (fork() == 0)
			_exit(r % 3);
		wait(&status);
		break;
	case 11:
		snprintf((char *)memory, PAGE, "%f %u %s", r / 3.0, size, "words");
		break;
	}
}

int main(int argc, char **argv)
{
	int i, j, points = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? 6 : 4;
	uint8_t *memory = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ends[2];

	if (memory == MAP_FAILED || pipe(ends) || points > POINTS)
		return 1;
	signal(SIGUSR1, on_signal);
	for (i = 0; i < n; i++) {
		uint64_t hardware = i < 2 ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_BRANCH_INSTRUCTIONS;

		events[i] = i < 4 ? count(PERF_TYPE_HARDWARE, hardware, i & 1)
				  : count(PERF_TYPE_RAW, strtoull(argv[2], NULL, 16), i & 1);
	}
	for (i = 0; i < points; i++) {
		do_something(memory, ends);
		if (!(next_random() & 3))
			do_something(memory, ends);
		read_all(seen[i], n);
	}
	for (i = 0; i < points; i++)
		for (j = 0; j < n; j++)
			printf("%llu%c", (unsigned long long)seen[i][j], j < n - 1 ? ' ' : '\n');
	return 0;
}
