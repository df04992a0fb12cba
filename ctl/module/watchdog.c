// SPDX-License-Identifier: GPL-2.0
/* Switches the NMI watchdog off for a session, and always on again. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "module/watchdog.h"

#define GUARDIAN_WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define GUARDIAN_NAME		"nmi-guardian"
/* Exists while the watchdog is off because of lbrctl, locked by the guardian. If it is not
 * locked, its guardian was killed. It disappears at reboot. */
#define GUARDIAN_MARK		"/run/lbrscope-watchdog"
#define GUARDIAN_TRIES		500	/* of GUARDIAN_PAUSE_NS: five seconds */
#define GUARDIAN_PAUSE_NS	10000000
#define GUARDIAN_FINISH_MS	6000

/* The two files that the guardian needs. */
enum { GUARDIAN_SOCK_FD = 3, GUARDIAN_RECORDER_FD = 4 };

bool guardian_watchdog_on(void)
{
	int fd = open(GUARDIAN_WATCHDOG, O_RDONLY | O_CLOEXEC);
	char value = '0';

	if (fd < 0)
		return false;
	if (read(fd, &value, 1) != 1)
		value = '0';
	close(fd);
	return value == '1';
}

/* Returns 0 or an errno. */
static int guardian_write(const char *value)
{
	int fd = open(GUARDIAN_WATCHDOG, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, 1) != 1)
		err = errno;
	close(fd);
	return err;
}

/* Creates the mark; its lock ends with this process. If the mark cannot be created, the
 * watchdog is switched off nevertheless. */
static void guardian_mark(void)
{
	int fd = open(GUARDIAN_MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		      0600);

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
}

