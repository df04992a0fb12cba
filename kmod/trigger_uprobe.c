// SPDX-License-Identifier: GPL-2.0
/*
 * An instruction of a file, wherever it is mapped.  Which one a symbol is user
 * space has found out.
 */
#include <linux/dcache.h>

#include "trigger_kinds.h"

/* In the task, on its way back to user mode, where regs are to go on. */
static int uprobe_hit(struct uprobe_consumer *consumer,
		      COMPAT_UPROBE_LAST(struct pt_regs *regs))
{
	struct trigger *trigger = container_of(consumer, struct trigger,
					       uprobe.probe.consumer);

	ls_trigger_fire(trigger, regs, regs->ip, 0);
	return 0;
}

int ls_trigger_uprobe_arm(struct trigger *trigger, const char **why)
{
	struct trigger_uprobe *uprobe = &trigger->uprobe;
	int err;

	uprobe->probe.consumer.handler = uprobe_hit;
	err = compat_uprobe_register(&uprobe->probe,
				     d_real_inode(uprobe->file.dentry),
				     uprobe->offset);
	if (err == -EINVAL)
		*why = "there is no instruction at this offset, or the file is not of this kind";
	return err;
}

void ls_trigger_uprobe_disarm(struct trigger *trigger)
{
	compat_uprobe_unregister(&trigger->uprobe.probe);
}
