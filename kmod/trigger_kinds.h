/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TRIGGER_KINDS_H
#define LBRSCOPE_TRIGGER_KINDS_H

#include "trigger.h"

/*
 * What each kind provides to trigger.c.  arm returns 0 or an error, with the
 * reason in *why where errno does not say it; when disarm returns, no handler
 * of it runs any more.  A uprobe is only begun with by both.
 */
int ls_trigger_watch_arm(struct trigger *trigger, const char **why);
void ls_trigger_watch_disarm(struct trigger *trigger);
void ls_trigger_watch_cpu_up(struct trigger *trigger, u32 cpu);
void ls_trigger_watch_cpu_down(struct trigger *trigger, u32 cpu);

int ls_trigger_uprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_uprobe_disarm(struct trigger *trigger);

/*
 * Waits until it is registered, or gone, but not longer than *left jiffies, from which
 * the time is taken.  0, or an error with the reason in *why.
 */
int ls_trigger_uprobe_settle(struct trigger *trigger, long *left, const char **why);

/* Waits until it is gone, however long that takes, and lets go of the file. */
void ls_trigger_uprobe_free(struct trigger *trigger);

int ls_trigger_kprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_kprobe_disarm(struct trigger *trigger);

int ls_trigger_kretprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_kretprobe_disarm(struct trigger *trigger);

/* EXEC, EXIT, SIGNAL */
int ls_trigger_task_arm(struct trigger *trigger, const char **why);
void ls_trigger_task_disarm(struct trigger *trigger);

#endif
