// SPDX-License-Identifier: GPL-2.0
/*
 * A stand-in for KVM in a machine without virtualisation: a module of its name, with its
 * parameter, whose virtual CPU is a loop in the kernel.  A number written to the parameter
 * "run" runs the loop that many times, a million instructions each time, with the mark that
 * KVM's guest_timing_enter_irqoff() sets on the task, and interrupts off as there.  A process
 * that writes to the parameter "vcpu" has a virtual CPU from then on: an open file with KVM's
 * name for it, whose guest uses a counter, which perf keeps for it as for KVM.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/perf_event.h>
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

static int vcpu_release(struct inode *inode, struct file *file)
{
	return perf_event_release_kernel(file->private_data);
}

static const struct file_operations vcpu_files = {
	.owner = THIS_MODULE, .release = vcpu_release
};

static int vcpu_open(const char *text, const struct kernel_param *param)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .pinned = 1,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	struct perf_event *counter = perf_event_create_kernel_counter(&attr, -1, current,
								      NULL, NULL);
	int fd;

	if (IS_ERR(counter))
		return PTR_ERR(counter);
	fd = anon_inode_getfd("kvm-vcpu:0", &vcpu_files, counter, O_RDWR);
	if (fd < 0)
		perf_event_release_kernel(counter);
	return fd < 0 ? fd : 0;
}

static const struct kernel_param_ops vcpu_open_ops = { .set = vcpu_open };
module_param_cb(vcpu, &vcpu_open_ops, NULL, 0200);

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
