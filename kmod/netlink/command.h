/* SPDX-License-Identifier: GPL-2.0 */
/* The session that a command is given to. */
#ifndef LBRSCOPE_NETLINK_COMMAND_H
#define LBRSCOPE_NETLINK_COMMAND_H

struct file;
struct genl_info;
struct ls_person;
struct ls_session;
struct sk_buff;

/*
 * A command and the session of the sender's descriptor, which is locked and its file
 * referenced, so that nothing changes between the check of the rights and the command.
 */
struct ls_netlink_command {
	struct file *file;
	struct ls_session *session;
	struct ls_person *person;	/* the sender; NULL: privileged */
};

/*
 * Begins a command of the request, if the sender may give it.  ls_netlink_end() ends it.
 * Returns: 0, or a negative errno with the reason in the request's extended ack.
 */
int ls_netlink_begin(struct sk_buff *skb, struct genl_info *info,
		     struct ls_netlink_command *command);
void ls_netlink_end(struct ls_netlink_command *command);

#endif
