/* SPDX-License-Identifier: GPL-2.0 */
/* The running processes and threads that are measured. */
#ifndef LBRCTL_WORKLOAD_TASKS_H
#define LBRCTL_WORKLOAD_TASKS_H

#include "module/netlink.h"

/* Appends the ids of a list such as "12,345". Returns 0, or -1 if text is not such a list, or
 * too long. */
int tasks_parse(struct tasks_list *list, const char *text);

/* Existing tasks that are watched for their end. */
struct tasks {
	int fd;			/* polls readable when a task may have ended; -1: no tasks */
	int timer;		/* the kernel does not report the end of a thread: the timer
				 * polls for it
				 */
	unsigned int nr;
	struct {
		uint32_t pid;	/* its process */
		uint32_t tid;	/* 0: the whole process */
		int pidfd;	/* pidfd of the process; -1: it has ended */
	} list[LBRSCOPE_TARGETS_MAX];
};

/* Opens these tasks, at most LBRSCOPE_TARGETS_MAX together; may_end: without processes that have ended.
 * Returns 0, or -1 with a message; call tasks_close() in both cases. */
int tasks_open(struct tasks *tasks, const struct tasks_list *pids,
	       const struct tasks_list *tids, bool may_end);
void tasks_close(struct tasks *tasks);

/* Lists the processes of the tasks, each once, at most LBRSCOPE_TARGETS_MAX. Returns their
 * number. */
unsigned int tasks_processes(const struct tasks *tasks, uint32_t *pids);

/* Whether all tasks have ended; false for an empty list. */
bool tasks_ended(struct tasks *tasks);

#endif
