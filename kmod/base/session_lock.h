/* SPDX-License-Identifier: GPL-2.0 */
/* The lock of the running session. */
#ifndef LBRSCOPE_SESSION_LOCK_H
#define LBRSCOPE_SESSION_LOCK_H

#include <linux/lockdep.h>
#include <linux/mutex.h>

/*
 * Protects the choice of the running session, from START to STOP, and with that the PMU.
 * It is taken after the lock of a struct ls_session, and before the CPU hotplug lock, which
 * cpu.c and the registration of a tracepoint take.  No holder waits for user space or
 * allocates rings, since all sessions would wait as well.
 */
extern struct mutex ls_session_lock;

#endif
