// SPDX-License-Identifier: GPL-2.0
/*
 * worker N: reads 1 MiB of /dev/zero N times by a worker of io_uring: a thread of this process
 * that has its memory, and no user mode.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES (1 << 20)

static struct io_uring_params params;

static void *map(int fd, uint64_t at, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, at);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, zero = open("/dev/zero", O_RDONLY);
	int fd = syscall(__NR_io_uring_setup, 1, &params);
	char *sq, *buffer = malloc(BYTES);
	struct io_uring_sqe *sqe;

	if (fd < 0 || zero < 0 || !buffer)
		return 1;
	sq = map(fd, IORING_OFF_SQ_RING, params.sq_off.array + sizeof(uint32_t));
	sqe = map(fd, IORING_OFF_SQES, sizeof(*sqe));
	while (times--) {
		uint32_t *tail = (uint32_t *)(sq + params.sq_off.tail);

		*sqe = (struct io_uring_sqe){
			.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = zero,
			.addr = (uintptr_t)buffer, .len = BYTES,
		};
		((uint32_t *)(sq + params.sq_off.array))[0] = 0;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		if (syscall(__NR_io_uring_enter, fd, 1, 0, 0, NULL, 0) != 1)
			return 1;
		/* completions are dropped: the ring has room for few, and counts the rest */
	}
	/* the last of them */
	return syscall(__NR_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0;
}
