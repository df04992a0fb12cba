// SPDX-License-Identifier: GPL-2.0
/* The running processes and threads that are measured. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/err.h"
#include "workload/tasks.h"

#define TASKS_LOOK_NS	100000000
#define TASKS_TIMER	UINT32_MAX	/* among the indices of the list */

int tasks_parse(struct tasks_list *list, const char *text)
{
	unsigned long id;
	char *end;

	for (;; text = end + 1) {
		errno = 0;
		id = strtoul(text, &end, 10);
		if (errno || !isdigit((unsigned char)*text) || !id ||
		    id > INT32_MAX || (*end && *end != ',') ||
		    list->nr == LBRSCOPE_TARGETS_MAX)
			return -1;
		list->ids[list->nr++] = id;
		if (!*end)
			return 0;
	}
}

/* Returns the process of a thread; 0: no such thread. */
static uint32_t tasks_process(uint32_t tid)
{
	unsigned int pid = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &pid) == 1)
			break;
	if (file)
		fclose(file);
	return pid;
}

static int tasks_no_process(uint32_t pid)
{
	if (errno == ESRCH)
		return err_fail("no process %u", pid);
	/* errors for a thread, before and since Linux 6.16 */
	if (errno == EINVAL || errno == ENOENT)
		return err_fail("%u is a thread, not a process: use -t, or -p with its process "
				"(Tgid in /proc/%u/status)", pid, pid);
	return err_errno("opening process %u", pid);
}

static int tasks_watch(struct tasks *t, int fd, uint32_t index)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = index };

	return epoll_ctl(t->fd, EPOLL_CTL_ADD, fd, &event);
}

static int tasks_add(struct tasks *t, uint32_t pid, uint32_t tid, bool may_end)
{
	unsigned int i = t->nr;
	int pidfd = syscall(SYS_pidfd_open, pid, 0);

	if (pidfd < 0 && errno == EMFILE && descriptors_raise())
		pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return may_end && errno == ESRCH ? 0 : tasks_no_process(pid);
	t->list[i].pid = pid;
	t->list[i].tid = tid;
	t->list[i].pidfd = pidfd;
	t->nr++;
	return tasks_watch(t, pidfd, i) ?
	       err_errno("watching process %u", pid) : 0;
}

static int tasks_add_threads(struct tasks *t, const struct tasks_list *tids)
{
	const struct itimerspec often = {
		.it_interval.tv_nsec = TASKS_LOOK_NS,
		.it_value.tv_nsec = TASKS_LOOK_NS,
	};
	uint32_t pid;
	unsigned int i;

	for (i = 0; i < tids->nr; i++) {
		pid = tasks_process(tids->ids[i]);
		if (!pid)
			return err_fail("no thread %u", tids->ids[i]);
		if (tasks_add(t, pid, tids->ids[i], false))
			return -1;
	}
	if (!tids->nr)
		return 0;
	t->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->timer < 0 || timerfd_settime(t->timer, 0, &often, NULL) ||
	    tasks_watch(t, t->timer, TASKS_TIMER))
		return err_errno("watching threads");
	return 0;
}

int tasks_open(struct tasks *t, const struct tasks_list *pids,
	       const struct tasks_list *tids, bool may_end)
{
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->fd = t->timer = -1;
	if (!pids->nr && !tids->nr)
		return 0;
	t->fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->fd < 0)
		return err_errno("watching processes");
	for (i = 0; i < pids->nr; i++)
		if (tasks_add(t, pids->ids[i], 0, may_end))
			return -1;
	return tasks_add_threads(t, tids);
}

unsigned int tasks_processes(const struct tasks *t, uint32_t *pids)
{
	unsigned int nr = 0, i, seen;

	for (i = 0; i < t->nr; i++) {
		for (seen = 0; seen < nr; seen++)
			if (pids[seen] == t->list[i].pid)
				break;
		if (seen == nr)
			pids[nr++] = t->list[i].pid;
	}
	return nr;
}

static void tasks_end(struct tasks *t, unsigned int i)
{
	if (t->list[i].pidfd >= 0)
		close(t->list[i].pidfd);
	t->list[i].pidfd = -1;
}

void tasks_close(struct tasks *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		tasks_end(t, i);
	if (t->timer >= 0)
		close(t->timer);
	if (t->fd >= 0)
		close(t->fd);
}

/* A thread disappears when it ends, except the first thread of a process, which stays until the
 * last one has ended. */
static bool tasks_thread_gone(const struct tasks *t, unsigned int i)
{
	return t->list[i].tid &&
	       syscall(SYS_tgkill, t->list[i].pid, t->list[i].tid, 0) &&
	       errno == ESRCH;
}

bool tasks_ended(struct tasks *t)
{
	struct epoll_event event;
	uint64_t ticks;
	bool left = false;
	unsigned int i;

	while (t->fd >= 0 && epoll_wait(t->fd, &event, 1, 0) > 0) {
		if (event.data.u32 != TASKS_TIMER)
			tasks_end(t, event.data.u32);
		else if (read(t->timer, &ticks, sizeof(ticks)) < 0)
			break;
	}
	for (i = 0; i < t->nr; i++) {
		if (tasks_thread_gone(t, i))
			tasks_end(t, i);
		left |= t->list[i].pidfd >= 0;
	}
	return t->nr && !left;
}
