/* SPDX-License-Identifier: GPL-2.0 */
/* The text that says why a request was refused. */
#ifndef LBRSCOPE_EXTACK_H
#define LBRSCOPE_EXTACK_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <net/genetlink.h>

/* Bytes of the longest text of a refusal, with its NUL. */
#define EXTACK_TEXT	256

/*
 * An extended ack with room for its text: that of the kernel is cut after 79 characters
 * (NL_SET_ERR_MSG_FMT() of Linux 6.2), and so loses the advice at the end of a refusal.
 * netlink_ack() measures the text, may sleep, and copies it then: the text belongs to one
 * request, and stays as it is until the answer has been built.  netlink.c makes one for
 * each request; there is no other in the module.
 */
struct ls_extack {
	struct netlink_ext_ack ack;
	char text[EXTACK_TEXT];
};

/* The extended ack of a request. */
static inline struct ls_extack *ls_extack_of(const struct genl_info *info)
{
	return container_of(info->extack, struct ls_extack, ack);
}

/*
 * Sets the text of a refusal; what was formatted is cut after EXTACK_TEXT - 1 characters.
 * extack: NULL: nothing is done.
 * Context: the handler of the request.  The last call determines the text.
 */
#define ls_extack_set(extack, format, args...) do {		\
	BUILD_BUG_ON(sizeof(format) > EXTACK_TEXT);		\
	ls_extack_format((extack), format, ##args);		\
} while (0)

/* The same for an attribute of the request, which the answer points to. */
#define ls_extack_set_attr(extack, attr, format, args...) do {	\
	ls_extack_blame((extack), (attr));			\
	ls_extack_set((extack), format, ##args);		\
} while (0)

__printf(2, 3)
void ls_extack_format(struct ls_extack *extack, const char *format, ...);
void ls_extack_blame(struct ls_extack *extack, const struct nlattr *attr);

#endif
