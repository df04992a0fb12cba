// SPDX-License-Identifier: GPL-2.0
/* What a self-test knows so far: its results, and the registers before and after. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "doctor/selftest.h"
#include "pmu/regs.h"

void selftest_result(struct selftest *t, const char *name, unsigned int cpu,
		     bool ok, const char *fmt, ...)
{
	struct selftest_result *r;
	va_list ap;

	if (t->nr == t->max)
		return;
	r = &t->results[t->nr++];
	r->name = name;
	r->cpu = cpu;
	r->ok = ok;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

int selftest_registers(struct selftest *t, struct control *control, bool after)
{
	unsigned int n, nr;
	int err;

	for (n = 0; n < t->cpus.nr; n++) {
		struct selftest_cpu *c = &t->registers[n];

		err = control_regs_get(control, t->cpus.cpus[n],
				       after ? c->after : c->before, &nr);
		if (err)
			return err_fail("reading the registers of CPU %u: %s",
					t->cpus.cpus[n], control_reason(control, err));
		if (after && nr != c->nr)
			return err_fail("CPU %u does not have the same set of registers as before",
					t->cpus.cpus[n]);
		c->nr = nr;
	}
	return 0;
}

/* Whether this is a counter or a branch record, by the manuals' names (regs.c). */
static bool selftest_is_data(const char *name)
{
	static const char *const data[] = {
		"IA32_PMC", "IA32_FIXED_CTR", "MSR_PERF_METRICS", "MSR_LASTBRANCH_",
		"MSR_LBR_INFO_", "MSR_LER_", "IA32_LER_", "IA32_LBR_", "PerfCtr",
		"LastBranchStack",
	};
	static const char *const control[] = {
		"IA32_FIXED_CTR_CTRL", "IA32_LBR_CTL", "IA32_LBR_DEPTH",
	};
	size_t i;

	for (i = 0; i < sizeof(control) / sizeof(control[0]); i++)
		if (!strcmp(name, control[i]))
			return false;
	for (i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		if (!strncmp(name, data[i], strlen(data[i])))
			return true;
	return false;
}

enum selftest_change selftest_change(const struct selftest *t, unsigned int n,
				     unsigned int i, bool *data)
{
	const struct lbrscope_reg *before = &t->registers[n].before[i];
	const struct lbrscope_reg *after = &t->registers[n].after[i];
	struct regs_decoded d;
	struct regs_cpu kind = regs_cpu(t->info.vendor, t->info.lbr_format);

	regs_decode(&kind, before->msr, before->value, &d);
	*data = selftest_is_data(d.name);
	if (before->value == after->value)
		return SELFTEST_SAME;
	return *data && !after->value ? SELFTEST_EMPTIED : SELFTEST_CHANGED;
}

/* Control registers must have their previous values; data registers may be 0. The last event
 * record changes by itself. */
void selftest_compare(struct selftest *t)
{
	struct regs_cpu kind = regs_cpu(t->info.vendor, t->info.lbr_format);
	unsigned int n, i, changed;
	struct regs_decoded d;
	char first[64];
	bool data;

	for (n = 0; n < t->cpus.nr; n++) {
		changed = 0;
		first[0] = '\0';
		for (i = 0; i < t->registers[n].nr; i++) {
			if (selftest_change(t, n, i, &data) != SELFTEST_CHANGED)
				continue;
			regs_decode(&kind, t->registers[n].before[i].msr, 0, &d);
			if (strstr(d.name, "_LER_"))
				continue;
			if (!changed++)
				snprintf(first, sizeof(first), ", the first: %s", d.name);
		}
		selftest_result(t, "registers", t->cpus.cpus[n], !changed,
				"%u read before and after, %u differ%s",
				t->registers[n].nr, changed, first);
	}
}

/* Maximum number of results of one CPU; the trial compares its registers after each step. */
#define SELFTEST_RESULTS	24

int selftest_prepare(struct selftest *t, struct control *control)
{
	if (control_ask(control, &t->info))
		return -1;
	if (t->info.no_pmu[0])
		return err_fail("the self-test needs counters and branch records, which are "
				"missing: %s", t->info.no_pmu);
	if (cpulist_read(&t->cpus, "online"))
		return -1;
	t->max = SELFTEST_RESULTS * t->cpus.nr;
	t->results = calloc(t->max, sizeof(*t->results));
	t->registers = calloc(t->cpus.nr, sizeof(*t->registers));
	return t->results && t->registers ? 0 : err_fail("out of memory");
}

void selftest_free(struct selftest *t)
{
	cpulist_free(&t->cpus);
	free(t->registers);
	free(t->results);
}

bool selftest_passed(const struct selftest *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!t->results[i].ok)
			return false;
	return t->nr;
}
