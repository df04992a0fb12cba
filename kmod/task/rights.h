/* SPDX-License-Identifier: GPL-2.0 */
/* Which tasks an unprivileged user may measure. */
#ifndef LBRSCOPE_RIGHTS_H
#define LBRSCOPE_RIGHTS_H

#include <linux/types.h>

struct cred;
struct task_struct;

/*
 * Returns: whether an owner of cred may read the task.
 * Locks: the task is the current one, or on no CPU, or its alloc_lock is held.
 */
bool ls_rights_over(const struct cred *cred, const struct task_struct *task);

/*
 * The same for any task; a cred of NULL has all rights.
 * Context: process.
 * Locks: takes the task's alloc_lock.
 */
bool ls_rights_reach(const struct cred *cred, struct task_struct *task);

#endif
