/* SPDX-License-Identifier: GPL-2.0 */
/* Opens, starts and stops a session of the module. */
#ifndef LBRCTL_MODULE_SESSION_H
#define LBRCTL_MODULE_SESSION_H

#include <stdbool.h>

#include "base/cpulist.h"
#include "module/netlink.h"
#include "module/ring.h"

/* One session of the module, with the rings of all CPUs that can be. */
struct session {
	struct control *control;
	int fd;
	struct cpulist possible;
	struct ring_reader *rings;	/* of possible.cpus[], nr_rings of them */
	unsigned int nr_rings;
};

/* Whether we may use the device at all. 0, or -1 with a message. */
int session_check(void);

/* Configures a session (its fd is filled in here) and maps its rings. Returns
 * 0 or -1 with a message. */
int session_open(struct session *session, struct control *control,
		 struct control_session *settings);

/* Starts sampling. Returns 0, or -1 with a message that names who has the PMU
 * when it is taken. */
int session_start(struct session *session);

/* Stops writing to the rings of a flight recorder; they are written again.
 * Both return 0 or -1 with a message. */
int session_freeze(struct session *session);
int session_thaw(struct session *session);

/* What reads a record: 0, or a negative errno, -EPROTO when it is none. */
typedef int (*session_record_fn)(void *ctx, struct ring_reader *ring,
				 const struct lbrscope_record *record);

/* Reads what the rings hold by now, one CPU's after the other's, and lets the module have the
 * room. Returns 0 or -1 with a message. */
int session_drain(struct session *session, session_record_fn read, void *ctx);

/* Stops it, which is no error when it has stopped by itself; *stats is exact
 * then. Returns 0 or -1 with a message. */
int session_stop(struct session *session, struct control_stats *stats);

/* Has the module itself stopped it? 0, or -1 with a message that says why. */
int session_ended(const struct control_stats *stats);

/* The PMU and its registers are as they were when this returns. */
void session_close(struct session *session);

#endif
