/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the larger requests. */
#ifndef LBRCTL_MODULE_REQUEST_H
#define LBRCTL_MODULE_REQUEST_H

#include "module/netlink.h"

struct nl_msg;

/* Add the attributes of LBRSCOPE_CMD_SESSION_SET and _TASK_STACK. Return 0, or -EMSGSIZE. */
int control_put_session(struct nl_msg *msg, const struct control_session *session);
int control_put_selection(struct nl_msg *msg, int fd, const struct tasks_list *pids, bool on);

#endif
