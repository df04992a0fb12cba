/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_GENETLINK_H
#define SHIM_GENETLINK_H

#include <linux/netlink.h>

struct genl_info {
	struct netlink_ext_ack *extack;
};

#endif
