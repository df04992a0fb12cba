// SPDX-License-Identifier: GPL-2.0
/* Runs programs of the self-test, and reads their counts and samples. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "doctor/selftest_run.h"
#include "module/session.h"
#include "pmu/list.h"

#define CHILDREN	2

/* The child stops itself, so that it is inside the kernel when the measurement begins: a
 * program about to wait would be at an unknown place. It executes few instructions when it
 * continues, and always the same. */
static void selftest_child(const struct selftest_run *run, void (*program)(uint64_t rounds),
			   pid_t parent)
{
	size_t size = CPU_ALLOC_SIZE(run->cpu + 1);
	cpu_set_t *cpus = CPU_ALLOC(run->cpu + 1);

	if (!cpus)
		_exit(1);
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(run->cpu, size, cpus);
	/* Without its parent the child would stay stopped forever. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ||
	    sched_setaffinity(0, size, cpus) || kill(getpid(), SIGSTOP))
		_exit(1);
	program(run->rounds);
	_exit(0);
}

static int selftest_on_record(void *ctx, struct ring_reader *ring,
			      const struct lbrscope_record *record)
{
	struct selftest_run *run = ctx;
	struct ring_sample sample;

	if (record->type != LBRSCOPE_RECORD_SAMPLE)
		return 0;
	if (ring_reader_sample(ring, record, &sample))
		return -EPROTO;
	run->sample(run->ctx, &sample);
	return 0;
}

static int selftest_read_count(struct selftest_run *run, struct session *session,
			       unsigned int nr)
{
	struct lbrscope_count counts[LBRSCOPE_EVENTS_MAX];
	unsigned int i;
	int err;

	run->count = 0;
	for (i = 0; i < session->possible.nr; i++) {
		err = control_counts_get(run->control, session->fd,
					 session->possible.cpus[i], counts, nr);
		if (err)
			return err_fail("reading the counts of CPU %u: %s",
					session->possible.cpus[i],
					control_reason(run->control, err));
		run->count += counts[0].value;
	}
	return 0;
}

static int selftest_wait(pid_t child, int options, int *status, struct rusage *usage)
{
	while (wait4(child, status, options, usage) < 0)
		if (errno != EINTR)
			return err_errno("waiting for a program of the self-test");
	return 0;
}

/* Waits for the end of a program, which may stop itself before. */
static int selftest_finish(struct selftest_run *run, pid_t *child)
{
	struct rusage usage;
	int status;

	if (selftest_wait(*child, WUNTRACED, &status, &usage))
		return -1;
	while (WIFSTOPPED(status) && run->stopped) {
		if (run->stopped(run->ctx))
			return -1;
		if (kill(*child, SIGCONT))
			return err_errno("continuing a program of the self-test");
		if (selftest_wait(*child, WUNTRACED, &status, &usage))
			return -1;
	}
	if (!WIFSTOPPED(status))
		*child = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_fail("a program of the self-test could not run");
	run->switches += usage.ru_nvcsw + usage.ru_nivcsw;
	return 0;
}

/* Continues the programs, and waits for their end. */
static int selftest_go(struct selftest_run *run)
{
	unsigned int i;

	run->switches = 0;
	for (i = 0; i < CHILDREN && run->children[i]; i++)
		if (kill(run->children[i], SIGCONT))
			return err_errno("starting a program of the self-test");
	for (i = 0; i < CHILDREN && run->children[i]; i++)
		if (selftest_finish(run, &run->children[i]))
			return -1;
	return 0;
}

static int selftest_session(struct selftest_run *run)
{
	struct tasks_list pids = {};
	struct control_event events[LBRSCOPE_EVENTS_MAX] = {};
	struct control_session settings = {
		.events = events, .pids = &pids, .branches = run->branches,
		.ring_size = 16 * LBRSCOPE_RING_SIZE_MIN,
	};
	struct eventlist list = {};
	struct session session;
	char why[256];
	unsigned int i;
	int err;

	if (eventlist_parse(&list, run->event, why, sizeof(why)))
		return err_fail("%s", why);
	eventlist_ask(&list, events);
	settings.nr_events = list.nr;
	for (i = 0; i < list.nr; i++)
		events[i].period = run->period;
	for (i = 0; i < CHILDREN && run->children[i]; i++)
		pids.ids[pids.nr++] = run->children[i];
	if (run->branches == LBRSCOPE_BRANCHES_HISTORY)
		settings.branch_filter = LBRSCOPE_FILTER_USER | LBRSCOPE_FILTER_KINDS;
	if (session_open(&session, run->control, &settings))
		return -1;
	err = session_start(&session) || selftest_go(run) ||
	      session_stop(&session, &run->stats) ||
	      selftest_read_count(run, &session, list.nr) ||
	      (run->sample && session_drain(&session, selftest_on_record, run));
	session_close(&session);
	return err ? -1 : 0;
}

/* Starts a program, and waits until it has stopped itself. */
static int selftest_start(struct selftest_run *run, void (*program)(uint64_t rounds),
			  pid_t *child)
{
	const pid_t parent = getpid();
	struct rusage usage;
	int status;

	*child = fork();
	if (!*child)
		selftest_child(run, program, parent);
	if (*child < 0) {
		*child = 0;
		return err_errno("starting a program of the self-test");
	}
	if (selftest_wait(*child, WUNTRACED, &status, &usage))
		return -1;
	if (WIFSTOPPED(status))
		return 0;
	*child = 0;
	return err_fail("a program of the self-test could not run on CPU %u", run->cpu);
}

int selftest_run(struct selftest_run *run)
{
	unsigned int i;
	int err;

	run->children[0] = run->children[1] = 0;
	/* Fork before the session is opened: a child that inherits its descriptor would keep
	 * it open. */
	err = selftest_start(run, run->program, &run->children[0]);
	if (!err && run->second)
		err = selftest_start(run, run->second, &run->children[1]);
	run->second_pid = run->children[1];
	if (!err)
		err = selftest_session(run);
	for (i = 0; i < CHILDREN; i++) {
		if (!run->children[i])
			continue;
		kill(run->children[i], SIGKILL);
		waitpid(run->children[i], NULL, 0);
		run->children[i] = 0;
	}
	return err;
}
