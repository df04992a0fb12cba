// SPDX-License-Identifier: GPL-2.0
/* Checks the CPU, the holders of its counters, and the rights of the user. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "doctor/checks.h"
#include "module/holders.h"
#include "module/netlink.h"
#include "module/session.h"
#include "module/watchdog.h"
#include "pmu/branches.h"
#include "pmu/list.h"
#include "workload/tasks.h"

void checks_hypervisor(char *name, size_t size)
{
	unsigned int eax, words[3] = {}, ecx = 0, unused;

	*name = '\0';
	if (!__get_cpuid(1, &eax, &unused, &ecx, &unused) || !(ecx >> 31))
		return;
	__cpuid(0x40000000, eax, words[0], words[1], words[2]);
	snprintf(name, size, "%.12s", (const char *)words);
	if (!*name)
		snprintf(name, size, "unknown");
}

/* Reads the version of Intel's architectural PMU, by CPUID alone. Returns true if the CPU can
 * have counters, also for other vendors. */
static bool checks_has_counters(void)
{
	unsigned int eax = 0, ebx = 0, ecx, edx;

	__get_cpuid(0, &eax, &ebx, &ecx, &edx);
	if (ebx != signature_INTEL_ebx)
		return true;
	return __get_cpuid(0xa, &eax, &ebx, &ecx, &edx) && (eax & 0xff);
}

/* The timer's samples need no PMU. has: CPUID shows counters, so that the hypervisor lacks
 * none. */
static void checks_no_pmu(struct checks *c, const char *why, const char *vm, bool has)
{
	struct checks_finding *f;

	f = checks_add(c, "cpu", CHECKS_NOTE, "no PMU: %s%s%s%s. lbrctl record, top and stat "
		       "work with cpu-clock and task-clock, a timer; there are no hardware "
		       "events and no branch records", why,
		       *vm ? "; this is a virtual machine (" : "", vm, *vm ? ")" : "");
	if (!*vm || has)
		return;
	checks_mend(f, "give it a virtual PMU: qemu -cpu host,pmu=on, or in libvirt <cpu "
		    "mode='host-passthrough'/> and <features><pmu state='on'/>; or "
		    "measure on the host");
}

static bool checks_is_intel(const struct control_info *info)
{
	return !strcmp(info->vendor, "GenuineIntel");
}

static bool checks_has_cycles(uint32_t format)
{
	return format == LBRSCOPE_LBR_FORMAT_INFO ||
	       format == LBRSCOPE_LBR_FORMAT_INFO2 ||
	       format == LBRSCOPE_LBR_FORMAT_TIME ||
	       format == LBRSCOPE_LBR_FORMAT_ARCH;
}

static void checks_lbr(struct checks *c, const struct control_info *info,
		       const char *vm)
{
	struct checks_finding *f;

	if (info->lbr_depth) {
		f = checks_add(c, "lbr", info->call_stack ? CHECKS_OK : CHECKS_NOTE,
			       "%u branch records%s, %s call stacks, filters %s, cycles "
			       "%s", info->lbr_depth,
			       info->branch_filter ? "" : " without branch history",
			       info->call_stack ? "with" : "without",
			       info->branch_filter & LBRSCOPE_FILTER_KINDS ? "yes" : "no",
			       checks_has_cycles(info->lbr_format) ? "yes" : "no");
		if (!info->call_stack)
			checks_mend(f, "lbrctl record takes callers from the stack on this CPU; "
				    "record -b records the last branches");
		return;
	}
	f = checks_add(c, "lbr", CHECKS_NOTE, "there are no branch records%s%s%s: lbrctl record "
		       "takes callers from the stack, record -b does not work",
		       *vm ? " in this virtual machine (" : "", vm, *vm ? ")" : "");
	/* KVM has branch records for Intel's guests alone (vmx/pmu_intel.c, svm/pmu.c). */
	if (*vm && checks_is_intel(info))
		checks_mend(f, "give it the host's records: qemu -cpu host,pmu=on,lbr-fmt=0x5 "
			    "(the format that lbrctl info shows on the host)");
}

