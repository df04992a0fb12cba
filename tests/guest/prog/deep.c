// SPDX-License-Identifier: GPL-2.0
/*
 * A program that is already twenty calls deep when a recorder attaches to it. d01 calls d02
 * ... d20 calls d21, which spins. The first byte of the file named by its argument selects its
 * next action; the file is mapped shared, so that no signal and no system call disturbs its
 * stack:
 *
 *   0  spin at the bottom of the first descent
 *   1  return to d10, descend again, spin      (d10 and above never seen called)
 *   2  return to main, descend again, spin     (main never seen called)
 *   3  a new thread descends by t01 .. t06     (its whole stack can be seen)
 *   4  exit
 *
 * Prints "deep" when it is at the bottom for the first time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define NODE __attribute__((noipa))

static volatile unsigned char *phase;
static volatile uint64_t sink;
static int told;

#define SPIN(name)						\
NODE static void name(unsigned char while_phase)		\
{								\
	while (*phase == while_phase)				\
		for (int i = 0; i < 100; i++)			\
			sink = sink * 3 + 1;			\
}

SPIN(d21)
SPIN(t06)

NODE static void d20(unsigned char p)
{
	if (!told) {
		told = 1;
		puts("deep");
		fflush(stdout);
	}
	d21(p);
	sink++;
}

#define DOWN(from, to) NODE static void from(unsigned char p) { sink++; to(p); sink++; }
DOWN(d19, d20) DOWN(d18, d19) DOWN(d17, d18) DOWN(d16, d17) DOWN(d15, d16)
DOWN(d14, d15) DOWN(d13, d14) DOWN(d12, d13) DOWN(d11, d12)

/* the first descent returns up to here, then goes down a second time */
NODE static void d10(unsigned char p)
{
	d11(p);
	sink++;
	if (p == 0)
		d11(1);
	sink++;
}

DOWN(d09, d10) DOWN(d08, d09) DOWN(d07, d08) DOWN(d06, d07) DOWN(d05, d06)
DOWN(d04, d05) DOWN(d03, d04) DOWN(d02, d03) DOWN(d01, d02)

DOWN(t05, t06) DOWN(t04, t05) DOWN(t03, t04) DOWN(t02, t03) DOWN(t01, t02)

static void *thread(void *arg)
{
	t01(3);
	sink++;
	return arg;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	pthread_t t;

	phase = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	if (phase == MAP_FAILED) {
		fprintf(stderr, "deep: cannot map the file of phases\n");
		return 1;
	}
	d01(0);
	d01(2);
	if (pthread_create(&t, NULL, thread, NULL))
		return 1;
	pthread_join(t, NULL);
	return 0;
}