bool guardian_left_off(void)
{
	int fd = open(GUARDIAN_MARK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool left;

	if (fd < 0)
		return false;
	left = !flock(fd, LOCK_SH | LOCK_NB) && !guardian_watchdog_on();
	close(fd);
	return left;
}

/* Whether perf, and so the watchdog, could get a counter now. If the watchdog is switched on
 * while the PMU is in use, it reads as 1 but watches nothing; the kernel reports this in a
 * debug message only (kernel/watchdog_hld.c). */
static bool guardian_pmu_is_free(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_HW_CPU_CYCLES, .disabled = 1,
		.pinned = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno != EBUSY;
	close(fd);
	return true;
}

/* Waits until the PMU is free: `tries` times GUARDIAN_PAUSE_NS, then without end if patient. */
static bool guardian_wait_for_pmu(bool patient)
{
	struct timespec pause = { .tv_nsec = GUARDIAN_PAUSE_NS };
	unsigned int tries = 0;

	while (!guardian_pmu_is_free()) {
		if (tries++ == GUARDIAN_TRIES) {
			if (!patient)
				return false;
			pause = (struct timespec){ .tv_sec = 1 };
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

int guardian_restore(bool patient)
{
	int err;

	do {
		if (!guardian_wait_for_pmu(patient))
			return err_fail("the NMI watchdog is off and cannot be switched on "
					"while the PMU is in use: later, write 1 to %s",
					GUARDIAN_WATCHDOG);
		err = guardian_write("1");
		/* Another session may have started before the watchdog. */
	} while (!err && !guardian_pmu_is_free() && !guardian_write("0"));
	if (!err && guardian_watchdog_on()) {
		unlink(GUARDIAN_MARK);
		return 0;
	}
	errno = err ? err : EIO;
	return err_errno("switching the NMI watchdog on again");
}

/* Waits until the recorder says that it has finished, or has ended: its pidfd reports that when
 * all its files are closed; the socket closes earlier. */
static void guardian_wait(void)
{
	struct pollfd fds[2] = {
		{ .fd = GUARDIAN_RECORDER_FD, .events = POLLIN },
		{ .fd = GUARDIAN_SOCK_FD, .events = POLLIN },
	};
	char byte;

	while (!fds[0].revents) {
		if (poll(fds, 2, -1) < 0 || !fds[1].revents)
			continue;
		if (read(GUARDIAN_SOCK_FD, &byte, 1) == 1)
			return;
		fds[1].fd = -1;
	}
}

static void guardian_main(int sock, int recorder)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE, SIGTSTP };
	uint32_t err;
	size_t i;

	setsid();
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	/* Hide from kill by name: changes the name of the process and, in place, its first
	 * argument. */
	prctl(PR_SET_NAME, GUARDIAN_NAME);
	memset(program_invocation_name, ' ', strlen(program_invocation_name));
	memcpy(program_invocation_name, GUARDIAN_NAME,
	       strnlen(program_invocation_name, strlen(GUARDIAN_NAME)));

	/* None of the recorder's open files may stay open in this process. */
	sock = fcntl(sock, F_DUPFD, GUARDIAN_RECORDER_FD + 1);
	recorder = fcntl(recorder, F_DUPFD, GUARDIAN_RECORDER_FD + 1);
	if (dup2(sock, GUARDIAN_SOCK_FD) < 0 ||
	    dup2(recorder, GUARDIAN_RECORDER_FD) < 0)
		_exit(1);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	syscall(SYS_close_range, GUARDIAN_RECORDER_FD + 1, ~0U, 0);

	guardian_mark();
	err = guardian_write("0");
	if (write(GUARDIAN_SOCK_FD, &err, sizeof(err)) != sizeof(err) && err)
		_exit(1);
	if (err) {
		/* A killed guardian may have left the watchdog off; then it has to be switched
		 * on at the end. */
		if (guardian_watchdog_on())
			unlink(GUARDIAN_MARK);
		_exit(0);
	}
	guardian_wait();
	_exit(guardian_restore(true) ? 1 : 0);
}

static int guardian_handshake(struct guardian *guardian)
{
	uint32_t err;

	/* Without an answer, do not wait for the guardian, which waits for the end of this
	 * process. */
	if (read(guardian->sock, &err, sizeof(err)) != sizeof(err))
		err = EIO;
	else if (!err)
		return 0;
	else
		waitpid(guardian->pid, NULL, 0);
	guardian->pid = 0;
	close(guardian->sock);
	if (err == EACCES)
		return err_fail("the NMI watchdog uses the PMU, and only root can switch it "
				"off: sysctl kernel.nmi_watchdog=0");
	errno = err;
	return err_errno("switching off the NMI watchdog, which uses the PMU");
}

int guardian_start(struct guardian *guardian)
{
	int socks[2], recorder;

	memset(guardian, 0, sizeof(*guardian));
	if (!guardian_watchdog_on() && !guardian_left_off())
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks))
		return err_errno("starting the process that restores the NMI watchdog");
	recorder = syscall(SYS_pidfd_open, getpid(), 0);
	guardian->pid = recorder < 0 ? -1 : fork();
	if (!guardian->pid)
		guardian_main(socks[1], recorder);
	close(socks[1]);
	if (recorder >= 0)
		close(recorder);
	guardian->sock = socks[0];
	if (guardian->pid > 0)
		return guardian_handshake(guardian);

	err_errno("starting the process that restores the NMI watchdog");
	guardian->pid = 0;
	close(socks[0]);
	return -1;
}

int guardian_finish(struct guardian *guardian)
{
	struct pollfd end = { .fd = guardian->sock, .events = POLLIN };
	int status, ended;

	if (!guardian->pid)
		return 0;
	/* If the write fails the guardian has ended, which its status shows. */
	if (write(guardian->sock, "", 1) != 1)
		err_warn("the process that restores the NMI watchdog was killed");
	/* The other end of the socket closes when the guardian has finished. */
	ended = poll(&end, 1, GUARDIAN_FINISH_MS);
	close(guardian->sock);
	if (!ended) {
		err_warn("the PMU is still in use: process %d will switch the NMI watchdog on "
			 "when it is free", guardian->pid);
		return 0;
	}
	while (waitpid(guardian->pid, &status, 0) < 0)
		if (errno != EINTR)
			return guardian_restore(false);
	if (WIFEXITED(status))
		return WEXITSTATUS(status) ? -1 : 0;
	return guardian_restore(false);
}