static void checks_cpu(struct checks *c, const struct control_info *info)
{
	char vm[16];

	checks_hypervisor(vm, sizeof(vm));
	if (!info)
		return;
	if (info->unsupported[0]) {
		checks_add(c, "cpu", CHECKS_BAD, "no session can be started here: %s",
			   info->unsupported);
		return;
	}
	if (info->no_pmu[0]) {
		/* checks_counters() has reported it otherwise. */
		if (checks_has_counters())
			checks_no_pmu(c, info->no_pmu, vm,
				      checks_is_intel(info));
		return;
	}
	checks_add(c, "cpu", CHECKS_OK, "%s family %u model %u, PMU version %u, %u general "
		   "counters, %u fixed%s%s", info->vendor, info->family, info->model,
		   info->pmu_version, info->gp_counters, info->fixed_counters,
		   *vm ? ", in a virtual machine: " : "", vm);
	checks_lbr(c, info, vm);
}

static void checks_watchdog(struct checks *c, const struct control_info *info)
{
	if (guardian_watchdog_on() && access("/proc/sys/kernel/nmi_watchdog", W_OK))
		checks_mend(checks_add(c, "watchdog", CHECKS_BAD, "the NMI watchdog uses a "
				       "counter of each CPU, and only root may switch it off"),
			    "sysctl kernel.nmi_watchdog=0");
	else if (guardian_watchdog_on())
		checks_add(c, "watchdog", CHECKS_OK, "the NMI watchdog is on; a recording "
			   "switches it off while it runs");
	else if (!guardian_left_off())
		checks_add(c, "watchdog", CHECKS_OK, "the NMI watchdog is off");
	else if (info && info->owned)
		checks_add(c, "watchdog", CHECKS_NOTE, "the process that restores the NMI "
			   "watchdog was killed; the running recording will switch the watchdog "
			   "on again");
	else if (guardian_restore(false))
		checks_mend(checks_add(c, "watchdog", CHECKS_NOTE, "a killed recording left the "
				       "NMI watchdog off"),
			    "sysctl kernel.nmi_watchdog=1");
	else
		checks_add(c, "watchdog", CHECKS_NOTE, "a killed recording had left the NMI "
			   "watchdog off; it is on again");
}

/* Starts a session on our own process and ends it: the only way to find out whether the PMU is
 * free. Returns 0, or the kernel's errno and text. */
static int checks_session(struct control *control, char *why, size_t size)
{
	struct tasks_list self = { .nr = 1, .ids = { getpid() } };
	struct eventlist list = {};
	struct control_event event = {};
	struct control_session settings = {
		.events = &event, .nr_events = 1, .pids = &self,
		.ring_size = LBRSCOPE_RING_SIZE_MIN,
	};
	int err;

	if (eventlist_parse(&list, "instructions:u", why, size))
		return -EINVAL;
	eventlist_ask(&list, &event);
	settings.fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);
	if (settings.fd < 0) {
		snprintf(why, size, "%s", strerror(errno));
		return -errno;
	}
	err = control_session_set(control, &settings);
	if (!err)
		err = session_begin(control, settings.fd);
	if (err)
		snprintf(why, size, "%s", control_reason(control, err));
	else
		control_session_stop(control, settings.fd);
	close(settings.fd);
	return err;
}

/* Whether it is the recorder of packaging/lbrscope.service. */
static bool checks_is_service(uint32_t pid)
{
	char path[64], cgroup[256];

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	text_first_line(path, cgroup, sizeof(cgroup));
	return strstr(cgroup, "/lbrscope.service");
}

/* Lists the likely owners of the PMU, which the kernel does not record. */
static void checks_busy(struct checks *c, const struct control_info *info)
{
	struct checks_finding *f;
	char list[384];

	if (info->owned) {
		f = checks_add(c, "pmu", CHECKS_BAD, "in use by the session of %s",
			       control_owner(info, list, sizeof(list)));
		if (info->owner_pid && checks_is_service(info->owner_pid))
			checks_mend(f, "systemctl stop lbrscope");
		else if (info->owner_pid)
			checks_mend(f, "wait until it ends, or kill %u", info->owner_pid);
		else
			checks_mend(f, "wait until it ends");
		return;
	}
	if (holders_list(HOLDERS_PERF | HOLDERS_KVM, list, sizeof(list))) {
		f = checks_add(c, "pmu", CHECKS_BAD, "in use, perhaps by %s", list);
		checks_mend(f, "end this process and run lbrctl doctor again");
		return;
	}
	f = checks_add(c, "pmu", CHECKS_BAD, "in use, but not by a visible process: perhaps by "
		       "a driver or a BPF program in the kernel");
	checks_mend(f, "bpftool prog, lsmod");
}

