// SPDX-License-Identifier: GPL-2.0
/* Writes the file that a bug report of the self-test needs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "base/version.h"
#include "doctor/selftest.h"
#include "pmu/regs.h"

/* The value of the first line of /proc/cpuinfo with this name. */
static void bundle_cpuinfo(const char *name, char *value, size_t size)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char line[512];

	*value = '\0';
	while (in && !*value && fgets(line, sizeof(line), in))
		if (!strncmp(line, name, strlen(name)) && strchr(line, ':'))
			snprintf(value, size, "%s", strchr(line, ':') + 2);
	if (in)
		fclose(in);
	value[strcspn(value, "\n")] = '\0';
}

static void bundle_put(FILE *out, const char *key, const char *value)
{
	fprintf(out, "\"%s\":", key);
	text_put_json(out, value);
}

static void bundle_machine(const struct selftest *t, FILE *out)
{
	const struct control_info *info = &t->info;
	struct utsname kernel = {};
	char model[128], microcode[32];

	uname(&kernel);
	bundle_cpuinfo("model name", model, sizeof(model));
	bundle_cpuinfo("microcode", microcode, sizeof(microcode));
	bundle_put(out, "lbrctl", LBRCTL_VERSION);
	fputs(",\n", out);
	bundle_put(out, "kernel", kernel.release);
	fputs(",\n\"cpu\":{", out);
	bundle_put(out, "model", model);
	fputc(',', out);
	bundle_put(out, "microcode", microcode);
	fputc(',', out);
	bundle_put(out, "vendor", info->vendor);
	fprintf(out, ",\"family\":%u,\"model_number\":%u,\"stepping\":%u,"
		"\"pmu_version\":%u,\"general_counters\":%u,\"width\":%u,"
		"\"fixed_counters\":%u,\"lbr_format\":%u,\"lbr_depth\":%u,"
		"\"call_stacks\":%s,\"branch_filter\":%u,", info->family, info->model,
		info->stepping, info->pmu_version, info->gp_counters, info->gp_width,
		info->fixed_counters, info->lbr_format, info->lbr_depth,
		info->call_stack ? "true" : "false", info->branch_filter);
	bundle_put(out, "unsupported", info->unsupported);
	fputs("}", out);
}

static void bundle_checks(const struct checks *c, FILE *out)
{
	static const char *const states[] = { "ok", "note", "bad" };
	unsigned int i;

	fputs(",\n\"checks\":[", out);
	/* Their texts name processes and files; which they were is nobody's business. */
	for (i = 0; i < c->nr; i++)
		fprintf(out, "%s{\"name\":\"%s\",\"state\":\"%s\"}", i ? "," : "",
			c->list[i].name, states[c->list[i].state]);
	fputc(']', out);
}

static void bundle_results(const struct selftest *t, FILE *out)
{
	unsigned int i;

	fputs(",\n\"tests\":[", out);
	for (i = 0; i < t->nr; i++) {
		const struct selftest_result *r = &t->results[i];

		fprintf(out, "%s\n{\"name\":\"%s\",\"cpu\":%u,\"ok\":%s,", i ? "," : "",
			r->name, r->cpu, r->ok ? "true" : "false");
		bundle_put(out, "text", r->text);
		fputc('}', out);
	}
	fputc(']', out);
}

/* Nothing of what data registers hold, and no address. */
static void bundle_register(const struct selftest *t, unsigned int n, unsigned int i,
			    FILE *out)
{
	static const char *const changes[] = { "same", "emptied", "changed" };
	const struct lbrscope_reg *before = &t->registers[n].before[i];
	struct regs_cpu kind = regs_cpu(t->info.vendor, t->info.lbr_format);
	struct regs_decoded d;
	enum selftest_change change;
	bool data;

	change = selftest_change(t, n, i, &data);
	regs_decode(&kind, before->msr, before->value, &d);
	fprintf(out, "%s\n{\"msr\":\"%#x\",\"name\":\"%s\",\"change\":\"%s\"", i ? "," : "",
		before->msr, d.name, changes[change]);
	if (!data && !(d.nr && d.fields[0].kind == REGS_ADDRESS))
		fprintf(out, ",\"before\":\"%#" PRIx64 "\",\"after\":\"%#" PRIx64 "\"",
			(uint64_t)before->value,
			(uint64_t)t->registers[n].after[i].value);
	fputc('}', out);
}

static void bundle_registers(const struct selftest *t, FILE *out)
{
	unsigned int n, i;

	fputs(",\n\"cpus\":[", out);
	for (n = 0; t->nr && n < t->cpus.nr; n++) {
		fprintf(out, "%s\n{\"cpu\":%u,\"registers\":[", n ? "," : "",
			t->cpus.cpus[n]);
		for (i = 0; i < t->registers[n].nr; i++)
			bundle_register(t, n, i, out);
		fputs("]}", out);
	}
	fputc(']', out);
}

int selftest_bundle(const struct selftest *t, const struct checks *checks,
		    const char *path)
{
	struct atomic_file file;

	if (atomic_file_open(&file, path))
		return -1;
	fputs("{\"version\":1,\n", file.stream);
	bundle_machine(t, file.stream);
	bundle_checks(checks, file.stream);
	bundle_results(t, file.stream);
	bundle_registers(t, file.stream);
	fputs("}\n", file.stream);
	return atomic_file_commit(&file);
}
