/* SPDX-License-Identifier: GPL-2.0 */
/* Programs known by construction, measured on this machine, and its registers before and
 * after. */
#ifndef LBRCTL_DOCTOR_SELFTEST_H
#define LBRCTL_DOCTOR_SELFTEST_H

#include <stdbool.h>

#include "base/cpulist.h"
#include "doctor/checks.h"
#include "module/netlink.h"

struct selftest_result {
	const char *name;	/* constant */
	unsigned int cpu;
	bool ok;
	char text[200];		/* the measured and the expected value */
};

struct selftest_cpu {
	struct lbrscope_reg before[LBRSCOPE_REGS_MAX], after[LBRSCOPE_REGS_MAX];
	unsigned int nr;
};

struct selftest {
	struct control_info info;
	struct cpulist cpus;		/* the online CPUs */
	struct selftest_cpu *registers;	/* registers of each CPU */
	struct selftest_result *results;
	unsigned int nr, max;
	double seconds;			/* the time of all measurements */
	bool passed;			/* all were made, and all results are as expected */
	/* The steps of a trial, the number that have begun, and the name of the last one that has.
	 * Without a trial, and before its first step: 0, 0 and NULL. */
	unsigned int steps, begun;
	const char *last_step;
};

/* Runs all tests. Failing tests are results. Returns 0, or -1 with a message when a test could
 * not run. Call selftest_free() in both cases. */
int selftest_all(struct selftest *test);
void selftest_free(struct selftest *test);

/* The parts of selftest_all(), for the trial. Prepare asks for the CPUs and gets memory;
 * registers reads all registers, before or after; compare adds a result for each CPU. The first
 * two return 0, or -1 with a message. */
int selftest_prepare(struct selftest *test, struct control *control);
int selftest_registers(struct selftest *test, struct control *control, bool after);
void selftest_compare(struct selftest *test);

/* Adds a result. name is constant. */
void selftest_result(struct selftest *test, const char *name, unsigned int cpu, bool ok,
		     const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Whether all tests have passed. */
bool selftest_passed(const struct selftest *test);

enum selftest_change {
	SELFTEST_SAME,
	SELFTEST_EMPTIED,	/* a data register, now 0 */
	SELFTEST_CHANGED,
};

/* Returns the change of register i of the nth CPU; *data: it holds counts or branches. */
enum selftest_change selftest_change(const struct selftest *test, unsigned int n,
				     unsigned int i, bool *data);

/* Writes the file that a bug report needs: the checks and the results of the test, which may
 * be absent. Returns 0 or -1 with a message, and no file. */
int selftest_bundle(const struct selftest *test, const struct checks *checks,
		    const char *path);

/* Prints the members of a result's JSON object, which is open. */
struct json;
void selftest_put_result(const struct selftest_result *result, struct json *json);

#endif
