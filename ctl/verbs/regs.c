// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl regs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/json.h"
#include "module/netlink.h"
#include "pmu/name.h"
#include "pmu/regs.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl regs [OPTION]...\n"
	"\n"
	"Prints the current registers of a CPU's counters and branch records with their\n"
	"fields. It writes no register.\n";

struct regs_options {
	struct cpulist cpus;
	bool json;
};

/* The output for one CPU; json: an array is open in it; NULL for text. */
typedef void (*regs_print_fn)(uint32_t cpu, const struct regs_cpu *kind,
			      const struct lbrscope_reg *regs, unsigned int nr,
			      struct json *json);

static void print_field(const struct regs_field *f, uint64_t whole)
{
	if (f->meaning)
		printf(" %s=%s", f->name, f->meaning);
	else if (!f->value || (f->kind == REGS_ADDRESS && f->value == whole))
		return;
	else if (f->kind == REGS_FLAG)
		printf(" %s", f->name);
	else if (f->kind == REGS_NUMBER)
		printf(" %s=%" PRIu64, f->name, f->value);
	else
		printf(" %s=0x%" PRIx64, f->name, f->value);
}

static void print_register(const struct regs_cpu *kind,
			   const struct lbrscope_reg *reg)
{
	struct regs_decoded d;
	char name[128];
	unsigned int i;

	regs_decode(kind, reg->msr, reg->value, &d);
	printf("%#-10x %-25s %016" PRIx64, reg->msr, d.name, (uint64_t)reg->value);
	for (i = 0; reg->value && i < d.nr; i++)
		print_field(&d.fields[i], reg->value);
	if (d.rest)
		printf(" other=%#" PRIx64, d.rest);
	if (d.selects && reg->value &&
	    events_name(reg->value, name, sizeof(name)))
		printf(" (%s)", name);
	putchar('\n');
}

static void print_text(uint32_t cpu, const struct regs_cpu *kind,
		       const struct lbrscope_reg *regs, unsigned int nr,
		       struct json *json __attribute__((unused)))
{
	unsigned int i;

	printf("# CPU %u\n", cpu);
	for (i = 0; i < nr; i++)
		print_register(kind, &regs[i]);
}

static void json_field(struct json *j, const struct regs_field *f)
{
	if (f->meaning)
		json_text(j, f->name, f->meaning);
	else if (f->kind == REGS_FLAG)
		json_bool(j, f->name, f->value);
	else if (f->kind == REGS_NUMBER)
		json_unsigned(j, f->name, f->value);
	else
		json_hex(j, f->name, f->value);
}

static void json_register(struct json *j, const struct regs_cpu *kind,
			  const struct lbrscope_reg *reg)
{
	struct regs_decoded d;
	char name[128];

	regs_decode(kind, reg->msr, reg->value, &d);
	json_object(j, NULL);
	json_hex(j, "msr", reg->msr);
	json_text(j, "name", d.name);
	json_hex(j, "value", reg->value);
	json_object(j, "fields");
	for (unsigned int i = 0; i < d.nr; i++)
		json_field(j, &d.fields[i]);
	json_close(j);
	json_hex(j, "other", d.rest);
	if (d.selects && reg->value &&
	    events_name(reg->value, name, sizeof(name)))
		json_text(j, "event", name);
	json_close(j);
}

static void print_json(uint32_t cpu, const struct regs_cpu *kind,
		       const struct lbrscope_reg *regs, unsigned int nr, struct json *j)
{
	json_object(j, NULL);
	json_unsigned(j, "cpu", cpu);
	json_array(j, "registers");
	for (unsigned int i = 0; i < nr; i++)
		json_register(j, kind, &regs[i]);
	json_close(j);
	json_close(j);
}

static int regs_of_cpus(struct control *control, const struct cpulist *cpus,
			regs_print_fn print, struct json *json)
{
	struct lbrscope_reg regs[LBRSCOPE_REGS_MAX];
	struct control_info info;
	struct regs_cpu kind;
	unsigned int i, nr;
	int err;

	if (control_ask(control, &info))
		return -1;
	kind = regs_cpu(info.vendor, info.lbr_format);
	for (i = 0; i < cpus->nr; i++) {
		err = control_regs_get(control, cpus->cpus[i], regs, &nr);
		if (err)
			return err_fail("reading the registers of CPU %u: %s",
					cpus->cpus[i],
					control_reason(control, err));
		print(cpus->cpus[i], &kind, regs, nr, json);
	}
	return 0;
}

/* Output is complete or empty: it goes to memory first. */
static int regs_as_json(struct control *control, const struct cpulist *cpus)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json j = json_to(out);
	int err;

	if (!out)
		return err_errno("printing registers");
	json_head(&j, "regs");
	json_array(&j, "cpus");
	err = regs_of_cpus(control, cpus, print_json, &j);
	json_close(&j);
	json_close(&j);
	json_end(&j);
	if (fclose(out))
		err = err_errno("printing registers");
	else if (!err)
		fputs(text, stdout);
	free(text);
	return err;
}

static int regs_run(struct regs_options *o)
{
	struct control control;
	int err = 0;

	if (!o->cpus.nr) {
		err = cpulist_read(&o->cpus, "online");
		o->cpus.nr = 1;
	}
	if (err)
		return ERR_EXIT_FAILED;
	if (control_connect(&control))
		return ERR_EXIT_FAILED;
	err = o->json ? regs_as_json(&control, &o->cpus) :
			regs_of_cpus(&control, &o->cpus, print_text, NULL);
	control_close(&control);
	return err || err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "cpu", 'C', "LIST",
	  "these CPUs (0-3,8), not the first online CPU",
	  options_cpus, part_of(struct regs_options, cpus, struct cpulist) },
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct regs_options, json, bool) },
	{ .name = NULL }
};

int cmd_regs(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "regs", .usage = usage,
		.options = options,
	};
	struct regs_options options = {};
	int err;

	if (options_take(&verb, argc, argv, &options, &err))
		err = regs_run(&options);
	cpulist_free(&options.cpus);
	return err;
}
