// SPDX-License-Identifier: GPL-2.0
/*
 * Threads whose samples are told apart by the function they spin in, whatever their
 * ids. What they do is told by the first byte of the file named by the argument, mapped
 * shared:
 *
 *   0  three threads spin, in spin_a, spin_b and spin_c; main sleeps
 *   1  the first has made a thread, in spin_clone, and forked a process, in spin_fork;
 *      the second has made a thread, in spin_other; they spin on, too
 *   2  the first thread has ended
 *   3  all ends
 *
 * On stdout: "a TID", "b TID", "c TID".
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

static volatile unsigned char *phase;
static volatile uint64_t sink;

/* Spins until the phase has come. */
#define SPIN(name)						\
NODE static void spin_##name(unsigned char until)		\
{								\
	while (*phase < until)					\
		for (int i = 0; i < 100; i++)			\
			sink = sink * 3 + 1;			\
}
SPIN(a) SPIN(b) SPIN(c) SPIN(clone) SPIN(other) SPIN(fork)

/* In a line of its own, for two print at a time. */
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

	phase = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	if (phase == MAP_FAILED)
		return 1;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, runs[i], NULL))
			return 1;
	while (*phase < 3)
		usleep(10000);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	while (wait(NULL) > 0)
		;
	return 0;
}
