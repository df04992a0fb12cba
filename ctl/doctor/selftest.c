// SPDX-License-Identifier: GPL-2.0
/* Measures known programs on each CPU, and compares the registers before and after. */
#include "base/err.h"
#include "doctor/selftest.h"
#include "doctor/selftest_measures.h"
#include "module/watchdog.h"

static int selftest_cpus(struct selftest *t, struct control *control)
{
	unsigned int n;

	for (n = 0; n < t->cpus.nr; n++) {
		struct selftest_run run = {
			.control = control, .cpu = t->cpus.cpus[n],
		};

		if (selftest_measure_counts(t, &run) || selftest_measure_period(t, &run) ||
		    selftest_measure_branches(t, &run))
			return -1;
	}
	return 0;
}

int selftest_all(struct selftest *t)
{
	struct guardian guardian;
	struct control control;
	int err;

	if (control_connect(&control))
		return -1;
	err = selftest_prepare(t, &control);
	if (!err && !(err = guardian_start(&guardian))) {
		err = selftest_registers(t, &control, false) ||
		      selftest_cpus(t, &control) ||
		      selftest_registers(t, &control, true);
		if (!err)
			selftest_compare(t);
		if (guardian_finish(&guardian))
			err = -1;
	}
	control_close(&control);
	return err ? -1 : 0;
}
