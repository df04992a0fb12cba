/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of a generic netlink family. */
#ifndef LBRSCOPE_COMPAT_NETLINK_H
#define LBRSCOPE_COMPAT_NETLINK_H

#include <net/genetlink.h>

/* Before 6.1 there are no reserved header bits to be checked. */
#ifdef COMPAT_HAS_GENL_RESV_START_OP
#define COMPAT_RESV_START_OP(op)	.resv_start_op = (op),
#else
#define COMPAT_RESV_START_OP(op)
#endif

#endif
