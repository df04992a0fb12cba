// SPDX-License-Identifier: GPL-2.0
/* Runs the windows of kernel.S on this CPU, with nothing in between. */
#include <linux/irqflags.h>
#include <linux/module.h>

void windows_of_the_kernel(void);

static int __init window_init(void)
{
	unsigned long flags;

	local_irq_save(flags);
	windows_of_the_kernel();
	local_irq_restore(flags);
	return 0;
}

static void __exit window_exit(void)
{
}

module_init(window_init);
module_exit(window_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Windows of the lab's meter, of known length");
