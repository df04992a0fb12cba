/* SPDX-License-Identifier: GPL-2.0 */
/* The measurements of the self-test and of the trial. */
#ifndef LBRCTL_DOCTOR_SELFTEST_MEASURES_H
#define LBRCTL_DOCTOR_SELFTEST_MEASURES_H

#include "doctor/selftest.h"
#include "doctor/selftest_run.h"

#define SELFTEST_SAMPLES	200	/* number of samples that a program is long enough for */
#define SELFTEST_ROUNDS		(SELFTEST_SAMPLES * 50000ULL)
#define SELFTEST_PERIOD		100003	/* instructions; a round of selftest_loop() has two */

/* Each of these measures known programs on run->cpu, adds its results to the test, and returns
 * 0, or -1 with a message when it could not measure. The caller sets run->control and run->cpu. */

/* Counts instructions and branches of two programs. */
int selftest_measure_counts(struct selftest *test, struct selftest_run *run);

/* Samples one event: as many samples as periods. */
int selftest_measure_period(struct selftest *test, struct selftest_run *run);

/* Samples with branch histories and call stacks, if the CPU has them. */
int selftest_measure_branches(struct selftest *test, struct selftest_run *run);

/* Samples several events that overflow in the same instruction, in every period. */
int selftest_measure_overflows(struct selftest *test, struct selftest_run *run);

/* Samples two programs of different depth that give each other the CPU all the time. */
int selftest_measure_switches(struct selftest *test, struct selftest_run *run);

/* Samples a program before and after the machine has slept: run->stopped() puts it to sleep,
 * and returns 0 when it is awake, or -1 with a message. */
int selftest_measure_suspend(struct selftest *test, struct selftest_run *run);

#endif
