/* SPDX-License-Identifier: GPL-2.0 */
/* Turns the NMI watchdog off for a session, and on again whatever happens. */
#ifndef LBRCTL_MODULE_WATCHDOG_H
#define LBRCTL_MODULE_WATCHDOG_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The kernel's NMI watchdog holds a counter of every CPU and so the PMU. While
 * a session runs it is off. A process of its own turns it off and, whatever
 * becomes of the recorder, on again, when the PMU is free. Who kills both leaves it
 * off, until the next guardian, or lbrctl doctor.
 */
struct guardian {
	pid_t pid;		/* 0: there was no watchdog to turn off */
	int sock;		/* to the guardian */
};

/* Turns the watchdog off if it is on, or takes over one that was left off. Call it before a file of the session is
 * open. Returns 0 or -1 with a message. */
int guardian_start(struct guardian *guardian);

/* Turns it on again. The session must be closed by now, or the watchdog could
 * not have its counters back; where another one has them already the guardian
 * is left to wait for that, with a warning. Returns 0 or -1 with a message. */
int guardian_finish(struct guardian *guardian);

/* Whether the watchdog is on now. */
bool guardian_watchdog_on(void);

/* Whether it is off because recorder and guardian were killed. */
bool guardian_left_off(void);

/* Turns it on when the PMU is free: patient waits for that without end, else some
 * seconds. Returns 0 or -1 with a message. */
int guardian_restore(bool patient);

#endif
