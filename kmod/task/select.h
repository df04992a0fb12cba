/* SPDX-License-Identifier: GPL-2.0 */
/* Selects the processes whose samples have their stack. */
#ifndef LBRSCOPE_TASK_SELECT_H
#define LBRSCOPE_TASK_SELECT_H

#include <linux/types.h>

struct ls_extack;
struct ls_session;

/*
 * Selects processes of a running session, or ends their selection: LBRSCOPE_CMD_TASK_STACK.
 * pids: nr of them, in the pid namespace of the current task.
 * Locks: the session's state, of the caller.
 * Returns: 0; -ESRCH if the session does not measure one of them, with the reason in
 * extack.  The others are selected nevertheless.
 */
int ls_task_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		   struct ls_extack *extack);

#endif
