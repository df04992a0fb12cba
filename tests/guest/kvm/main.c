// SPDX-License-Identifier: GPL-2.0
/*
 * What KVM is to the module, in a machine that has no virtualisation: a module of
 * its name, with its parameter, whose virtual CPU is a loop in the kernel.  A number
 * written to the parameter "run" runs it so often, a million instructions each time,
 * with the mark that KVM's guest_timing_enter_irqoff() puts on the task, and
 * interrupts off like there.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

static bool enable_mediated_pmu;
module_param(enable_mediated_pmu, bool, 0444);

static noinline void vcpu_guest(void)
{
	unsigned long n = 500000;

	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "memory");
}

static int vcpu_run(const char *text, const struct kernel_param *param)
{
	unsigned int turns;
	int err = kstrtouint(text, 0, &turns);

	while (!err && turns--) {
		local_irq_disable();
		current->flags |= PF_VCPU;
		vcpu_guest();
		current->flags &= ~PF_VCPU;
		local_irq_enable();
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops vcpu_ops = { .set = vcpu_run };
module_param_cb(run, &vcpu_ops, NULL, 0200);

static int __init kvm_init(void)
{
	return 0;
}

static void __exit kvm_exit(void)
{
}

module_init(kvm_init);
module_exit(kvm_exit);
MODULE_LICENSE("GPL");
