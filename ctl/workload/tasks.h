/* SPDX-License-Identifier: GPL-2.0 */
/* The running processes and threads that are measured. */
#ifndef LBRCTL_WORKLOAD_TASKS_H
#define LBRCTL_WORKLOAD_TASKS_H

#include "module/netlink.h"

/* Appends "12,345". Returns 0, or -1 when it is no such list, or too long. */
int tasks_parse(struct tasks_list *list, const char *text);

/* Tasks that are there already, to be told of their end. */
struct tasks {
	int fd;			/* polls readable when it may have come; -1: of
				 * nobody */
	int timer;		/* nobody tells of the end of a thread: it is
				 * looked after from time to time */
	unsigned int nr;
	struct {
		uint32_t pid;	/* its process */
		uint32_t tid;	/* 0: the process as a whole */
		int pidfd;	/* of the process; -1: has ended */
	} list[LBRSCOPE_TARGETS_MAX];
};

/* Opens these, at most LBRSCOPE_TARGETS_MAX together. Returns 0 or -1 with a
 * message; tasks_close() is for both. */
int tasks_open(struct tasks *tasks, const struct tasks_list *pids,
	       const struct tasks_list *tids);
void tasks_close(struct tasks *tasks);

/* Their processes, each once, LBRSCOPE_TARGETS_MAX at most. Returns how many. */
unsigned int tasks_processes(const struct tasks *tasks, uint32_t *pids);

/* Whether all of them have ended; false if there are none. */
bool tasks_ended(struct tasks *tasks);

#endif
