// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl triage. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "triage/ipc.h"
#include "triage/triage.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

#define SECOND	1000000000ULL

static const char usage[] =
	"Usage: lbrctl triage [-d TIME] [--json]\n"
	"\n"
	"Finds which resource the whole machine is short of, CPUs, memory or I/O, and\n"
	"says which profile to make.\n";

struct triage_options {
	uint64_t ns;
	bool json;
};

static const char *const triage_names[TRIAGE_RESOURCES] = { "cpu", "memory", "io" };

static void triage_text(const struct triage_result *r, const char *no_ipc,
			const struct triage_advice *a)
{
	printf("cpu       %u CPUs %.1f %% busy, %.1f %% idle for I/O, %.1f %% stolen by other "
	       "machines\n", r->cpus, r->busy, r->iowait, r->steal);
	printf("queue     %.1f tasks running or ready, %.2f per CPU; %.1f blocked\n",
	       r->running, r->running / r->cpus, r->blocked);
	if (r->top.pid) {
		printf("busiest   ");
		text_put_line(stdout, r->top.comm, '\0');
		printf(", pid %u: %.0f %% of a CPU\n", r->top.pid, r->top_busy);
	}
	if (r->has_ipc)
		printf("ipc       %.2f instructions per cycle\n", r->ipc);
	else
		printf("ipc       not known: %s\n", no_ipc);
	printf("memory    %.0f %% available, %" PRIu64 " MiB swapped out; %" PRIu64 " pages "
	       "swapped, %" PRIu64 " major faults, %" PRIu64 " processes killed\n",
	       r->available, r->swap_used / 1024, r->swapped, r->major_faults, r->oom_kills);
	if (*r->disk)
		printf("disk      %s %.0f %% busy\n", r->disk, r->disk_busy);
	if (r->has_pressure)
		for (int i = 0; i < TRIAGE_RESOURCES; i++)
			printf("pressure  %-6s  some task waited %.1f %% of the time, all %.1f "
			       "%%\n", triage_names[i], r->some[i], r->full[i]);
	else
		printf("pressure  not known: boot with psi=1\n");
	printf("\n%s: %s:\n\n    %s\n", a->kind, a->reason, a->command);
}

static void triage_json_usage(struct json *j, const struct triage_result *r,
			      const char *no_ipc)
{
	json_unsigned(j, "cpus", r->cpus);
	json_fixed(j, "busy", r->busy, 2);
	json_fixed(j, "iowait", r->iowait, 2);
	json_fixed(j, "steal", r->steal, 2);
	json_fixed(j, "running", r->running, 2);
	json_fixed(j, "blocked", r->blocked, 2);
	json_fixed(j, "ipc", r->has_ipc ? r->ipc : NAN, 3);
	json_text(j, "ipc_unknown", r->has_ipc ? NULL : no_ipc);
	json_fixed(j, "memory_available", r->available, 2);
	json_unsigned(j, "swap_used_kib", r->swap_used);
	json_unsigned(j, "pages_swapped", r->swapped);
	json_unsigned(j, "major_faults", r->major_faults);
	json_unsigned(j, "oom_kills", r->oom_kills);
	json_text(j, "busiest_disk", r->disk);
	json_fixed(j, "disk_busy", r->disk_busy, 2);
	json_object(j, "busiest_process");
	json_unsigned(j, "pid", r->top.pid);
	json_fixed(j, "busy", r->top_busy, 2);
	json_text(j, "name", r->top.comm);
	json_close(j);
}

static void triage_json_pressure(struct json *j, const struct triage_result *r)
{
	if (!r->has_pressure) {
		json_null(j, "pressure");
		return;
	}
	json_object(j, "pressure");
	for (int i = 0; i < TRIAGE_RESOURCES; i++) {
		json_object(j, triage_names[i]);
		json_fixed(j, "some", r->some[i], 2);
		json_fixed(j, "full", r->full[i], 2);
		json_close(j);
	}
	json_close(j);
}

static void triage_json(const struct triage_result *r, const char *no_ipc,
			const struct triage_advice *a)
{
	struct json json = json_to(stdout), *j = &json;

	json_head(j, "triage");
	triage_json_usage(j, r, no_ipc);
	triage_json_pressure(j, r);
	json_object(j, "advice");
	json_text(j, "kind", a->kind);
	json_text(j, "reason", a->reason);
	json_text(j, "command", a->command);
	json_close(j);
	json_close(j);
	json_end(j);
}

/* Reads the tasks at each second. Returns 0 or -1 with a message. */
static int triage_wait(uint64_t ns, struct triage_result *r)
{
	unsigned int nr = 0;

	for (; ns; nr++) {
		uint64_t step = ns < SECOND ? ns : SECOND;
		struct timespec pause = { step / SECOND, step % SECOND };
		struct triage_state now = {};

		while (nanosleep(&pause, &pause))
			;
		if (triage_read_stat("/proc", &now))
			return -1;
		r->running += now.running;
		r->blocked += now.blocked;
		ns -= step;
	}
	r->running /= nr;
	r->blocked /= nr;
	return 0;
}

static double triage_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static int triage_run(const struct triage_options *o)
{
	struct triage_state before = {}, after = {};
	struct triage_result r = {};
	struct triage_advice advice;
	struct triage_ipc ipc;
	double started;
	int err;

	triage_ipc_start(&ipc);
	started = triage_now();
	err = triage_read("/proc", &before) || triage_wait(o->ns, &r) ||
	      triage_read("/proc", &after);
	if (!err)
		triage_compare(&before, &after, triage_now() - started, &r);
	r.has_ipc = triage_ipc_stop(&ipc, &r.ipc);
	if (!err) {
		triage_advise(&r, &advice);
		(o->json ? triage_json : triage_text)(&r, ipc.why, &advice);
	}
	triage_free(&before);
	triage_free(&after);
	return err || err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int triage_duration(const char *verb, const char *text, void *options)
{
	struct triage_options *o = options;

	if (duration_parse(text, 0, &o->ns) && o->ns)
		return 0;
	return err_usage(verb, "-d %s: the duration must be positive and needs a unit ("
			 DURATION_UNITS "), such as 10s", text);
}

static const struct options_option options[] = {
	{ "duration", 'd', "TIME",
	  "how long to observe (30s)",
	  triage_duration, 0 },
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct triage_options, json, bool) },
	{ .name = NULL }
};

int cmd_triage(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "triage", .usage = usage,
		.options = options,
	};
	struct triage_options options = { .ns = 30 * SECOND };
	int err;

	return options_take(&verb, argc, argv, &options, &err) ? triage_run(&options) : err;
}
