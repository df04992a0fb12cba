/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_NETLINK_H
#define SHIM_NETLINK_H

struct netlink_ext_ack {
	const char *_msg;
};

struct nlattr;

#define NL_SET_BAD_ATTR(ack, attr)	((void)(ack), (void)(attr))

#endif
