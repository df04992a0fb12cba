/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_NETLINK_H
#define LBRSCOPE_NETLINK_H

/* Bytes of what ls_netlink_text() returns. */
#define LS_NETLINK_TEXT		192

/* Room for the text of a refusal, until some more have been refused. */
char *ls_netlink_text(void);

int ls_netlink_init(void);
void ls_netlink_exit(void);

#endif
