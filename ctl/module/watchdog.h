/* SPDX-License-Identifier: GPL-2.0 */
/* Switches the NMI watchdog off for a session, and always on again. */
#ifndef LBRCTL_MODULE_WATCHDOG_H
#define LBRCTL_MODULE_WATCHDOG_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The kernel's NMI watchdog uses a counter of every CPU, and so the PMU. It is off while a
 * session runs. A separate process, the guardian, switches it off, and switches it on again
 * when the PMU is free, even if the recorder was killed. If both are killed, the watchdog stays
 * off until the next guardian or lbrctl doctor.
 */
struct guardian {
	pid_t pid;		/* 0: there was no watchdog to switch off */
	int sock;		/* to the guardian */
};

/* Switches the watchdog off if it is on, or takes over one that was left off. Call it before a
 * file of the session is open. Returns 0, or -1 with a message. */
int guardian_start(struct guardian *guardian);

/* Switches it on again. The session must be closed by now, or the watchdog could not get its
 * counters. If another program uses the counters, the guardian stays and waits, with a warning.
 * Returns 0, or -1 with a message. */
int guardian_finish(struct guardian *guardian);

/* Whether the watchdog is on now. */
bool guardian_watchdog_on(void);

/* Whether it is off because recorder and guardian were killed. */
bool guardian_left_off(void);

/* Switches it on when the PMU is free; patient: waits without end, else for some seconds.
 * Returns 0, or -1 with a message. */
int guardian_restore(bool patient);

#endif
