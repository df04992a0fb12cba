/* SPDX-License-Identifier: GPL-2.0 */
/* The set-up of an hrtimer. */
#ifndef LBRSCOPE_COMPAT_HRTIMER_H
#define LBRSCOPE_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

/* 6.13 joined hrtimer_init() and the store of the callback in hrtimer_setup(). */
#ifdef COMPAT_HAS_HRTIMER_SETUP
#define compat_hrtimer_setup	hrtimer_setup
#else
static inline void
compat_hrtimer_setup(struct hrtimer *timer,
		     enum hrtimer_restart (*callback)(struct hrtimer *timer),
		     clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = callback;
}
#endif

#endif
