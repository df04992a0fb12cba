/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a clock as one number. */
#ifndef LBRCTL_BASE_CLOCK_H
#define LBRCTL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of a clock, such as CLOCK_MONOTONIC, in ns. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

#endif
