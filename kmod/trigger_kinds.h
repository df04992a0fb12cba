/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TRIGGER_KINDS_H
#define LBRSCOPE_TRIGGER_KINDS_H

#include "trigger.h"

/*
 * What each kind provides to trigger.c.  arm returns 0 or an error, with the
 * reason in *why where errno does not say it; when disarm returns, no handler
 * of it runs any more.
 */
int ls_trigger_watch_arm(struct trigger *trigger, const char **why);
void ls_trigger_watch_disarm(struct trigger *trigger);
void ls_trigger_watch_cpu_up(struct trigger *trigger, u32 cpu);
void ls_trigger_watch_cpu_down(struct trigger *trigger, u32 cpu);

int ls_trigger_uprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_uprobe_disarm(struct trigger *trigger);

int ls_trigger_kprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_kprobe_disarm(struct trigger *trigger);

int ls_trigger_kretprobe_arm(struct trigger *trigger, const char **why);
void ls_trigger_kretprobe_disarm(struct trigger *trigger);

/* EXEC, EXIT, SIGNAL */
int ls_trigger_task_arm(struct trigger *trigger, const char **why);
void ls_trigger_task_disarm(struct trigger *trigger);

#endif
