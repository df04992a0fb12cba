/* SPDX-License-Identifier: GPL-2.0 */
/* The first run on a real CPU, in steps from harmless to hard. */
#ifndef LBRCTL_DOCTOR_TRIAL_H
#define LBRCTL_DOCTOR_TRIAL_H

#include "doctor/selftest.h"

/*
 * Runs the steps of the trial, and prints each to stderr before it begins: if the machine dies,
 * the last line names the step. After each step the registers of all CPUs must have their
 * values of the begin, and the kernel must not have complained. The first unexpected result
 * ends the trial. suspend: a word of /sys/power/state, to which the last step sends the machine
 * for some seconds; NULL: there is no such step.
 *
 * The results are in the test, as those of selftest_all(), and selftest_passed() tells whether
 * all was as expected. Returns 0, or -1 with a message when a step could not be done. Call
 * selftest_free() in both cases.
 */
int trial_run(struct selftest *test, const char *suspend);

/* Compares the CPU with the same model of the emulated machine that the project is tested on,
 * and adds the result. */
void trial_compare_model(struct selftest *test);

#endif
