/* SPDX-License-Identifier: GPL-2.0 */
/* Opens, starts and stops a session of the module. */
#ifndef LBRCTL_MODULE_SESSION_H
#define LBRCTL_MODULE_SESSION_H

#include <stdbool.h>

#include "base/cpulist.h"
#include "module/netlink.h"
#include "module/ring.h"

/* One session of the module, with the rings of all possible CPUs. */
struct session {
	struct control *control;
	int fd;
	struct cpulist possible;
	struct ring_reader *rings;	/* nr_rings of them, for possible.cpus[] */
	unsigned int nr_rings;
};

/* Checks that the user may use the device. Returns 0, or -1 with a message. */
int session_check(void);

/* Configures a session, sets its fd and maps its rings. Returns 0, or -1 with a message. */
int session_open(struct session *session, struct control *control,
		 struct control_session *settings);

/* Starts the session of an open device. Waits for uprobes, and for the moment from which on the
 * user may start another one, for 5 s at most. Returns 0 or a negative errno, whose text
 * control_reason() has. After -EINPROGRESS the session runs until the device is closed. */
int session_begin(struct control *control, int fd);

/* Starts sampling. Returns 0, or -1 with a message, which names the likely owner if the PMU is
 * in use. */
int session_start(struct session *session);

/* Freeze stops writing to the rings of a flight recorder, thaw continues it. Both return 0, or
 * -1 with a message. */
int session_freeze(struct session *session);
int session_thaw(struct session *session);

/* Handles a record. Returns 0 or a negative errno; -EPROTO for an invalid record. */
typedef int (*session_record_fn)(void *ctx, struct ring_reader *ring,
				 const struct lbrscope_record *record);

/* Reads all records that the rings hold now, CPU by CPU, and releases their space. Returns 0,
 * or -1 with a message. */
int session_drain(struct session *session, session_record_fn read, void *ctx);

/* Stops the session; a session that the module has ended is no error. *stats is exact
 * afterwards. Returns 0, or -1 with a message. */
int session_stop(struct session *session, struct control_stats *stats);

/* Whether the module has ended the session: 0 if not, or -1 with a message that says why. */
int session_ended(const struct control_stats *stats);

/* Closes the session. When this returns, the PMU's registers have their previous values. */
void session_close(struct session *session);

#endif
