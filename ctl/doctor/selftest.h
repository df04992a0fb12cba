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
	char text[200];		/* what was seen, and what ought to be */
};

struct selftest_cpu {
	struct lbrscope_reg before[LBRSCOPE_REGS_MAX], after[LBRSCOPE_REGS_MAX];
	unsigned int nr;
};

struct selftest {
	struct control_info info;
	struct cpulist cpus;		/* online */
	struct selftest_cpu *registers;	/* of each */
	struct selftest_result *results;
	unsigned int nr, max;
};

/* Measures. Failing tests are results; returns 0, or -1 with a message when it could not
 * be done. selftest_free() is for both. */
int selftest_all(struct selftest *test);
void selftest_free(struct selftest *test);

/* Whether everything was as it ought to be. */
bool selftest_passed(const struct selftest *test);

enum selftest_change {
	SELFTEST_SAME,
	SELFTEST_EMPTIED,	/* data, 0 by now */
	SELFTEST_CHANGED,
};

/* The change of register i of the nth CPU; *data: it holds counts or branches. */
enum selftest_change selftest_change(const struct selftest *test, unsigned int n,
				     unsigned int i, bool *data);

/* Writes what a bug report needs to a file: of the checks and of the test, which may not
 * have been begun (no results). Returns 0 or -1 with a message, and no file. */
int selftest_bundle(const struct selftest *test, const struct checks *checks,
		    const char *path);

/* The members of a result's JSON object, which is open. */
struct json;
void selftest_put_result(const struct selftest_result *result, struct json *json);

#endif
