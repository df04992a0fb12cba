/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the larger requests. Private to this folder. */
#ifndef LBRCTL_MODULE_REQUEST_H
#define LBRCTL_MODULE_REQUEST_H

#include "module/netlink.h"

struct nl_msg;

/* Room for all events and triggers that a session can have. */
#define CONTROL_MESSAGE_MAX	16384

/* Begins a request, of at most CONTROL_MESSAGE_MAX or `size` bytes. NULL: no memory. */
struct nl_msg *control_message(struct control *control, int command);
struct nl_msg *control_message_of(struct control *control, int command, size_t size);

/* Sends a request that has no reply but its ack, and frees it. Returns 0 or a negative errno. */
int control_send(struct control *control, struct nl_msg *msg);

/* Add the attributes of LBRSCOPE_CMD_SESSION_SET and _TASK_STACK. Return 0, or -EMSGSIZE. */
int control_put_session(struct nl_msg *msg, const struct control_session *session);
int control_put_selection(struct nl_msg *msg, int fd, const struct tasks_list *pids, bool on);

#endif
