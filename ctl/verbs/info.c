// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl info. */
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "module/netlink.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl info [--json]\n"
	"\n"
	"Shows what this CPU and the module can do, and who uses it now.\n";

enum { INFO_JSON = 256 };

/* Where branches can be recorded. */
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

/* What differs by type of core; the lines after these are of all of them. */
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
	printf("shortest period %llu events\n",
	       (unsigned long long)info->period_min);
	printf("sessions        %s%s\n",
	       info->unsupported[0] ? "not on this CPU: " : "can be started",
	       info->unsupported);
	printf("in use by       %s\n",
	       info->owned ? control_owner(info, owner, sizeof(owner)) : "nobody");
}

/* A name and a text; NULL: null. */
static void info_json_text(const char *name, const char *text)
{
	printf(",\"%s\":", name);
	if (text)
		text_put_json(stdout, text);
	else
		fputs("null", stdout);
}

static void info_json_lbr(uint32_t depth, uint32_t format)
{
	if (!depth) {
		fputs(",\"lbr\":null", stdout);
		return;
	}
	printf(",\"lbr\":{\"depth\":%u", depth);
	info_json_text("format", info_format(format));
	putchar('}');
}

static void info_json(const struct control_info *info)
{
	unsigned int i;

	printf("{\"version\":1,\"verb\":\"info\",\"cpu\":{\"family\":%u,\"model\":%u,"
	       "\"stepping\":%u", info->family, info->model, info->stepping);
	info_json_text("vendor", info->vendor);
	printf("},\"pmu\":{\"version\":%u,\"general\":%u,\"bits\":%u,\"fixed\":%u},\"cores\":[",
	       info->pmu_version, info->gp_counters, info->gp_width, info->fixed_counters);
	for (i = 0; i < info->nr_cores; i++) {
		const struct control_core *core = &info->cores[i];

		printf("%s{\"general\":%u,\"fixed\":%u", i ? "," : "", core->gp_counters,
		       core->fixed_counters);
		info_json_text("cpus", core->cpus);
		info_json_text("type", info_core(core));
		info_json_lbr(core->lbr_depth, core->lbr_format);
		putchar('}');
	}
	putchar(']');
	info_json_lbr(info->lbr_depth, info->lbr_format);
	printf(",\"call_stacks\":%s", info->call_stack ? "true" : "false");
	info_json_text("branch_history", info_history(info));
	printf(",\"period_min\":%llu", (unsigned long long)info->period_min);
	info_json_text("unsupported", info->unsupported[0] ? info->unsupported : NULL);
	printf(",\"in_use\":%s", info->owned ? "true" : "false");
	info_json_text("owner", info->owner_comm[0] ? info->owner_comm : NULL);
	if (info->owned && info->owner_pid)
		printf(",\"owner_pid\":%u}\n", info->owner_pid);
	else
		printf(",\"owner_pid\":null}\n");
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

static int info_option(int c, void *json)
{
	*(bool *)json = c == INFO_JSON;
	return 0;
}

static const struct options_option options[] = {
	{ "json", INFO_JSON, NULL,
	  "one JSON object" },
	{ NULL, 0, NULL, NULL }
};

int cmd_info(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "info", .usage = usage, 
		.options = options, .take = info_option,
	};
	bool json = false;
	int err;

	return options_take(&verb, argc, argv, &json, &err) ? info(json) : err;
}
