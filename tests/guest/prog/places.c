// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose samples show when they were taken: by the first byte of the file named by
 * the argument, mapped shared, it spins in spin_0, spin_1 or spin_2, sleeps at 3, and ends at
 * 4. Byte 8 of the file holds the number of its spins, 600 instructions each.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODE __attribute__((noipa))

struct shared {
	unsigned char phase;
	uint64_t spun;
};

static volatile struct shared *shared;
static volatile uint64_t sink;

#define SPIN(n)							\
NODE static void spin_##n(void)					\
{								\
	while (shared->phase == n) {				\
		for (int i = 0; i < 100; i++)			\
			sink = sink * 3 + 1;			\
		shared->spun++;					\
	}							\
}
SPIN(0) SPIN(1) SPIN(2)

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		return 1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		return 1;
	while (shared->phase != 4) {
		spin_0();
		spin_1();
		spin_2();
		if (shared->phase == 3)
			usleep(10000);
	}
	return 0;
}
