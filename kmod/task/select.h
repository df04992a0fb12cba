/* SPDX-License-Identifier: GPL-2.0 */
/* What user space decides about processes. */
#ifndef LBRSCOPE_TASK_SELECT_H
#define LBRSCOPE_TASK_SELECT_H

#include <linux/types.h>

struct ls_extack;
struct ls_session;
struct ls_unwind_ranges;

/*
 * Selects processes of a running session, or ends their selection: LBRSCOPE_CMD_TASK_STACK.
 * pids: nr of them, in the pid namespace of the current task.
 * Locks: the session's state, of the caller.
 * Returns: 0; -ESRCH if the session does not measure one of them, with the reason in
 * extack.  The others are selected nevertheless.
 */
int ls_task_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		   struct ls_extack *extack);

/*
 * Says what a process of a running session has mapped: LBRSCOPE_CMD_UNWIND_PROCESS.  Its threads
 * take references to the ranges.
 * Locks, returns: as above.
 */
int ls_task_map(struct ls_session *session, u32 pid, struct ls_unwind_ranges *ranges,
		struct ls_extack *extack);

#endif
