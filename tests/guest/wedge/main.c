// SPDX-License-Identifier: GPL-2.0
/*
 * Locks a process's memory, as a file system that does not answer does, registers a family of
 * generic netlink, and looks at tracepoints.
 *
 *   hold     a process's number: its memory is locked for reading until 0 is written
 *   family   anything: a generic netlink family is registered and unregistered, for which
 *            Linux waits until no request is being handled
 *   probes   read: the probes of two tracepoints, a line "NAME NUMBER" for each
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <net/genetlink.h>

static DECLARE_COMPLETION(wedge_held);
static struct task_struct *wedge_holder;

static int wedge_hold(void *data)
{
	struct mm_struct *mm = data;

	mmap_read_lock(mm);
	complete(&wedge_held);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return 0;
}

static int wedge_begin(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	put_pid(pid);
	if (task)
		put_task_struct(task);
	if (!mm)
		return -ESRCH;
	reinit_completion(&wedge_held);
	wedge_holder = kthread_run(wedge_hold, mm, "wedge");
	if (IS_ERR(wedge_holder)) {
		mmput(mm);
		return PTR_ERR(wedge_holder);
	}
	wait_for_completion(&wedge_held);
	return 0;
}

static void wedge_end(void)
{
	if (!IS_ERR_OR_NULL(wedge_holder))
		kthread_stop(wedge_holder);
	wedge_holder = NULL;
}

static int wedge_set(const char *text, const struct kernel_param *param)
{
	int nr, err = kstrtoint(text, 0, &nr);

	if (err)
		return err;
	wedge_end();
	return nr ? wedge_begin(nr) : 0;
}

static const struct kernel_param_ops wedge_ops = { .set = wedge_set };
module_param_cb(hold, &wedge_ops, NULL, 0200);

static struct genl_family wedge_family = {
	.name = "wedge",
	.version = 1,
	.module = THIS_MODULE,
};

static int wedge_register(const char *text, const struct kernel_param *param)
{
	int err = genl_register_family(&wedge_family);

	if (!err)
		genl_unregister_family(&wedge_family);
	return err;
}

static const struct kernel_param_ops family_ops = { .set = wedge_register };
module_param_cb(family, &family_ops, NULL, 0200);

struct wedge_text {
	char *text;
	int length;
};

static void wedge_count(struct tracepoint *tp, void *priv)
{
	struct wedge_text *to = priv;
	struct tracepoint_func *func;
	int nr = 0;

	if (strcmp(tp->name, "sched_switch") && strcmp(tp->name, "sched_waking"))
		return;
	rcu_read_lock_sched();
	for (func = rcu_dereference_raw(tp->funcs); func && func->func; func++)
		nr++;
	rcu_read_unlock_sched();
	to->length += sprintf(to->text + to->length, "%s %d\n", tp->name, nr);
}

static int wedge_probes(char *text, const struct kernel_param *param)
{
	struct wedge_text to = { text };

	for_each_kernel_tracepoint(wedge_count, &to);
	return to.length;
}

static const struct kernel_param_ops probes_ops = { .get = wedge_probes };
module_param_cb(probes, &probes_ops, NULL, 0400);

static int __init wedge_init(void)
{
	return 0;
}

static void __exit wedge_exit(void)
{
	wedge_end();
}

module_init(wedge_init);
module_exit(wedge_exit);
MODULE_LICENSE("GPL");
