// SPDX-License-Identifier: GPL-2.0
/*
 * Children of a profiled program. Arguments: N ROUNDS. main calls parent, parent forks N
 * children one after another; each calls child_a -> child_b -> child_c, and ends there by
 * exit. Afterwards the program executes itself once, as "exe": stage_a -> stage_b -> stage_c
 * under the main of a fresh image, whose stacks must have no frame of the old stack.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE __attribute__((noipa))

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void burn(void)
{
	for (int i = 0; i < 3000; i++)
		sink = sink * 3 + 1;
}

#define CHAIN(p)							\
NODE static void p##_c(void) { burn(); sink++; }			\
NODE static void p##_b(void) { p##_c(); sink++; }			\
NODE static void p##_a(uint64_t n)					\
{									\
	for (uint64_t i = 0; i < n; i++)				\
		p##_b();						\
	sink++;								\
}

CHAIN(child)
CHAIN(stage)

NODE static int parent(int children, uint64_t rounds)
{
	int failed = 0;

	for (int i = 0; i < children; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			child_a(rounds);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			failed++;
		sink++;
	}
	return failed;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 100;

	if (argc > 1 && !strcmp(argv[1], "next")) {
		stage_a(rounds);
		return 0;
	}
	if (parent(argc > 1 ? atoi(argv[1]) : 1, rounds))
		return 1;
	execl("/proc/self/exe", "forks", "next", argc > 2 ? argv[2] : "100", NULL);
	return 1;
}
