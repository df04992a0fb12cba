/* SPDX-License-Identifier: GPL-2.0 */
/* The owner of the PMU. */
#ifndef LBRSCOPE_SESSION_OWNER_H
#define LBRSCOPE_SESSION_OWNER_H

#include <linux/sched.h>
#include <linux/types.h>

struct pid;

/* The owner of the running session. */
struct ls_session_owner {
	u32 pid;	/* in the current task's namespace; 0: none there, or hidden */
	char comm[TASK_COMM_LEN];	/* "": hidden */
	bool yields;	/* a privileged START takes the PMU away */
};

/*
 * Notes the process whose session runs from now on, and whether it yields.  NULL: none runs.
 * Context: the process itself, if any.
 */
void ls_session_owner_set(struct pid *pid, bool yields);

/*
 * Finds the owner of the running session.  A task without privilege sees pid and comm only
 * if ls_rights_over() allows it.  Waits for no command.
 * Returns: false if no session runs.
 */
bool ls_session_owner(bool privileged, struct ls_session_owner *owner);

#endif
