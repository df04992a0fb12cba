// SPDX-License-Identifier: GPL-2.0
/* insmod fidelity.ko group=NAME model=CPU: runs the group on every CPU, results to dmesg */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <asm/apic.h>
#include <asm/asm.h>
#include <asm/msr.h>
#include "fidelity.h"

#define SAY "fidelity: "

static char *group = "";
module_param(group, charp, 0);

static char *model_name = "skylake";
module_param_named(model, model_name, charp, 0);

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
	{ "registers", registers_check },
	{ "absence", absence_check },
	{ "counters", counters_check },
	{ "overflow", overflow_check },
	{ "branches", branches_check },
	{ "meter", meter_run },
	{ "amd_core", amd_core_check },
	{ "amd_registers", amd_registers_check },
	{ "amd_counters", amd_counters_check },
	{ "amd_overflow", amd_overflow_check },
	{ "amd_branches", amd_branches_check },
};

void check(bool good, const char *name)
{
	pr_info(SAY "%s - %s, CPU %d\n", good ? "ok" : "not ok", name, smp_processor_id());
}

void check_is(u64 want, u64 got, const char *name)
{
	check(want == got, name);
	if (want != got)
		pr_info(SAY "# want 0x%llx, got 0x%llx\n", want, got);
}

void note(const char *format, ...)
{
	struct va_format text;
	va_list args;

	va_start(args, format);
	text.fmt = format;
	text.va = &args;
	pr_info(SAY "%pV\n", &text);
	va_end(args);
}

/* By the accessors that have the same name from 5.10 to 7.x. */
u64 get(u32 msr)
{
	return __rdmsr(msr);
}

void set(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

int try_get(u32 msr, u64 *value)
{
	u32 low, high;
	int err = rdmsr_safe(msr, &low, &high);

	*value = (u64)high << 32 | low;
	return err;
}

int try_set(u32 msr, u64 value)
{
	return wrmsr_safe(msr, lower_32_bits(value), upper_32_bits(value));
}

int try_rdpmc(u32 index, u64 *value)
{
	u32 low, high;
	int err;

	asm volatile("1: rdpmc; xor %[err], %[err]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_RDMSR_SAFE, %[err])
		     : [err] "=&r" (err), "=a" (low), "=d" (high) : "c" (index));
	*value = (u64)high << 32 | low;
	return err;
}

void set_pmc(int i, u64 value)
{
	set(model->full_width ? A_PMC(i) : PMC(i), value);
}

void quiet(void)
{
	int i;

	set(GLOBAL_CTRL, 0);
	set(DEBUGCTL, 0);
	set(FIXED_CTRL, 0);
	for (i = 0; i < model->gp; i++) {
		set(EVTSEL(i), 0);
		set_pmc(i, 0);
	}
	for (i = 0; i < model->fixed; i++)
		set(FIXED(i), 0);
	set(STATUS_RESET, get(GLOBAL_STATUS));
	lbr_clear();
	lvtpc_write(APIC_DM_NMI);
}

static long run_on_cpu(void *run)
{
	unsigned long flags;

	local_irq_save(flags);
	((void (*)(void))run)();
	local_irq_restore(flags);
	return 0;
}

static int __init fidelity_init(void)
{
	int i, cpu, err;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		if (!strcmp(groups[i].name, group))
			break;
	if (i == ARRAY_SIZE(groups))
		return -EINVAL;
	err = model_choose(model_name) ?: pmi_start();
	if (err)
		return err;
	for_each_online_cpu(cpu)
		work_on_cpu(cpu, run_on_cpu, groups[i].run);
	pmi_stop();
	note("end of %s", group);
	return 0;
}

static void __exit fidelity_exit(void)
{
}

module_init(fidelity_init);
module_exit(fidelity_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Checks of an emulated PMU by its registers");
