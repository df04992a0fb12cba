// SPDX-License-Identifier: GPL-2.0
/*
 * KVM's mediated vPMU: with its parameter enable_mediated_pmu a virtual CPU gets
 * the counters themselves while it runs.  KVM loads the guest's event selects and
 * counts over whatever is there, and gives back to perf's own events only: the
 * reservation of counters keeps it out no more than PerfMon version 6.
 *
 * There is nothing to ask KVM, so its parameter is looked at, where sysfs has it.
 * That is known of KVM as a module only.  Where it is built in, or is loaded while
 * a session runs, the loss is noticed like any other (ls_counters_taken()).
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "kvm.h"

static const char *const kvm_modules[] = { "kvm_intel", "kvm_amd" };

static bool kvm_is_mediated(const struct module *module)
{
	unsigned int i;

	for (i = 0; i < module->num_kp; i++) {
		const struct kernel_param *param = &module->kp[i];

		if (!strcmp(param->name, "enable_mediated_pmu") &&
		    param->ops == &param_ops_bool)
			return READ_ONCE(*(bool *)param->arg);
	}
	return false;
}

/* Who unloads a module waits for its last reference, and frees it then. */
bool ls_kvm_takes_counters(void)
{
	struct kset *modules = THIS_MODULE->mkobj.kobj.kset;
	bool mediated = false;
	size_t i;

	for (i = 0; modules && !mediated && i < ARRAY_SIZE(kvm_modules); i++) {
		struct kobject *kobj = kset_find_obj(modules, kvm_modules[i]);
		const struct module *module;

		if (!kobj)
			continue;
		module = container_of(kobj, struct module_kobject, kobj)->mod;
		mediated = module && kvm_is_mediated(module);
		kobject_put(kobj);
	}
	return mediated;
}
