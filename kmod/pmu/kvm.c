// SPDX-License-Identifier: GPL-2.0
/*
 * Detects KVM's mediated vPMU: with the parameter enable_mediated_pmu a virtual CPU
 * uses the physical counters while it runs.  KVM loads the guest's event selects and
 * counts over the current ones, and restores perf's events only.  The kernel's
 * reservation of counters does not exclude it.
 *
 * KVM has no interface to ask, so its module parameter is read, through the module's
 * kobject.  A KVM that is built in has none, and a KVM that is loaded while a session
 * runs is not seen: ls_counters_taken() then notices the loss of the counters.
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "pmu/kvm.h"

static const char *const kvm_modules[] = { "kvm_intel", "kvm_amd" };

static bool ls_kvm_is_mediated(const struct module *module)
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

/* The reference to the kobject keeps the module from being freed while it is read. */
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
		mediated = module && ls_kvm_is_mediated(module);
		kobject_put(kobj);
	}
	return mediated;
}
