// SPDX-License-Identifier: GPL-2.0
/* Watches the kernel's messages for signs that a measurement has disturbed the machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "doctor/kernel_log.h"

/* The kernel never writes longer records to /dev/kmsg (CONSOLE_EXT_LOG_MAX). */
#define RECORD_MAX	8192

int kernel_log_open(struct kernel_log *log)
{
	log->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd < 0)
		return err_errno("opening /dev/kmsg, to watch the kernel's messages");
	if (lseek(log->fd, 0, SEEK_END) < 0) {
		err_errno("reading /dev/kmsg");
		kernel_log_close(log);
		return -1;
	}
	return 0;
}

void kernel_log_close(struct kernel_log *log)
{
	close(log->fd);
}

/* The texts are those of arch/x86/kernel/nmi.c, kernel/panic.c, arch/x86/mm/extable.c,
 * arch/x86/events/, kernel/watchdog.c and kernel/rcu/tree_stall.h. */
static bool kernel_log_alarms(const char *message)
{
	static const char *const alarms[] = {
		"NMI received for unknown reason", "NMI: IOCK", "NMI: PCI system error",
		"WARNING: ", "BUG: ", "Oops", "unchecked MSR access", "irq loop stuck",
		"perfevents: ", "soft lockup", "hard LOCKUP", "Watchdog detected",
		"rcu_preempt detected", "rcu_sched detected", "self-detected stall",
		"general protection fault", "Machine check",
	};
	size_t i;

	for (i = 0; i < sizeof(alarms) / sizeof(alarms[0]); i++)
		if (strstr(message, alarms[i]))
			return true;
	return false;
}

bool kernel_log_alarm(struct kernel_log *log, char *text, size_t size)
{
	char record[RECORD_MAX + 1];
	bool alarm = false;
	char *message;
	ssize_t n;

	for (;;) {
		n = read(log->fd, record, RECORD_MAX);
		/* EPIPE: older messages were overwritten; the next read() continues. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return alarm;
		record[n] = '\0';
		message = strchr(record, ';');
		if (alarm || !message || !kernel_log_alarms(message))
			continue;
		alarm = true;
		message[strcspn(message, "\n")] = '\0';
		snprintf(text, size, "%s", message + 1);
		text_clean(text);
	}
}
