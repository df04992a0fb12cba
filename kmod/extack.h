/* SPDX-License-Identifier: GPL-2.0 */
/* The text that says why a request was refused. */
#ifndef LBRSCOPE_EXTACK_H
#define LBRSCOPE_EXTACK_H

#include <linux/kernel.h>
#include <linux/netlink.h>

/* Bytes of the longest text of a refusal, with its NUL. */
#define EXTACK_TEXT	192

/*
 * An extended ack with room for its text. netlink_ack() measures the text, may sleep, and
 * copies it then: the text belongs to one request, and stays as it is until the answer
 * has been built. netlink.c makes one for each request and passes on a pointer to ack;
 * there is no other netlink_ext_ack in the module.
 */
struct extack {
	struct netlink_ext_ack ack;
	char text[EXTACK_TEXT];
};

/*
 * Sets the text of a refusal; it is cut after EXTACK_TEXT - 1 characters.
 * extack: the member of a struct extack.  NULL: nothing is done.
 * Context: the handler of the request.  The last call determines the text.
 */
__printf(2, 3)
void ls_extack_format(struct netlink_ext_ack *extack, const char *format, ...);

/*
 * Linux has a macro of this name since 6.2.  It cuts after 79 characters, and so cuts off
 * the advice at the end of a refusal.
 */
#undef NL_SET_ERR_MSG_FMT
#define NL_SET_ERR_MSG_FMT(extack, format, args...) \
	ls_extack_format((extack), format, ##args)

#endif
