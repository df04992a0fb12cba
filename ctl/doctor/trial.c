// SPDX-License-Identifier: GPL-2.0
/* The first run on a real CPU, in steps from harmless to hard. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "doctor/kernel_log.h"
#include "doctor/selftest_measures.h"
#include "doctor/trial.h"
#include "module/watchdog.h"

#define SLEEP_S		"10"

struct trial {
	struct selftest *test;
	struct control control;
	struct kernel_log log;
	const char *suspend;
};

static int trial_each_cpu(struct trial *trial,
			  int (*measure)(struct selftest *test, struct selftest_run *run))
{
	const struct cpulist *cpus = &trial->test->cpus;

	for (unsigned int n = 0; n < cpus->nr; n++) {
		struct selftest_run run = {
			.control = &trial->control, .cpu = cpus->cpus[n],
		};

		if (measure(trial->test, &run))
			return -1;
		if (!selftest_passed(trial->test))
			return 0;
	}
	return 0;
}

/* Nothing but the comparison of the registers, which follows each step. */
static int trial_registers(struct trial *trial)
{
	trial_compare_model(trial->test);
	return 0;
}

static int trial_counts(struct trial *trial)
{
	return trial_each_cpu(trial, selftest_measure_counts);
}

static int trial_period(struct trial *trial)
{
	return trial_each_cpu(trial, selftest_measure_period);
}

static int trial_branches(struct trial *trial)
{
	return trial_each_cpu(trial, selftest_measure_branches);
}

static int trial_overflows(struct trial *trial)
{
	return trial_each_cpu(trial, selftest_measure_overflows);
}

static int trial_switches(struct trial *trial)
{
	return trial_each_cpu(trial, selftest_measure_switches);
}

static int trial_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return err_errno("opening %s, to let the machine sleep", path);
	n = write(fd, text, strlen(text));
	if (n < 0)
		err_errno("writing '%s' to %s, to let the machine sleep", text, path);
	close(fd);
	return n < 0 ? -1 : 0;
}

/* The second write returns when the machine is awake. */
static int trial_sleep(void *state)
{
	return trial_write("/sys/class/rtc/rtc0/wakealarm", "+" SLEEP_S) ||
	       trial_write("/sys/power/state", state) ? -1 : 0;
}

/* On the first CPU alone: the others go offline, and their programs would be moved. The lab's
 * machine does not come back from sleep, and reports an error when it comes back from its image:
 * what this step shows on a real CPU follows Documentation/power/states.rst. */
static int trial_suspend(struct trial *trial)
{
	struct selftest_run run = {
		.control = &trial->control, .cpu = trial->test->cpus.cpus[0],
		.stopped = trial_sleep, .ctx = (void *)trial->suspend,
	};

	return selftest_measure_suspend(trial->test, &run);
}

static const struct trial_step {
	const char *name, *does;
	int (*run)(struct trial *trial);
} trial_steps[] = {
	{ "registers", "reads the registers of each CPU", trial_registers },
	{ "counts", "counts one event at a time, on each CPU", trial_counts },
	{ "samples", "samples one event, on each CPU", trial_period },
	{ "branches", "samples with branch records and call stacks, on each CPU",
	  trial_branches },
	{ "overflows", "lets several events overflow at once, on each CPU",
	  trial_overflows },
	{ "switches", "samples programs that switch all the time, on each CPU",
	  trial_switches },
	{ "suspend", "lets the machine sleep, " SLEEP_S " seconds or less, while a session runs",
	  trial_suspend },
};

/* What the step has left behind. */
static int trial_look(struct trial *trial)
{
	struct selftest *t = trial->test;
	char alarm[120];

	if (kernel_log_alarm(&trial->log, alarm, sizeof(alarm)))
		selftest_result(t, "kernel messages", t->cpus.cpus[0], false, "%s", alarm);
	if (selftest_registers(t, &trial->control, true))
		return -1;
	selftest_compare(t);
	return 0;
}

static int trial_walk(struct trial *trial)
{
	const unsigned int nr = sizeof(trial_steps) / sizeof(trial_steps[0]) -
				!trial->suspend;
	struct selftest *t = trial->test;
	unsigned int i;

	t->steps = nr;
	for (i = 0; i < nr; i++) {
		t->begun = i + 1;
		t->last_step = trial_steps[i].name;
		fprintf(stderr, "lbrctl: step %u of %u, %s: %s\n", i + 1, nr,
			trial_steps[i].name, trial_steps[i].does);
		if (trial_steps[i].run(trial) || trial_look(trial))
			return -1;
		if (selftest_passed(t))
			continue;
		fprintf(stderr, "lbrctl: stopped after step %u of %u, %s: a result is not as "
			"expected\n", i + 1, nr, trial_steps[i].name);
		return 0;
	}
	return 0;
}

static int trial_guarded(struct trial *trial)
{
	struct guardian guardian;
	int err;

	if (guardian_start(&guardian))
		return -1;
	err = selftest_registers(trial->test, &trial->control, false) || trial_walk(trial);
	return guardian_finish(&guardian) || err ? -1 : 0;
}

int trial_run(struct selftest *test, const char *suspend)
{
	struct trial trial = { .test = test, .suspend = suspend };
	int err;

	if (control_connect(&trial.control))
		return -1;
	err = selftest_prepare(test, &trial.control) || kernel_log_open(&trial.log);
	if (!err) {
		err = trial_guarded(&trial);
		kernel_log_close(&trial.log);
	}
	control_close(&trial.control);
	return err ? -1 : 0;
}
