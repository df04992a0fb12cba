// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers on an instruction of a file, wherever it is mapped.  User space has resolved the
 * symbol to an offset.
 *
 * Linux locks the memory of each process that has mapped the file, one after the other,
 * when a uprobe is registered and when it is unregistered.  A process may keep its memory
 * locked for as long as it likes (a file system in user space that does not answer is
 * enough), and the wait cannot be interrupted.  So a work does it, which holds no lock.
 * Arm and disarm store the wanted state and queue the work; a START that is sent again looks
 * what has become of it.  The work does not run twice at the same time; it is queued again
 * whenever the wanted state changes.
 */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "base/session_lock.h"
#include "compat/workqueue.h"
#include "trigger/kinds.h"

/* Context: the task, on its way back to user mode, which continues at regs. */
static int ls_trigger_uprobe_hit(struct uprobe_consumer *consumer,
				 COMPAT_UPROBE_LAST(struct pt_regs *regs))
{
	struct ls_trigger *trigger = container_of(consumer, struct ls_trigger,
						  uprobe.probe.consumer);

	ls_trigger_fire(trigger, regs, regs->ip, 0);
	return 0;
}

static void ls_trigger_uprobe_work(struct work_struct *work)
{
	struct ls_trigger_uprobe *uprobe = container_of(work, struct ls_trigger_uprobe, work);
	/* Pairs with ls_trigger_uprobe_ask(): wanted is at least as new. */
	u32 asked = smp_load_acquire(&uprobe->asked);
	bool wanted = READ_ONCE(uprobe->wanted);

	if (wanted && !uprobe->registered) {
		uprobe->err = compat_uprobe_register(&uprobe->probe,
						     d_real_inode(uprobe->file.dentry),
						     uprobe->offset);
		uprobe->registered = !uprobe->err;
	} else if (!wanted && uprobe->registered) {
		compat_uprobe_unregister(&uprobe->probe);
		uprobe->registered = false;
	}
	/* Pairs with ls_trigger_uprobe_is_done(). */
	smp_store_release(&uprobe->done, asked);
}

static void ls_trigger_uprobe_ask(struct ls_trigger_uprobe *uprobe, bool wanted)
{
	WRITE_ONCE(uprobe->wanted, wanted);
	/* Pairs with ls_trigger_uprobe_work(): a reader of the new number sees wanted. */
	smp_store_release(&uprobe->asked, uprobe->asked + 1);
	queue_work(compat_unbound_wq, &uprobe->work);
}

static bool ls_trigger_uprobe_is_done(const struct ls_trigger_uprobe *uprobe)
{
	/* Pairs with the release in ls_trigger_uprobe_work(): err is stored. */
	return smp_load_acquire(&uprobe->done) == READ_ONCE(uprobe->asked);
}

void ls_trigger_uprobe_init(struct ls_trigger_uprobe *uprobe)
{
	INIT_WORK(&uprobe->work, ls_trigger_uprobe_work);
	uprobe->probe.consumer.handler = ls_trigger_uprobe_hit;
}

int ls_trigger_uprobe_arm(struct ls_trigger *trigger, const char **why)
{
	lockdep_assert_held(&ls_session_lock);
	ls_trigger_uprobe_ask(&trigger->uprobe, true);
	return 0;
}

void ls_trigger_uprobe_disarm(struct ls_trigger *trigger)
{
	lockdep_assert_held(&ls_session_lock);
	ls_trigger_uprobe_ask(&trigger->uprobe, false);
}

int ls_trigger_uprobe_look(const struct ls_trigger *trigger, const char **why)
{
	const struct ls_trigger_uprobe *uprobe = &trigger->uprobe;

	if (!ls_trigger_uprobe_is_done(uprobe))
		return -EINPROGRESS;
	if (uprobe->err == -EINVAL)
		*why = "there is no instruction at this offset, or the file is not of this kind";
	return uprobe->err;
}

void ls_trigger_uprobe_free(struct ls_trigger *trigger)
{
	flush_work(&trigger->uprobe.work);
	path_put(&trigger->uprobe.file);
}
