// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "control.h"
#include "err.h"

static const char usage[] =
	"Usage: lbrctl info\n"
	"\n"
	"Shows what this CPU and the module can do, and who uses it now.\n";

static const char *info_format(uint32_t format)
{
	static char text[16];

	if (format == LBRSCOPE_LBR_FORMAT_ARCH)
		return "architectural";
	if (format == LBRSCOPE_LBR_FORMAT_AMD)
		return "AMD version 2";
	snprintf(text, sizeof(text), "format %u", format);
	return text;
}

/* What differs by type of core; the lines after these are of all of them. */
static void info_print_cores(const struct control_info *info)
{
	unsigned int i;

	for (i = 0; i < info->nr_cores; i++) {
		const struct control_core *core = &info->cores[i];

		printf("cores           %s: %s, %u general counters, %u fixed",
		       core->cpus, core->type == 0x20 ? "small" :
		       core->type == 0x40 ? "big" : "of some type",
		       core->gp_counters, core->fixed_counters);
		printf(core->lbr_depth ? ", lbr of %u entries\n" : ", no lbr\n",
		       core->lbr_depth);
	}
}

static void info_print(const struct control_info *info)
{
	printf("cpu             %s family %u model %u stepping %u\n",
	       info->vendor, info->family, info->model, info->stepping);
	printf("pmu             version %u, %u general counters of %u bits, "
	       "%u fixed\n", info->pmu_version, info->gp_counters,
	       info->gp_width, info->fixed_counters);
	info_print_cores(info);
	if (info->lbr_depth)
		printf("lbr             %u entries, %s\n", info->lbr_depth,
		       info_format(info->lbr_format));
	else
		printf("lbr             none\n");
	printf("call stacks     %s\n", info->call_stack ? "yes" : "no");
	printf("branch history  %s\n", !info->branch_filter ? "no" :
	       info->branch_filter & LBRSCOPE_FILTER_KERNEL ? "yes" :
	       "of user mode only");
	printf("shortest period %llu events\n",
	       (unsigned long long)info->period_min);
	printf("sessions        %s%s\n",
	       info->unsupported[0] ? "not on this CPU: " : "can be started",
	       info->unsupported);
	if (!info->owned)
		printf("in use by       nobody\n");
	else if (info->owner_pid)
		printf("in use by       %s, pid %u\n", info->owner_comm,
		       info->owner_pid);
	else
		printf("in use by       %s, in another pid namespace\n",
		       info->owner_comm);
}

int cmd_info(int argc, char **argv)
{
	struct control_info info;
	struct control control;
	int err;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	if (argc > 1)
		return err_usage("info", "it takes no argument: %s", argv[1]);

	if (control_open(&control)) {
		err_fail("module lbrscope is not loaded: run 'lbrctl load'");
		return ERR_EXIT_FAILED;
	}
	err = control_info(&control, &info);
	if (err)
		err_fail("asking the module what it can do: %s",
			 control_reason(&control, err));
	else
		info_print(&info);
	control_close(&control);
	if (err || err_flush_stdout())
		return ERR_EXIT_FAILED;
	return ERR_EXIT_DONE;
}
