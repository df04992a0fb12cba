/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_NETLINK_H
#define LBRSCOPE_COMPAT_NETLINK_H

#include <linux/kernel.h>
#include <linux/netlink.h>
#include <net/genetlink.h>

#include "../netlink.h"

/*
 * The kernel has this since 6.2, but cuts a text after 79 characters, and with it
 * what to do about the refusal.
 */
#undef NL_SET_ERR_MSG_FMT
#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	struct netlink_ext_ack *ack = (extack);				\
	char *text = ls_netlink_text();					\
									\
	if (ack) {							\
		snprintf(text, LS_NETLINK_TEXT, fmt, ##args);		\
		ack->_msg = text;					\
	}								\
} while (0)

/* Before 6.1 there are no reserved header bits to be checked. */
#ifdef COMPAT_HAS_GENL_RESV_START_OP
#define COMPAT_RESV_START_OP(op)	.resv_start_op = (op),
#else
#define COMPAT_RESV_START_OP(op)
#endif

#endif
