/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of unwinding rules of a session, and the processes for which they hold. */
#ifndef LBRSCOPE_SESSION_UNWIND_H
#define LBRSCOPE_SESSION_UNWIND_H

#include <linux/types.h>

struct lbrscope_unwind_range;
struct ls_extack;
struct ls_session;

/* LBRSCOPE_CMD_UNWIND_TABLE: a part of a table. */
struct ls_session_part {
	u32 table, size, offset, len;
	const void *data;	/* len bytes, of the caller */
};

/*
 * Both: LBRSCOPE_CMD_UNWIND_TABLE and _PROCESS.
 * Locks: the caller holds session->lock.
 * Returns: 0, or a negative errno with the reason in extack.
 */
int ls_session_unwind_take(struct ls_session *session, const struct ls_session_part *part,
			   struct ls_extack *extack);
int ls_session_unwind_map(struct ls_session *session, u32 pid,
			  const struct lbrscope_unwind_range *list, u32 nr, u32 generation,
			  struct ls_extack *extack);

#endif
