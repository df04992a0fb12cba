/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of each kind of trigger, for trigger.c. */
#ifndef LBRSCOPE_TRIGGER_KINDS_H
#define LBRSCOPE_TRIGGER_KINDS_H

#include "trigger/trigger.h"

/*
 * The functions of each kind of trigger, for trigger.c.
 *
 * arm returns 0 or a negative errno; *why is set where errno does not say the reason.  When
 * disarm has returned, no handler of the trigger runs any more.  For a uprobe both only
 * queue the work: see trigger/uprobe.c.
 * Context: process, may sleep.
 */
int ls_trigger_watch_arm(struct ls_trigger *trigger, const char **why);
void ls_trigger_watch_disarm(struct ls_trigger *trigger);
void ls_trigger_watch_cpu_up(struct ls_trigger *trigger, u32 cpu);
void ls_trigger_watch_cpu_down(struct ls_trigger *trigger, u32 cpu);

int ls_trigger_uprobe_arm(struct ls_trigger *trigger, const char **why);
void ls_trigger_uprobe_disarm(struct ls_trigger *trigger);

/*
 * Returns: 0: the uprobe is registered; -EINPROGRESS; or an error with the reason in *why.
 */
int ls_trigger_uprobe_look(const struct ls_trigger *trigger, const char **why);

/* Waits without limit until the uprobe is unregistered, and puts the file. */
void ls_trigger_uprobe_free(struct ls_trigger *trigger);

int ls_trigger_kprobe_arm(struct ls_trigger *trigger, const char **why);
void ls_trigger_kprobe_disarm(struct ls_trigger *trigger);

int ls_trigger_kretprobe_arm(struct ls_trigger *trigger, const char **why);
void ls_trigger_kretprobe_disarm(struct ls_trigger *trigger);

/* EXEC, EXIT, SIGNAL */
int ls_trigger_task_arm(struct ls_trigger *trigger, const char **why);
void ls_trigger_task_disarm(struct ls_trigger *trigger);

#endif
