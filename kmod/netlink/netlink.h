/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family of the module. */
#ifndef LBRSCOPE_NETLINK_H
#define LBRSCOPE_NETLINK_H

int ls_netlink_init(void);
void ls_netlink_exit(void);

#endif
