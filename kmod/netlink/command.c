// SPDX-License-Identifier: GPL-2.0
/* The session that a command is given to: finds it, checks the sender's rights, locks it. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>

#include "base/extack.h"
#include "netlink/command.h"
#include "netlink/set.h"
#include "session/person.h"
#include "session/session.h"

/* Returns the open file of the sender's descriptor; the caller drops the reference. */
static struct file *ls_netlink_get_file(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_FD];
	struct file *file;

	if (!attr) {
		ls_extack_set(ls_extack_of(info), "attribute FD is missing");
		return ERR_PTR(-EINVAL);
	}
	file = fget(nla_get_u32(attr));
	if (file && file->f_op == &ls_session_file_ops)
		return file;
	if (file)
		fput(file);
	ls_extack_set_attr(ls_extack_of(info), attr, "not a descriptor of " LBRSCOPE_DEVICE);
	return ERR_PTR(-EBADF);
}

static int ls_netlink_lock_session(struct genl_info *info, struct ls_netlink_command *command)
{
	struct ls_session *session = command->session;

	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	if (!command->person || ls_session_file_is_mine(session, command->file)) {
		ls_session_touch(session);
		return 0;
	}
	mutex_unlock(&session->lock);
	ls_extack_set_attr(ls_extack_of(info), info->attrs[LBRSCOPE_SESSION_A_FD], "the session belongs to another user, or to a privileged one: commanding it needs CAP_PERFMON or CAP_SYS_ADMIN");
	return -EPERM;
}

static void ls_netlink_leave(struct ls_netlink_command *command)
{
	if (command->person)
		ls_person_leave(command->person);
	fput(command->file);
}

int ls_netlink_begin(struct sk_buff *skb, struct genl_info *info,
			    struct ls_netlink_command *command)
{
	int err;

	command->person = NULL;
	command->file = ls_netlink_get_file(info);
	if (IS_ERR(command->file))
		return PTR_ERR(command->file);
	command->session = command->file->private_data;
	if (!ls_netlink_privileged(skb)) {
		command->person = ls_person_enter(current_cred(), ls_extack_of(info));
		if (IS_ERR(command->person)) {
			fput(command->file);
			return PTR_ERR(command->person);
		}
	}
	err = ls_netlink_lock_session(info, command);
	if (err)
		ls_netlink_leave(command);
	return err;
}

void ls_netlink_end(struct ls_netlink_command *command)
{
	mutex_unlock(&command->session->lock);
	ls_netlink_leave(command);
}
