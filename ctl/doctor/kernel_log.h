/* SPDX-License-Identifier: GPL-2.0 */
/* Watches the kernel's messages for signs that a measurement has disturbed the machine. */
#ifndef LBRCTL_DOCTOR_KERNEL_LOG_H
#define LBRCTL_DOCTOR_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

struct kernel_log {
	int fd;
};

/* Opens the log at its end: messages from now on are watched. Returns 0, or -1 with a message;
 * the kernel allows it to root and CAP_SYSLOG. */
int kernel_log_open(struct kernel_log *log);
void kernel_log_close(struct kernel_log *log);

/* Reads all new messages. Returns whether one is an alarm: an NMI that nobody claimed, a
 * warning, an error of the PMU's registers, a CPU that is stuck. text is the first of these
 * messages. */
bool kernel_log_alarm(struct kernel_log *log, char *text, size_t size);

#endif