static void checks_free(struct checks *c, struct control *control,
			const struct control_info *info)
{
	char list[384], why[256];
	int err;

	if (guardian_watchdog_on() && !info->owned) {
		if (holders_list(HOLDERS_PERF | HOLDERS_KVM, list, sizeof(list)))
			checks_add(c, "pmu", CHECKS_NOTE, "in use by the NMI watchdog, and "
				   "perhaps by %s", list);
		else
			checks_add(c, "pmu", CHECKS_OK, "in use by the NMI watchdog only");
		return;
	}
	err = checks_session(control, why, sizeof(why));
	if (err == -EBUSY)
		checks_busy(c, info);
	else if (err)
		checks_add(c, "pmu", CHECKS_BAD, "a session cannot be started: %s", why);
	else
		checks_add(c, "pmu", CHECKS_OK, "free: a session could be started");
}

/* Lists the programs that can write these registers without reserving them. */
static void checks_others(struct checks *c)
{
	static const char *const drivers[] = { "sep5", "sep4", "pax", "socperf3", "vtsspp" };
	char list[384], path[64];
	size_t i;

	if (holders_list(HOLDERS_MSR, list, sizeof(list)))
		checks_mend(checks_add(c, "msr", CHECKS_NOTE, "can write the counters' "
				       "registers without reserving them: %s", list), "end it");
	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", drivers[i]);
		if (!access(path, F_OK))
			checks_mend(checks_add(c, "msr", CHECKS_NOTE, "VTune's driver %s is "
					       "loaded and programs the same registers",
					       drivers[i]), "rmmod %s", drivers[i]);
	}
}

/* Returns whether a session can be tried. */
static bool checks_rights(struct checks *c, const struct control_info *info)
{
	char paranoid[16];

	if (access(LBRSCOPE_DEVICE, R_OK | W_OK)) {
		checks_mend(checks_add(c, "rights", CHECKS_BAD, "no permission to open "
				       LBRSCOPE_DEVICE),
			    "run lbrctl as root, or give access to a group: man lbrctl-load");
		return false;
	}
	if (info->privileged) {
		checks_add(c, "rights", CHECKS_OK, "all processes and the kernel");
		return true;
	}
	text_first_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	if (paranoid[0] > '2')
		checks_mend(checks_add(c, "rights", CHECKS_NOTE, "user mode of your own "
				       "processes; the kernel does not report their mappings: "
				       "kernel.perf_event_paranoid is %s", paranoid),
			    "sysctl kernel.perf_event_paranoid=2");
	else
		checks_add(c, "rights", CHECKS_OK, "user mode of your own processes");
	return true;
}

void checks_counters(struct checks *c)
{
	char vm[16];

	checks_hypervisor(vm, sizeof(vm));
	if (!checks_has_counters())
		checks_no_pmu(c, "the CPU has no counters (CPUID leaf 10)", vm, false);
}

void checks_pmu(struct checks *c)
{
	struct control_info info;
	struct control control;

	if (control_open(&control)) {
		checks_cpu(c, NULL);
		checks_watchdog(c, NULL);
		checks_others(c);
		return;
	}
	if (control_info(&control, &info)) {
		checks_add(c, "cpu", CHECKS_BAD, "the module does not answer: it is of "
			   "another version than lbrctl");
	} else {
		checks_cpu(c, &info);
		checks_watchdog(c, &info);
		if (checks_rights(c, &info) && !info.unsupported[0] && !info.no_pmu[0])
			checks_free(c, &control, &info);
		checks_others(c);
	}
	control_close(&control);
}
