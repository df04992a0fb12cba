// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers on kernel functions: entry (kprobe) and return (kretprobe).
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <asm/ptrace.h>

#include "compat/kprobes.h"
#include "trigger/kinds.h"

/* The most calls of the function that are open at one time, system-wide. */
#define KPROBE_OPEN_MAX	512

static int ls_trigger_kprobe_entered(struct kprobe *probe, struct pt_regs *regs)
{
	const struct ls_trigger *trigger = container_of(probe, struct ls_trigger,
							kprobe.entry);

	ls_trigger_fire(trigger, regs, (unsigned long)probe->addr, 0);
	return 0;
}
NOKPROBE_SYMBOL(ls_trigger_kprobe_entered);

/*
 * The probe may have gone: unregister_kretprobe() on another CPU clears the pointer
 * between the kernel's own look at it and ours (kretprobe_dispatcher() of
 * kernel/trace/trace_kprobe.c checks for the same).
 */
static int ls_trigger_kprobe_returned(struct kretprobe_instance *instance,
				      struct pt_regs *regs)
{
	struct kretprobe *probe = compat_kretprobe(instance);

	if (likely(probe))
		ls_trigger_fire(container_of(probe, const struct ls_trigger, kprobe.ret),
				regs, compat_kretprobe_to(instance),
				regs_return_value(regs));
	return 0;
}
NOKPROBE_SYMBOL(ls_trigger_kprobe_returned);

/* The module's own functions must not be probed: they are the handlers. */
static int ls_trigger_kprobe_check(int err, const struct kprobe *probe, const char **why)
{
	if (!err && within_module((unsigned long)probe->addr, THIS_MODULE))
		err = -EINVAL;
	if (err == -ENOENT)
		*why = "the kernel has no function of this name";
	else if (err && !IS_ENABLED(CONFIG_KRETPROBES))
		*why = "this kernel was built without these probes (CONFIG_KPROBES, CONFIG_KRETPROBES)";
	else if (err == -EINVAL)
		*why = "the kernel, or lbrscope itself, does not allow a probe on this function";
	return err;
}

int ls_trigger_kprobe_arm(struct ls_trigger *trigger, const char **why)
{
	struct kprobe *probe = &trigger->kprobe.entry;
	int registered, err;

	*probe = (struct kprobe){
		.symbol_name = trigger->kprobe.symbol,
		.pre_handler = ls_trigger_kprobe_entered,
	};
	registered = register_kprobe(probe);
	err = ls_trigger_kprobe_check(registered, probe, why);
	if (err && !registered)
		unregister_kprobe(probe);
	return err;
}

void ls_trigger_kprobe_disarm(struct ls_trigger *trigger)
{
	struct ls_trigger_kprobe *kprobe = &trigger->kprobe;

	unregister_kprobe(&kprobe->entry);
	WRITE_ONCE(kprobe->missed, kprobe->missed + kprobe->entry.nmissed);
}

int ls_trigger_kretprobe_arm(struct ls_trigger *trigger, const char **why)
{
	struct kretprobe *probe = &trigger->kprobe.ret;
	int registered, err;

	*probe = (struct kretprobe){
		.kp.symbol_name = trigger->kprobe.symbol,
		.handler = ls_trigger_kprobe_returned,
		.maxactive = KPROBE_OPEN_MAX,
	};
	registered = register_kretprobe(probe);
	err = ls_trigger_kprobe_check(registered, &probe->kp, why);
	if (err && !registered)
		unregister_kretprobe(probe);
	return err;
}

void ls_trigger_kretprobe_disarm(struct ls_trigger *trigger)
{
	struct ls_trigger_kprobe *kprobe = &trigger->kprobe;

	unregister_kretprobe(&kprobe->ret);
	WRITE_ONCE(kprobe->missed, kprobe->missed + kprobe->ret.nmissed +
				   kprobe->ret.kp.nmissed);
}
