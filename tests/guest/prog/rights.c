// SPDX-License-Identifier: GPL-2.0
/*
 * The rights of a user who can open the device and has no privilege, by a client that shares
 * no code with lbrctl. Result lines.
 *
 *   rights UID OTHERS   started by root; becomes UID. OTHERS: a process of another user
 *   rights UID          the same, while root's lbrctl has a running session
 */
#include <grp.h>
#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

static int failed;

static void verdict(const char *what, bool good)
{
	printf("%sok - a user: %s # %s\n", good ? "" : "not ", what, reply_text);
	if (!good)
		printf("# got: %s\n", strerror(reply_errno));
	failed |= !good;
}

/* The last request was refused for lack of privilege. */
static void denied(const char *what)
{
	verdict(what, reply_errno == EPERM && strstr(reply_text, "CAP_PERFMON"));
}

static void allowed(const char *what)
{
	verdict(what, !reply_errno);
}

static void set_clock(int fd, uint64_t period)
{
	struct event_nests nests;

	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	nests = event_open(1 << 16);
	put32(LBRSCOPE_EVENT_A_SOURCE, LBRSCOPE_SOURCE_CLOCK);
	put64(LBRSCOPE_EVENT_A_PERIOD, period);
	event_close(nests);
	put32(LBRSCOPE_SESSION_A_TARGET_PIDS, getpid());
	talk();
}

static void begin_set(int fd, uint64_t config, pid_t target)
{
	begin(family, LBRSCOPE_CMD_SESSION_SET);
	put32(LBRSCOPE_SESSION_A_FD, fd);
	put_event(config, 100003);
	if (target)
		put32(LBRSCOPE_SESSION_A_TARGET_PIDS, target);
}

static int set(int fd, pid_t target)
{
	begin_set(fd, INSTRUCTIONS_U, target);
	return talk();
}

/* Requests that are refused; the session stays unconfigured. */
static void refusals(int fd, pid_t others)
{
	struct nlattr *nest, *inner;

	set(fd, 0);
	denied("all tasks");
	set(fd, others);
	denied("another user's process");
	set(fd, 1);
	denied("a process of root's");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	put32(LBRSCOPE_SESSION_A_TARGET_TIDS, others);
	talk();
	denied("another user's thread, beside a process of his own");
	begin_set(fd, INSTRUCTIONS_U, 0);
	put32(LBRSCOPE_SESSION_A_TARGET_CGROUP, 0);
	talk();
	denied("a cgroup");
	begin_set(fd, INSTRUCTIONS_U | 1 << 17, getpid());
	talk();
	denied("an event of the kernel");
	begin_set(fd, INSTRUCTIONS_U | 1 << 21, getpid());
	talk();
	denied("an event of all threads of a core");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	put32(LBRSCOPE_SESSION_A_BRANCHES, LBRSCOPE_BRANCHES_HISTORY);
	put32(LBRSCOPE_SESSION_A_BRANCH_FILTER, LBRSCOPE_FILTER_ALL);
	talk();
	denied("branches of the kernel");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	put32(LBRSCOPE_SESSION_A_SAMPLE, LBRSCOPE_FORMAT_KERNEL_CHAIN);
	talk();
	denied("call chains of the kernel");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	nest = nest_open(LBRSCOPE_SESSION_A_OFFCPU);
	put(LBRSCOPE_OFFCPU_A_WAKER, NULL, 0);
	nest_close(nest);
	talk();
	denied("who woke a task");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	nest = nest_open(LBRSCOPE_SESSION_A_TRIGGERS);
	inner = nest_open(1);
	put32(LBRSCOPE_TRIGGER_A_KIND, LBRSCOPE_TRIGGER_EXEC);
	nest_close(inner);
	nest_close(nest);
	talk();
	denied("a trigger");
	begin_set(fd, INSTRUCTIONS_U, getpid());
	put32(LBRSCOPE_SESSION_A_RING_SIZE, 2 * LBRSCOPE_RING_SIZE_DEFAULT);
	talk();
	denied("a larger ring");
	set_clock(fd, LBRSCOPE_CLOCK_PERIOD_USER_MIN - 1);
	denied("a clock with a short period");
	begin(family, LBRSCOPE_CMD_REGS_GET);
	put32(LBRSCOPE_REGS_A_CPU, 0);
	talk();
	denied("registers");
}

