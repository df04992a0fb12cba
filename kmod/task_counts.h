/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TASK_COUNTS_H
#define LBRSCOPE_TASK_COUNTS_H

#include <linux/types.h>

struct session;

/* In a task that ends, interrupts off, after its counters have been stopped. */
void ls_task_counts_end(struct session *session);

/* With the session's state held, while the hooks are there: who the tasks are now. */
void ls_task_counts_name(struct session *session);

/*
 * With the session's state held: those that have not ended, from *cursor on, as
 * many as fit the page of size bytes.  *cursor goes behind them, or to 0 if there are no
 * more.  Returns the bytes that are filled.
 */
u32 ls_task_counts_page(struct session *session, u64 *cursor, void *page, u32 size);

#endif
