// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl doctor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "doctor/checks.h"
#include "doctor/selftest.h"
#include "doctor/trial.h"
#include "verbs/options.h"
#include "verbs/verbs.h"
#include "workload/tasks.h"

#define DOCTOR_BUNDLE	"lbrscope-selftest.json"
#define DOCTOR_TRIAL	"lbrscope-trial.json"

static const char usage[] =
	"Usage: lbrctl doctor [OPTION]... [FILE]...\n"
	"\n"
	"Checks what can prevent a recording on this machine, and prints the remedy; for\n"
	"each FILE of code, whether its functions have names. The exit status is 1 if\n"
	"nothing can be recorded.\n";

struct doctor_options {
	struct tasks_list pids;
	char **files;
	const char *bundle;
	const char *suspend;
	bool self_test, trial, yes, json;
};

static const char *const doctor_states[] = {
	[CHECKS_OK] = "ok", [CHECKS_NOTE] = "note", [CHECKS_BAD] = "bad",
};

static unsigned int doctor_count(const struct checks *c, enum checks_state state)
{
	unsigned int i, nr = 0;

	for (i = 0; i < c->nr; i++)
		nr += c->list[i].state == state;
	return nr;
}

/* Names of files and processes can have any characters. */
static void doctor_put(const char *text)
{
	text_put_line(stdout, text, '\0');
}

/* Prints the verdict of a trial, and the address that its file should go to. */
static void doctor_print_trial(const struct doctor_options *o, const struct selftest *t)
{
	unsigned int i, passed = 0;

	if (!t->begun) {
		printf("the trial has not begun\n");
		return;
	}
	for (i = 0; i < t->nr; i++)
		passed += t->results[i].ok;
	if (t->passed)
		printf("trial passed: ");
	else
		printf("trial failed in step %u of %u, %s: ", t->begun, t->steps, t->last_step);
	printf("%u of %u results are as expected, in %.0f s\n", passed, t->nr, t->seconds);
	printf("please send ");
	doctor_put(o->bundle);
	printf(" to %s: lbrctl-doctor(8) says what it contains\n", version_contact);
}

static void doctor_print_text(const struct doctor_options *o, const struct checks *c,
			      const struct selftest *t)
{
	unsigned int i, bad = doctor_count(c, CHECKS_BAD);

	for (i = 0; i < c->nr; i++) {
		const struct checks_finding *f = &c->list[i];

		printf("%-4s  %-12s  ", doctor_states[f->state], f->name);
		doctor_put(f->text);
		if (f->mend[0]) {
			printf("\n%-18s  -> ", "");
			doctor_put(f->mend);
		}
		putchar('\n');
	}
	for (i = 0; i < t->nr; i++)
		printf("%-4s  CPU %-3u %s: %s\n", t->results[i].ok ? "ok" : "bad",
		       t->results[i].cpu, t->results[i].name, t->results[i].text);
	if (bad)
		printf("\nnothing can be recorded: %u bad\n", bad);
	else
		printf("\nnothing prevents a recording\n");
	if (o->trial)
		doctor_print_trial(o, t);
}

