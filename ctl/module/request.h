/* SPDX-License-Identifier: GPL-2.0 */
/* The request that sets a session up. */
#ifndef LBRCTL_MODULE_REQUEST_H
#define LBRCTL_MODULE_REQUEST_H

#include "module/netlink.h"

struct nl_msg;

/* Adds the attributes of LBRSCOPE_CMD_SESSION_SET. Returns 0, or -EMSGSIZE. */
int control_put_session(struct nl_msg *msg, const struct control_session *session);

#endif
