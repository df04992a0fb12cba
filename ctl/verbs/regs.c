// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl regs. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "module/netlink.h"
#include "pmu/name.h"
#include "pmu/regs.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl regs [OPTION]...\n"
	"\n"
	"Prints the registers of a CPU's counters and branch records with their\n"
	"fields, as they are at the moment. Nothing is written to them.\n";

enum { REGS_JSON = 256 };

static const struct options_option options[] = {
	{ "cpu", 'C', "LIST",
	  "of these CPUs (0-3,8), not of the first one that is online" },
	{ "json", REGS_JSON, NULL,
	  "one JSON object" },
	{ NULL, 0, NULL, NULL }
};

struct regs_options {
	struct cpulist cpus;
	bool json;
};

/* Of one CPU; json: the array that it goes into, or NULL for text. */
typedef void (*regs_print_fn)(uint32_t cpu, const struct regs_cpu *kind,
			      const struct lbrscope_reg *regs, unsigned int nr,
			      struct json_object *json);

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
		       struct json_object *json __attribute__((unused)))
{
	unsigned int i;

	printf("# CPU %u\n", cpu);
	for (i = 0; i < nr; i++)
		print_register(kind, &regs[i]);
}

/* 64 bits are more than a number of JSON holds for all of its readers. */
static void json_add_hex(struct json_object *to, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_object_object_add(to, key, json_object_new_string(text));
}

static void json_add_field(struct json_object *to, const struct regs_field *f)
{
	if (f->meaning)
		json_object_object_add(to, f->name,
				       json_object_new_string(f->meaning));
	else if (f->kind == REGS_FLAG)
		json_object_object_add(to, f->name,
				       json_object_new_boolean(f->value));
	else if (f->kind == REGS_NUMBER)
		json_object_object_add(to, f->name,
				       json_object_new_int(f->value));
	else
		json_add_hex(to, f->name, f->value);
}

static struct json_object *json_register(const struct regs_cpu *kind,
					 const struct lbrscope_reg *reg)
{
	struct json_object *object = json_object_new_object();
	struct json_object *fields = json_object_new_object();
	struct regs_decoded d;
	char name[128];
	unsigned int i;

	regs_decode(kind, reg->msr, reg->value, &d);
	json_add_hex(object, "msr", reg->msr);
	json_object_object_add(object, "name", json_object_new_string(d.name));
	json_add_hex(object, "value", reg->value);
	for (i = 0; i < d.nr; i++)
		json_add_field(fields, &d.fields[i]);
	json_object_object_add(object, "fields", fields);
	json_add_hex(object, "other", d.rest);
	if (d.selects && reg->value &&
	    events_name(reg->value, name, sizeof(name)))
		json_object_object_add(object, "event",
				       json_object_new_string(name));
	return object;
}

static void print_json(uint32_t cpu, const struct regs_cpu *kind,
		       const struct lbrscope_reg *regs, unsigned int nr,
		       struct json_object *json)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	unsigned int i;

	json_object_object_add(object, "cpu", json_object_new_int(cpu));
	json_object_object_add(object, "registers", array);
	for (i = 0; i < nr; i++)
		json_object_array_add(array, json_register(kind, &regs[i]));
	json_object_array_add(json, object);
}

static int regs_of_cpus(struct control *control, const struct cpulist *cpus,
			regs_print_fn print, struct json_object *json)
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

static int regs_as_json(struct control *control, const struct cpulist *cpus)
{
	struct json_object *top = json_object_new_object();
	struct json_object *array = json_object_new_array();
	int err;

	json_object_object_add(top, "version", json_object_new_int(1));
	json_object_object_add(top, "verb", json_object_new_string("regs"));
	json_object_object_add(top, "cpus", array);
	err = regs_of_cpus(control, cpus, print_json, array);
	if (!err)
		printf("%s\n", json_object_to_json_string_ext(top,
						JSON_C_TO_STRING_PLAIN));
	json_object_put(top);
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

static int regs_option(int c, void *options)
{
	struct regs_options *o = options;

	if (c == REGS_JSON) {
		o->json = true;
		return 0;
	}
	return cpulist_option("regs", &o->cpus, optarg);
}

int cmd_regs(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "regs", .usage = usage, 
		.options = options, .take = regs_option,
	};
	struct regs_options options = {};
	int err;

	if (options_take(&verb, argc, argv, &options, &err))
		err = regs_run(&options);
	cpulist_free(&options.cpus);
	return err;
}
