// SPDX-License-Identifier: GPL-2.0
/*
 * The open file of a session: what open(), mmap(), poll() and the last close do.
 */
#include <linux/cred.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "ring/ring.h"
#include "session/memory.h"
#include "session/session.h"
#include "task/target.h"
#include "task/task.h"
#include "trigger/trigger.h"
#include "unwind/unwind.h"

static int ls_session_file_open(struct inode *inode, struct file *file)
{
	struct ls_session *session;

	session = kzalloc(sizeof(*session), CHARGE_GFP);
	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	ls_charge_init(&session->charge);
	file->private_data = session;
	return 0;
}

bool ls_session_file_is_mine(const struct ls_session *session, const struct file *file)
{
	return uid_eq(file->f_cred->uid, current_uid()) &&
	       (!ls_session_is_set(session) || session->cred);
}

static int ls_session_file_release(struct inode *inode, struct file *file)
{
	struct ls_session *session = file->private_data;

	ls_session_close(session);
	ls_charge_drop(&session->charge);
	ls_memory_free(session);
	ls_task_free_table(&session->tasks);
	ls_unwind_table_free(&session->tasks.unwinding);
	kvfree(session->events);
	ls_triggers_free(session->triggers);
	ls_target_close(&session->target);
	kfree(session->cpus);
	if (session->cred)
		put_cred(session->cred);
	if (session->pid_ns)
		put_pid_ns(session->pid_ns);
	kfree(session);
	return 0;
}

static int ls_session_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ls_session *session = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 cpu = offset >> 32;
	struct ls_ring *ring;

	if (!ls_session_is_set(session))
		return -ENODEV;
	ring = cpu < nr_cpu_ids ? session->memory[cpu].ring : NULL;
	if (!ring)
		return -ENXIO;
	if (offset == LBRSCOPE_RING_OFF(cpu))
		return ls_ring_mmap(ring, vma, false);
	if (offset == LBRSCOPE_RING_TAIL_OFF(cpu))
		return ls_ring_mmap(ring, vma, true);
	return -EINVAL;
}

static __poll_t ls_session_file_poll(struct file *file, poll_table *wait)
{
	struct ls_session *session = file->private_data;
	int cpu;

	poll_wait(file, &session->wait, wait);
	ls_session_touch(session);
	if (!ls_session_is_set(session))
		return 0;
	if (READ_ONCE(session->state) == SESSION_STOPPED)
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	for_each_possible_cpu(cpu)
		if (session->memory[cpu].ring && ls_ring_readable(session->memory[cpu].ring))
			return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* .owner keeps the module loaded while a descriptor or a mapping exists. */
const struct file_operations ls_session_file_ops = {
	.owner = THIS_MODULE,
	.open = ls_session_file_open,
	.release = ls_session_file_release,
	.mmap = ls_session_file_mmap,
	.poll = ls_session_file_poll,
	.llseek = noop_llseek,
};
