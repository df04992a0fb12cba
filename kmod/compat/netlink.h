/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_NETLINK_H
#define LBRSCOPE_COMPAT_NETLINK_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <net/genetlink.h>

/*
 * The kernel has this since 6.2, but cuts a text after 79 characters, and with it
 * what to do about the refusal.  An extended ack holds a pointer, which is followed
 * after the command has returned; so the text stays in one of a few buffers, taken
 * in turn.  A burst of refusals may overtake a reader, who then sees the text of
 * another one; it always ends within its buffer.
 */
#undef NL_SET_ERR_MSG_FMT
#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	static char texts[16][192];					\
	static atomic_t turn;						\
	struct netlink_ext_ack *ack = (extack);				\
	char *text = texts[atomic_inc_return(&turn) % ARRAY_SIZE(texts)]; \
									\
	if (ack) {							\
		snprintf(text, sizeof(texts[0]), fmt, ##args);		\
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
