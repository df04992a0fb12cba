// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of samples: CLOCK_MONOTONIC, read every few milliseconds and extrapolated
 * by the TSC in between.
 *
 * The extrapolation uses the kernel's TSC frequency.  CLOCK_MONOTONIC differs from it by
 * the correction of NTP: typically some 50 ppm, an error of 0.2 us at the end of the
 * window, and at most 500 ppm, 2 us.  Where the kernel does not trust the TSC (it halts
 * in idle or changes its rate), each sample reads the clock.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "counters/clock.h"

#define CLOCK_WINDOW_MS		4
/* TSC cycles before now: no window holds, also seen from an interrupt that began earlier. */
#define CLOCK_LONG_AGO		(1ULL << 62)

void ls_clock_begin(struct ls_clock *clock)
{
	*clock = (struct ls_clock){};
	if (!tsc_khz || check_tsc_unstable())
		return;
	clock->window = (u64)tsc_khz * CLOCK_WINDOW_MS;
	clock->mult = div_u64(1000000ULL << 32, tsc_khz);
	/* The window has ended: the first sample reads the clock. */
	clock->tsc = rdtsc() - CLOCK_LONG_AGO;
}

/*
 * If a hypervisor or the firmware had the CPU between the two readings, they do not belong
 * together: the window ends at once.
 */
u64 ls_clock_read(struct ls_clock *clock)
{
	clock->tsc = rdtsc();
	clock->ns = ktime_get_mono_fast_ns();
	if (rdtsc() - clock->tsc > clock->window >> 7)
		clock->tsc -= CLOCK_LONG_AGO;
	return clock->ns;
}
NOKPROBE_SYMBOL(ls_clock_read);