/* A child that is dumpable, and one that is not. */
static void dumpable(int fd)
{
	int order[2], done[2];
	pid_t child;
	char byte;

	if (pipe(order) || pipe(done))
		exit(1);
	child = fork();
	if (!child) {
		while (read(order[0], &byte, 1) == 1) {
			prctl(PR_SET_DUMPABLE, byte);
			if (write(done[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	set(fd, child);
	allowed("a child of his own");
	if (write(order[1], "\0", 1) != 1 || read(done[0], &byte, 1) != 1)
		exit(1);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	denied("the child, which must not be looked into by now");
	if (write(order[1], "\1", 1) != 1 || read(done[0], &byte, 1) != 1)
		exit(1);
	command(LBRSCOPE_CMD_SESSION_START, fd);
	allowed("the child again, which may be looked into");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A session that root has opened and configured, and a socket of root. */
static void inherited(int roots)
{
	int mine, theirs = sock;

	command(LBRSCOPE_CMD_SESSION_START, roots);
	denied("start of root's session, through root's socket");
	if (connect_family())
		exit(1);
	mine = sock;
	command(LBRSCOPE_CMD_SESSION_START, roots);
	denied("start of root's session, through a socket of his own");
	command(LBRSCOPE_CMD_SESSION_GET, roots);
	denied("what root's session counts");
	sock = theirs;
	begin(family, LBRSCOPE_CMD_REGS_GET);
	put32(LBRSCOPE_REGS_A_CPU, 0);
	talk();
	denied("registers, through root's socket");
	sock = mine;
}

/* -1: INFO_GET reports no session. */
static int64_t owner_pid(void)
{
	const uint32_t *pid = find(LBRSCOPE_INFO_A_OWNER_PID);

	return pid ? (int64_t)*pid : -1;
}

/* Another user's session has the PMU: its owner is hidden. */
static int held(uid_t uid)
{
	int fd;

	begin(family, LBRSCOPE_CMD_INFO_GET);
	talk();
	verdict("before the user is unprivileged: the owner of the session", owner_pid() > 0 &&
		!strcmp(find(LBRSCOPE_INFO_A_OWNER_COMM) ?: "", "lbrctl"));
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		return 1;
	prctl(PR_SET_DUMPABLE, 1);
	if (connect_family())
		return 1;
	begin(family, LBRSCOPE_CMD_INFO_GET);
	talk();
	verdict("a session exists, its owner's pid is hidden", !owner_pid());
	verdict("the owner's command is hidden", !find(LBRSCOPE_INFO_A_OWNER_COMM));
	fd = device();
	if (fd < 0 || set(fd, getpid()))
		return 1;
	command(LBRSCOPE_CMD_SESSION_START, fd);
	verdict("START reports a session, and hides its owner", reply_errno == EBUSY &&
		reply_text[0] && !strstr(reply_text, "lbrctl"));
	return failed;
}

int main(int argc, char **argv)
{
	uid_t uid = argc > 1 ? atoi(argv[1]) : 0;
	int roots, fd, second;

	if (!uid || connect_family())
		return 1;
	if (argc == 2)
		return held(uid);
	roots = device();
	if (roots < 0 || set(roots, 0))
		return 1;
	if (setgroups(0, NULL) || setgid(uid) || setuid(uid))
		return 1;
	/* A process that was root is not readable until it executes another program. */
	prctl(PR_SET_DUMPABLE, 1);
	inherited(roots);

	fd = device();
	second = device();
	if (fd < 0 || second < 0)
		return 1;
	begin(family, LBRSCOPE_CMD_INFO_GET);
	talk();
	verdict("INFO_GET: the sender is not privileged", !reply_errno && !find(LBRSCOPE_INFO_A_PRIVILEGED));
	refusals(fd, atoi(argv[2]));
	dumpable(fd);
	command(LBRSCOPE_CMD_SESSION_STOP, fd);
	allowed("stop of his session");
	command(LBRSCOPE_CMD_SESSION_GET, fd);
	allowed("what his session counts");
	set(second, getpid());
	verdict("one session at a time", reply_errno == EBUSY && reply_text[0]);
	close(fd);
	set(second, getpid());
	allowed("himself");
	return failed;
}
