// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of samples: CLOCK_MONOTONIC, read each few milliseconds, and continued by
 * the TSC in between.
 *
 * Its rate is the one that the kernel has found for the TSC.  That of CLOCK_MONOTONIC
 * differs from it by what NTP corrects: some ten millionths, which is 0.2 us at the
 * end of the window, and 500 at most, which is 2.  Where the kernel does not trust the
 * TSC (it halts in idle, changes its rate), the clock is read each time.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "clock.h"

#define CLOCK_WINDOW_MS		4

void ls_clock_begin(struct clock *clock)
{
	*clock = (struct clock){};
	if (!tsc_khz || check_tsc_unstable())
		return;
	clock->window = (u64)tsc_khz * CLOCK_WINDOW_MS;
	clock->mult = div_u64(1000000ULL << 32, tsc_khz);
	/* As far away as it can be. */
	clock->tsc = rdtsc() - clock->window - 1;
}

/* If a hypervisor or the firmware had the CPU in between, the two do not match. */
u64 ls_clock_read(struct clock *clock)
{
	clock->tsc = rdtsc();
	clock->ns = ktime_get_mono_fast_ns();
	if (rdtsc() - clock->tsc > clock->window >> 7)
		clock->tsc -= clock->window + 1;
	return clock->ns;
}
NOKPROBE_SYMBOL(ls_clock_read);
