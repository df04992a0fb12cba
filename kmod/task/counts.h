/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of single tasks. */
#ifndef LBRSCOPE_TASK_COUNTS_H
#define LBRSCOPE_TASK_COUNTS_H

#include <linux/types.h>

struct ls_session;

/*
 * Writes the record of a task that ends, after its counters have been stopped.
 * Context: the task, interrupts off.
 */
void ls_task_counts_end(struct ls_session *session);

/*
 * Fills in the names of all tasks.
 * Locks: ls_session_lock; the hooks are registered.
 */
void ls_task_counts_name(struct ls_session *session);

/*
 * Fills a page of size bytes with the counts of tasks that have not ended, from *cursor
 * on.  *cursor moves behind these tasks; it is 0 after the last one.
 * Locks: ls_session_lock.
 * Returns: the bytes that are filled.
 */
u32 ls_task_counts_page(struct ls_session *session, u64 *cursor, void *page, u32 size);

#endif