static void doctor_print_json(const struct checks *c, const struct selftest *t)
{
	struct json json = json_to(stdout), *j = &json;

	json_head(j, "doctor");
	json_bool(j, "ready", !doctor_count(c, CHECKS_BAD));
	json_array(j, "checks");
	for (unsigned int i = 0; i < c->nr; i++) {
		const struct checks_finding *f = &c->list[i];

		json_object(j, NULL);
		json_text(j, "name", f->name);
		json_text(j, "state", doctor_states[f->state]);
		json_text(j, "text", f->text);
		json_text(j, "mend", f->mend[0] ? f->mend : NULL);
		json_close(j);
	}
	json_close(j);
	json_array(j, "tests");
	for (unsigned int i = 0; i < t->nr; i++) {
		json_object(j, NULL);
		selftest_put_result(&t->results[i], j);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	json_end(j);
}

/* If no recording is possible the bundle has the reasons. Returns whether all checks passed. */
static bool doctor_self_test(const struct doctor_options *o, const struct checks *c,
			     struct selftest *t)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	t->passed = !doctor_count(c, CHECKS_BAD) &&
		    !(o->trial ? trial_run(t, o->suspend) : selftest_all(t)) &&
		    selftest_passed(t);
	t->seconds = (clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
	if (selftest_bundle(t, c, o->bundle))
		return false;
	fprintf(stderr, "lbrctl: wrote %s\n", o->bundle);
	return t->passed;
}

static bool doctor_look(const struct doctor_options *o, struct checks *c)
{
	struct selftest test = {};
	bool ok;

	checks_counters(c);
	checks_module(c);
	checks_pmu(c);
	checks_kernel_names(c);
	for (unsigned int i = 0; i < o->pids.nr; i++)
		checks_process_names(c, o->pids.ids[i]);
	for (char **file = o->files; *file; file++)
		checks_file_names(c, *file);
	ok = o->self_test || o->trial ? doctor_self_test(o, c, &test) :
			    !doctor_count(c, CHECKS_BAD);
	if (o->json)
		doctor_print_json(c, &test);
	else
		doctor_print_text(o, c, &test);
	selftest_free(&test);
	return ok;
}

static int doctor_run(const struct doctor_options *o)
{
	struct checks *c = calloc(1, sizeof(*c));
	bool ok;

	if (!c) {
		err_fail("out of memory");
		return ERR_EXIT_FAILED;
	}
	ok = doctor_look(o, c);
	free(c);
	return err_flush_stdout() || !ok ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* A fault of the module, or of the CPU, stops the whole machine. */
static bool doctor_may_begin(void)
{
	char answer[8] = "";

	fprintf(stderr, "The trial programs the counters of all CPUs of this machine, as no machine of "
		"its model\nmay have been before. At worst the machine stops, and what is not saved is "
		"lost.\nBegin? [y/N] ");
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	err_fail("the trial has not begun");
	return false;
}

static int doctor_pids(const char *verb, const char *text, void *options)
{
	if (!tasks_parse(&((struct doctor_options *)options)->pids, text))
		return 0;
	return err_usage(verb, "-p %s: expected process ids, such as 12,345", text);
}

static int doctor_output(const char *verb, const char *text, void *options)
{
	((struct doctor_options *)options)->bundle = text;
	if (!strcmp(text, "-"))
		return err_usage(verb, "-o -: the findings go to the standard output: name a file");
	return *text ? 0 : err_usage(verb, "-o needs the name of a file");
}

static int doctor_suspend(const char *verb, const char *text, void *options)
{
	static const char *const states[] = { "mem", "freeze", "standby", "disk" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(text, states[i])) {
			((struct doctor_options *)options)->suspend = states[i];
			return 0;
		}
	return err_usage(verb, "--suspend %s: expected a state of /sys/power/state: mem, freeze, "
			 "standby or disk", text);
}

static const struct options_option options[] = {
	{ "pid", 'p', "PID",
	  "check the files that this process has mapped; or several, PID,PID",
	  doctor_pids, 0 },
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct doctor_options, json, bool) },
	{ "self-test", 0, NULL,
	  "also measure known programs on each CPU and compare the registers before and after; "
	  "write a file for bug reports",
	  options_set, part_of(struct doctor_options, self_test, bool) },
	{ "trial", 0, NULL,
	  "a first run on a real CPU, in steps from harmless to hard, that ends at the first "
	  "unexpected result; write a file for the developers",
	  options_set, part_of(struct doctor_options, trial, bool) },
	{ "yes", 'y', NULL,
	  "with --trial: begin without a question",
	  options_set, part_of(struct doctor_options, yes, bool) },
	{ "suspend", 0, "STATE",
	  "with --trial: the last step lets the machine sleep; a word of /sys/power/state, "
	  "such as mem",
	  doctor_suspend, 0 },
	{ "output", 'o', "FILE",
	  "the file to write (" DOCTOR_BUNDLE ", or " DOCTOR_TRIAL ")",
	  doctor_output, 0 },
	{ .name = NULL }
};

int cmd_doctor(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "doctor", .usage = usage,
		.options = options, .arguments = OPTIONS_ANY,
	};
	struct doctor_options options = {};
	int err;

	if (!options_take(&verb, argc, argv, &options, &err))
		return err;
	if (options.bundle && !options.self_test && !options.trial)
		return err_usage("doctor", "-o is the output of --self-test and --trial: add one of them");
	if (options.self_test && options.trial)
		return err_usage("doctor", "--trial has all measurements of --self-test: leave one of them out");
	if (options.suspend && !options.trial)
		return err_usage("doctor", "--suspend is the last step of --trial: add --trial");
	if (options.yes && !options.trial)
		return err_usage("doctor", "--yes answers the question of --trial: add --trial");
	if (options.trial && !options.yes && !isatty(STDIN_FILENO))
		return err_usage("doctor", "--trial asks before it begins, and the standard input is no "
				 "terminal: add --yes if this machine may stop");
	if (options.trial && !options.yes && !doctor_may_begin())
		return ERR_EXIT_FAILED;
	if (!options.bundle)
		options.bundle = options.trial ? DOCTOR_TRIAL : DOCTOR_BUNDLE;
	options.files = argv + optind;
	return doctor_run(&options);
}
