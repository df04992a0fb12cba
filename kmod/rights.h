/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_RIGHTS_H
#define LBRSCOPE_RIGHTS_H

#include <linux/types.h>

struct cred;
struct task_struct;

/*
 * May whose rights these are look into the task?  The task is the current one, or no
 * CPU runs it, or its alloc_lock is held.
 */
bool ls_rights_over(const struct cred *cred, const struct task_struct *task);

/* The same of any task, in process context; cred is NULL who has all rights. */
bool ls_rights_reach(const struct cred *cred, struct task_struct *task);

#endif
