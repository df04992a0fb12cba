// SPDX-License-Identifier: GPL-2.0
/*
 * Threads whose samples are identified by the function that they spin in, whatever their ids.
 * The first byte of the file named by the argument, mapped shared, selects the phase:
 *
 *   0  three threads spin, in spin_a, spin_b and spin_c; main sleeps
 *   1  the first has made a thread, in spin_clone, and forked a process, in spin_fork;
 *      the second has made a thread, in spin_other; they spin on, too
 *   2  the first thread has ended
 *   3  the program ends
 *
 * Prints "a TID", "b TID", "c TID". Behind the phase, at multiples of 8 bytes, the file has
 * the number of spins of each function, so that a test can wait for instructions instead of
 * seconds: spin_a at 8, then b, c, clone, other, fork; some SPIN_INSNS instructions each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE __attribute__((noipa))

/* An iteration of spin_*() has six instructions. */
#define SPIN_INSNS	600

struct shared {
	unsigned char phase;
	uint64_t spun[6];
};

static volatile struct shared *shared;
static volatile uint64_t sink;

/* Spins until the phase has come. */
#define SPIN(name, slot)					\
NODE static void spin_##name(unsigned char until)		\
{								\
	while (shared->phase < until) {				\
		for (int i = 0; i < SPIN_INSNS / 6; i++)	\
			sink = sink * 3 + 1;			\
		shared->spun[slot]++;				\
	}							\
}
SPIN(a, 0) SPIN(b, 1) SPIN(c, 2) SPIN(clone, 3) SPIN(other, 4) SPIN(fork, 5)

/* Prints a line with one write, since two threads print at a time. */
static void tell(const char *name)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%s %d\n", name, gettid());

	if (write(1, line, len) != len)
		_exit(1);
}

static void *run_clone(void *arg)
{
	spin_clone(3);
	return arg;
}

static void *run_other(void *arg)
{
	spin_other(3);
	return arg;
}

static void *run_a(void *arg)
{
	pthread_t child;

	tell("a");
	spin_a(1);
	if (pthread_create(&child, NULL, run_clone, NULL))
		_exit(1);
	if (fork() == 0) {
		spin_fork(3);
		_exit(0);
	}
	spin_a(2);
	return arg;
}

static void *run_b(void *arg)
{
	pthread_t child;

	tell("b");
	spin_b(1);
	if (pthread_create(&child, NULL, run_other, NULL))
		_exit(1);
	spin_b(3);
	return arg;
}

static void *run_c(void *arg)
{
	tell("c");
	spin_c(3);
	return arg;
}

int main(int argc, char **argv)
{
	static void *(*const runs[])(void *) = { run_a, run_b, run_c };
	pthread_t threads[3];
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		return 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, runs[i], NULL))
			return 1;
	while (shared->phase < 3)
		usleep(10000);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
