// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose samples tell when they were taken: by the first byte of the file named
 * by the argument, mapped shared, it spins in spin_0, spin_1 or spin_2, sleeps at 3, and
 * ends at 4.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODE __attribute__((noipa))

static volatile unsigned char *phase;
static volatile uint64_t sink;

#define SPIN(n)							\
NODE static void spin_##n(void)					\
{								\
	while (*phase == n)					\
		for (int i = 0; i < 100; i++)			\
			sink = sink * 3 + 1;			\
}
SPIN(0) SPIN(1) SPIN(2)

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	phase = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	if (phase == MAP_FAILED)
		return 1;
	while (*phase != 4) {
		spin_0();
		spin_1();
		spin_2();
		if (*phase == 3)
			usleep(10000);
	}
	return 0;
}
