// SPDX-License-Identifier: GPL-2.0
/* Writes the file that a bug report of the self-test needs. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "doctor/selftest.h"
#include "module/load.h"
#include "pmu/regs.h"

static void bundle_machine(const struct selftest *t, struct json *j)
{
	const struct control_info *info = &t->info;
	struct utsname kernel = {};
	struct module_state module;
	char model[128], microcode[32], vm[16];

	uname(&kernel);
	checks_hypervisor(vm, sizeof(vm));
	text_proc_value("/proc/cpuinfo", "model name", model, sizeof(model));
	text_proc_value("/proc/cpuinfo", "microcode", microcode, sizeof(microcode));
	json_text(j, "lbrctl", version_text);
	json_line(j);
	if (!module_state(&module)) {
		json_object(j, "module");
		json_text(j, "version", module.loaded_version);
		json_text(j, "srcversion", module.loaded_source);
		json_close(j);
		json_line(j);
	}
	json_text(j, "kernel", kernel.release);
	json_line(j);
	json_text(j, "hypervisor", *vm ? vm : NULL);
	json_unsigned(j, "cpus_online", sysconf(_SC_NPROCESSORS_ONLN));
	json_line(j);
	json_object(j, "cpu");
	json_text(j, "model", model);
	json_text(j, "microcode", microcode);
	json_text(j, "vendor", info->vendor);
	json_unsigned(j, "family", info->family);
	json_unsigned(j, "model_number", info->model);
	json_unsigned(j, "stepping", info->stepping);
	json_unsigned(j, "pmu_version", info->pmu_version);
	json_unsigned(j, "general_counters", info->gp_counters);
	json_unsigned(j, "width", info->gp_width);
	json_unsigned(j, "fixed_counters", info->fixed_counters);
	json_unsigned(j, "lbr_format", info->lbr_format);
	json_unsigned(j, "lbr_depth", info->lbr_depth);
	json_bool(j, "call_stacks", info->call_stack);
	json_unsigned(j, "branch_filter", info->branch_filter);
	json_text(j, "unsupported", info->unsupported);
	json_text(j, "no_pmu", info->no_pmu);
	json_close(j);
}

static void bundle_checks(const struct checks *c, struct json *j)
{
	static const char *const states[] = { "ok", "note", "bad" };

	json_array(j, "checks");
	/* The texts name processes and files, which are private: leave them out. */
	for (unsigned int i = 0; i < c->nr; i++) {
		json_object(j, NULL);
		json_text(j, "name", c->list[i].name);
		json_text(j, "state", states[c->list[i].state]);
		json_close(j);
	}
	json_close(j);
}

static void bundle_course(const struct selftest *t, struct json *j)
{
	json_fixed(j, "seconds", t->seconds, 1);
	json_unsigned(j, "steps", t->steps);
	json_unsigned(j, "steps_begun", t->begun);
	json_text(j, "last_step", t->last_step);
	json_bool(j, "passed", t->passed);
}

static void bundle_results(const struct selftest *t, struct json *j)
{
	json_array(j, "tests");
	for (unsigned int i = 0; i < t->nr; i++) {
		json_line(j);
		json_object(j, NULL);
		selftest_put_result(&t->results[i], j);
		json_close(j);
	}
	json_close(j);
}

/* Leaves out the contents of data registers, and addresses. */
static void bundle_register(const struct selftest *t, unsigned int n, unsigned int i,
			    struct json *j)
{
	static const char *const changes[] = { "same", "emptied", "changed" };
	const struct lbrscope_reg *before = &t->registers[n].before[i];
	struct regs_cpu kind = regs_cpu(t->info.vendor, t->info.lbr_format);
	struct regs_decoded d;
	enum selftest_change change;
	bool data;

	change = selftest_change(t, n, i, &data);
	regs_decode(&kind, before->msr, before->value, &d);
	json_line(j);
	json_object(j, NULL);
	json_hex(j, "msr", before->msr);
	json_text(j, "name", d.name);
	json_text(j, "change", changes[change]);
	if (!data && !(d.nr && d.fields[0].kind == REGS_ADDRESS)) {
		json_hex(j, "before", before->value);
		json_hex(j, "after", t->registers[n].after[i].value);
	}
	json_close(j);
}

static void bundle_registers(const struct selftest *t, struct json *j)
{
	json_array(j, "cpus");
	for (unsigned int n = 0; t->nr && n < t->cpus.nr; n++) {
		json_line(j);
		json_object(j, NULL);
		json_unsigned(j, "cpu", t->cpus.cpus[n]);
		json_array(j, "registers");
		for (unsigned int i = 0; i < t->registers[n].nr; i++)
			bundle_register(t, n, i, j);
		json_close(j);
		json_close(j);
	}
	json_close(j);
}

int selftest_bundle(const struct selftest *t, const struct checks *checks,
		    const char *path)
{
	struct atomic_file file;
	struct json json, *j = &json;

	if (atomic_file_open(&file, path))
		return -1;
	json = json_to(file.stream);
	json_object(j, NULL);
	json_unsigned(j, "version", 1);
	json_line(j);
	bundle_machine(t, j);
	json_line(j);
	bundle_checks(checks, j);
	json_line(j);
	bundle_course(t, j);
	json_line(j);
	bundle_results(t, j);
	json_line(j);
	bundle_registers(t, j);
	json_close(j);
	json_end(j);
	return atomic_file_commit(&file);
}

void selftest_put_result(const struct selftest_result *r, struct json *j)
{
	json_text(j, "name", r->name);
	json_unsigned(j, "cpu", r->cpu);
	json_bool(j, "ok", r->ok);
	json_text(j, "text", r->text);
}
