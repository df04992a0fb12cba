// SPDX-License-Identifier: GPL-2.0
/*
 * lbrscope: call graphs and counters straight from the CPU's own registers.
 * Loading and unloading; kmod/README.md says which file does what.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/reboot.h>

#include <linux/lbrscope.h>

#include "cpu/cpu.h"
#include "cpu/nmi.h"
#include "lbr/lbr.h"
#include "netlink/netlink.h"
#include "pmu/caps.h"
#include "pmu/pmu.h"
#include "pmu/vpmu.h"
#include "session/person.h"
#include "session/session.h"
#include "task/hooks.h"

static struct miscdevice main_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lbrscope",
	.fops = &ls_session_file_ops,
	.mode = 0600,
};

static int ls_main_shutdown(struct notifier_block *block, unsigned long action, void *data)
{
	ls_session_shutdown();
	return NOTIFY_DONE;
}

/*
 * kernel_kexec() calls it, too.  The kernel enters a crash kernel without this call, see
 * kmod/README.md.
 */
static struct notifier_block main_reboot = {
	.notifier_call = ls_main_shutdown,
};

static void ls_main_announce(void)
{
	if (ls_caps.unsupported)
		pr_warn("no session can be started here: %s\n",
			ls_caps.unsupported);
	else if (ls_caps.no_pmu)
		pr_info("no counters, no branch records, only clocks: %s\n",
			ls_caps.no_pmu);
	else
		pr_info("PerfMon v%u, %u counters of %u bits, %u branch records%s\n",
			ls_caps.pmu_version, ls_caps.gp_counters, ls_caps.gp_width,
			ls_caps.lbr_depth,
			ls_caps.call_stack ? " with call-stack mode" : "");
	if (ls_caps_nr_types > 1)
		pr_info("these are the common capabilities of %u types of cores\n",
			ls_caps_nr_types);
}

static int __init ls_main_init(void)
{
	int err;

	err = ls_caps_probe();
	if (err)
		return err;
	ls_pmu_init();
	if (!ls_vpmu_works())
		ls_caps_lack_pmu("the counters do not keep what is written to them: this virtual machine has none");
	err = ls_hooks_init();
	if (err)
		return err;
	err = ls_lbr_init();
	if (err)
		return err;
	err = ls_nmi_init();
	if (err)
		goto err_nmi;
	err = ls_cpu_init();
	if (err)
		goto err_cpu;
	err = misc_register(&main_device);
	if (err)
		goto err_device;
	err = register_reboot_notifier(&main_reboot);
	if (err)
		goto err_reboot;
	err = ls_netlink_init();
	if (err)
		goto err_netlink;
	ls_main_announce();
	return 0;

err_netlink:
	unregister_reboot_notifier(&main_reboot);
err_reboot:
	misc_deregister(&main_device);
err_device:
	ls_cpu_exit();
err_cpu:
	ls_nmi_exit();
err_nmi:
	ls_lbr_exit();
	return err;
}

/* Runs after the last descriptor and mapping are gone: no session is left. */
static void __exit ls_main_exit(void)
{
	ls_netlink_exit();
	unregister_reboot_notifier(&main_reboot);
	misc_deregister(&main_device);
	ls_session_exit();
	ls_person_exit();
	ls_cpu_exit();
	ls_nmi_exit();
	ls_lbr_exit();
	ls_hooks_exit_module();
}

module_init(ls_main_init);
module_exit(ls_main_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The lbrscope authors");
MODULE_VERSION(LBRSCOPE_VERSION);
MODULE_DESCRIPTION("Call graphs and counters from the CPU's branch records and performance counters");
