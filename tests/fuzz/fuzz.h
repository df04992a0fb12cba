/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the targets. Each target is one function for libFuzzer, in a file of its own. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory that holds the input, named in path. Returns its descriptor. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[32])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Messages go nowhere: there is one for nearly every input. */
static inline void fuzz_silence(void)
{
	static int done;

	if (!done++ && !freopen("/dev/null", "w", stdout))
		abort();
}

#endif
