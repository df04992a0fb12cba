/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_SCHED_H
#define LBRSCOPE_COMPAT_SCHED_H

#include <trace/events/sched.h>

/* What the probes of these tracepoints are given at the end, and do not use. */
#ifdef COMPAT_HAS_SWITCH_PREV_STATE
#define COMPAT_SCHED_SWITCH_MORE	, unsigned int prev_state
#else
#define COMPAT_SCHED_SWITCH_MORE
#endif

#ifdef COMPAT_HAS_EXIT_GROUP_DEAD
#define COMPAT_SCHED_EXIT_MORE		, bool group_dead
#else
#define COMPAT_SCHED_EXIT_MORE
#endif

#endif
