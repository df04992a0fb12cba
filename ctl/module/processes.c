// SPDX-License-Identifier: GPL-2.0
/* Tells the module which processes have samples with the stack, and which tables of unwinding rules
 * hold in a process. */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "module/netlink.h"
#include "module/request.h"

int control_task_stack(struct control *control, int fd, const struct tasks_list *pids, bool on)
{
	struct nl_msg *msg = control_message(control, LBRSCOPE_CMD_TASK_STACK);

	if (!msg)
		return -ENOMEM;
	if (control_put_selection(msg, fd, pids, on)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return control_send(control, msg);
}

/* Sends one part of a table. */
static int control_unwind_part(struct control *control, int fd, uint32_t number,
			       const struct lbrscope_unwind_head *table, uint32_t size, uint32_t offset,
			       uint32_t len)
{
	struct nl_msg *msg = control_message_of(control, LBRSCOPE_CMD_UNWIND_TABLE, CONTROL_MESSAGE_MAX + len);

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_UNWIND_A_FD, fd) ||
	    nla_put_u32(msg, LBRSCOPE_UNWIND_A_TABLE, number) ||
	    nla_put_u32(msg, LBRSCOPE_UNWIND_A_SIZE, size) ||
	    nla_put_u32(msg, LBRSCOPE_UNWIND_A_OFFSET, offset) ||
	    nla_put(msg, LBRSCOPE_UNWIND_A_DATA, len, (const char *)table + offset)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return control_send(control, msg);
}

int control_unwind_table(struct control *control, int fd, uint32_t number,
			 const struct lbrscope_unwind_head *table, uint32_t size)
{
	uint32_t offset = 0, len;
	int err = 0;

	for (; !err && offset < size; offset += len) {
		len = size - offset < LBRSCOPE_UNWIND_DATA_MAX ? size - offset : LBRSCOPE_UNWIND_DATA_MAX;
		err = control_unwind_part(control, fd, number, table, size, offset, len);
	}
	return err;
}

int control_unwind_process(struct control *control, int fd, uint32_t pid, uint32_t generation,
			   const struct lbrscope_unwind_range *ranges, unsigned int nr)
{
	const int len = nr * sizeof(*ranges);
	struct nl_msg *msg = control_message_of(control, LBRSCOPE_CMD_UNWIND_PROCESS, CONTROL_MESSAGE_MAX + len);

	if (!msg)
		return -ENOMEM;
	if (nla_put_u32(msg, LBRSCOPE_UNWIND_A_FD, fd) ||
	    nla_put_u32(msg, LBRSCOPE_UNWIND_A_PID, pid) ||
	    nla_put_u32(msg, LBRSCOPE_UNWIND_A_GENERATION, generation) ||
	    (nr && nla_put(msg, LBRSCOPE_UNWIND_A_RANGES, len, ranges))) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return control_send(control, msg);
}
