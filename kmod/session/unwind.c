// SPDX-License-Identifier: GPL-2.0
/* What user space says about the code of processes, so that their stacks can be unwound. */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sizes.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "session/charge.h"
#include "session/session.h"
#include "session/unwind.h"
#include "task/select.h"
#include "unwind/unwind.h"

/* The bytes of all tables of a session. */
#define SESSION_UNWIND_MAX	SZ_1G
#define SESSION_UNWIND_USER_MAX	SZ_64M	/* without privilege */

static int ls_session_unwind_check(const struct ls_session *session, struct ls_extack *extack)
{
	lockdep_assert_held(&session->lock);
	if (session->config.offcpu.callers || session->config.sample.chains)
		return 0;
	ls_extack_set(extack, "the session was configured neither with LBRSCOPE_OFFCPU_A_CALLERS nor with LBRSCOPE_FORMAT_USER_CHAIN");
	return -ENODATA;
}

/* The charge follows the tables: it is raised before, and corrected when the part was taken. */
int ls_session_unwind_take(struct ls_session *session, const struct ls_session_part *part,
			   struct ls_extack *extack)
{
	struct ls_unwind_tables *tables = &session->tasks.unwinding;
	const u64 most = session->cred ? SESSION_UNWIND_USER_MAX : SESSION_UNWIND_MAX;
	int err = ls_session_unwind_check(session, extack);

	if (err)
		return err;
	if (!part->offset && !ls_charge_tables(&session->charge, tables->bytes + part->size)) {
		ls_extack_set(extack, "the sessions of all users without privilege, with their tables, would take more than 1/16 of the machine's memory");
		return -ENOSPC;
	}
	err = ls_unwind_table_take(tables, part->table, part->size, part->offset, part->data,
				   part->len, most > tables->bytes ? most - tables->bytes : 0,
				   extack);
	ls_charge_tables(&session->charge, tables->bytes);
	return err;
}

static int ls_session_unwind_map_locked(struct ls_session *session, u32 pid,
					struct ls_unwind_ranges *ranges, struct ls_extack *extack)
{
	int err = -EINTR;

	if (mutex_lock_killable(&ls_session_lock))
		return err;
	if (session->state == SESSION_RUNNING) {
		err = ls_task_map(session, pid, ranges, extack);
	} else {
		ls_extack_set(extack, "the session does not run");
		err = -EINVAL;
	}
	mutex_unlock(&ls_session_lock);
	return err;
}

int ls_session_unwind_map(struct ls_session *session, u32 pid,
			  const struct lbrscope_unwind_range *list, u32 nr, u32 generation,
			  struct ls_extack *extack)
{
	struct ls_unwind_ranges *ranges;
	int err = ls_session_unwind_check(session, extack);

	if (err)
		return err;
	ranges = ls_unwind_ranges_new(&session->tasks.unwinding, list, nr, generation, extack);
	if (IS_ERR(ranges))
		return PTR_ERR(ranges);
	err = ls_session_unwind_map_locked(session, pid, ranges, extack);
	ls_unwind_ranges_put(ranges);
	return err;
}
