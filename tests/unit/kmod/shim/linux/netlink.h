/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_NETLINK_H
#define SHIM_NETLINK_H

struct netlink_ext_ack {
	const char *_msg;
};

#define NL_SET_ERR_MSG(ack, text)	((ack)->_msg = (text))

#endif
