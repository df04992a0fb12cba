// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl info. */
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "module/netlink.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl info [--json]\n"
	"\n"
	"Shows what this CPU and the module can do, and which process uses them now.\n";

/* Returns whether the CPU can record branch histories, as text. */
static const char *info_history(const struct control_info *info)
{
	if (!info->branch_filter)
		return "no";
	return info->branch_filter & LBRSCOPE_FILTER_KERNEL ? "yes" : "of user mode only";
}

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

static const char *info_core(const struct control_core *core)
{
	return core->type == 0x20 ? "small" : core->type == 0x40 ? "big" : "of some type";
}

/* Prints the differences of the types of cores; later lines are for all types. */
static void info_print_cores(const struct control_info *info)
{
	unsigned int i;

	for (i = 0; i < info->nr_cores; i++) {
		const struct control_core *core = &info->cores[i];

		printf("cores           %s: %s, %u general counters, %u fixed",
		       core->cpus, info_core(core), core->gp_counters,
		       core->fixed_counters);
		printf(core->lbr_depth ? ", lbr of %u entries\n" : ", no lbr\n",
		       core->lbr_depth);
	}
}

static void info_print(const struct control_info *info)
{
	char owner[80];

	printf("cpu             %s family %u model %u stepping %u\n",
	       info->vendor, info->family, info->model, info->stepping);
	if (info->no_pmu[0])
		printf("pmu             none: %s\n", info->no_pmu);
	else
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
	printf("branch history  %s\n", info_history(info));
	printf("shortest period %llu events, or ns of a clock\n",
	       (unsigned long long)info->period_min);
	printf("sessions        %s%s\n",
	       info->unsupported[0] ? "not on this CPU: " : "can be started",
	       info->unsupported);
	printf("in use by       %s\n",
	       info->owned ? control_owner(info, owner, sizeof(owner)) : "nobody");
}

static void info_json_lbr(struct json *j, uint32_t depth, uint32_t format)
{
	if (!depth) {
		json_null(j, "lbr");
		return;
	}
	json_object(j, "lbr");
	json_unsigned(j, "depth", depth);
	json_text(j, "format", info_format(format));
	json_close(j);
}

static void info_json_core(struct json *j, const struct control_core *core)
{
	json_object(j, NULL);
	json_unsigned(j, "general", core->gp_counters);
	json_unsigned(j, "fixed", core->fixed_counters);
	json_text(j, "cpus", core->cpus);
	json_text(j, "type", info_core(core));
	info_json_lbr(j, core->lbr_depth, core->lbr_format);
	json_close(j);
}

static void info_json_use(struct json *j, const struct control_info *info)
{
	json_text(j, "no_pmu", info->no_pmu[0] ? info->no_pmu : NULL);
	json_text(j, "unsupported", info->unsupported[0] ? info->unsupported : NULL);
	json_bool(j, "in_use", info->owned);
	json_text(j, "owner", info->owner_comm[0] ? info->owner_comm : NULL);
	if (info->owned && info->owner_pid)
		json_unsigned(j, "owner_pid", info->owner_pid);
	else
		json_null(j, "owner_pid");
}

static void info_json(const struct control_info *info)
{
	struct json json = json_to(stdout), *j = &json;

	json_head(j, "info");
	json_object(j, "cpu");
	json_unsigned(j, "family", info->family);
	json_unsigned(j, "model", info->model);
	json_unsigned(j, "stepping", info->stepping);
	json_text(j, "vendor", info->vendor);
	json_close(j);
	json_object(j, "pmu");
	json_unsigned(j, "version", info->pmu_version);
	json_unsigned(j, "general", info->gp_counters);
	json_unsigned(j, "bits", info->gp_width);
	json_unsigned(j, "fixed", info->fixed_counters);
	json_close(j);
	json_array(j, "cores");
	for (unsigned int i = 0; i < info->nr_cores; i++)
		info_json_core(j, &info->cores[i]);
	json_close(j);
	info_json_lbr(j, info->lbr_depth, info->lbr_format);
	json_bool(j, "call_stacks", info->call_stack);
	json_text(j, "branch_history", info_history(info));
	json_unsigned(j, "period_min", info->period_min);
	info_json_use(j, info);
	json_close(j);
	json_end(j);
}

static int info(bool json)
{
	struct control_info info;
	struct control control;
	int err;

	if (control_connect(&control))
		return ERR_EXIT_FAILED;
	err = control_ask(&control, &info);
	if (!err)
		(json ? info_json : info_print)(&info);
	control_close(&control);
	return err || err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, 0 },
	{ .name = NULL }
};

int cmd_info(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "info", .usage = usage,
		.options = options,
	};
	bool json = false;
	int err;

	return options_take(&verb, argc, argv, &json, &err) ? info(json) : err;
}
