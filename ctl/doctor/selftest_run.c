// SPDX-License-Identifier: GPL-2.0
/* Runs one program of the self-test, and reads its counts. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "doctor/selftest_run.h"
#include "module/session.h"
#include "pmu/list.h"
#include "workload/tasks.h"

/* The child stops itself, so that it is inside the kernel when the measurement begins: a
 * program about to wait would be at an unknown place. It executes few instructions when it
 * continues, and always the same. */
static void selftest_child(const struct selftest_run *run, pid_t parent)
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
	run->program(run->rounds);
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

static int selftest_read_count(struct selftest_run *run, struct session *session)
{
	struct lbrscope_count count;
	unsigned int i;
	int err;

	run->count = 0;
	for (i = 0; i < session->possible.nr; i++) {
		err = control_counts_get(run->control, session->fd,
					 session->possible.cpus[i], &count, 1);
		if (err)
			return err_fail("reading the counts of CPU %u: %s",
					session->possible.cpus[i],
					control_reason(run->control, err));
		run->count += count.value;
	}
	return 0;
}

static int selftest_wait(pid_t child, int options, int *status)
{
	while (waitpid(child, status, options) < 0)
		if (errno != EINTR)
			return err_errno("waiting for a program of the self-test");
	return 0;
}

/* Continues the program, and waits for its end. */
static int selftest_go(struct selftest_run *run)
{
	int status;

	if (kill(run->child, SIGCONT))
		return err_errno("starting a program of the self-test");
	if (selftest_wait(run->child, 0, &status))
		return -1;
	run->child = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_fail("a program of the self-test could not run");
	return 0;
}

static int selftest_session(struct selftest_run *run)
{
	struct tasks_list pids = { .nr = 1, .ids = { run->child } };
	struct control_event event = {};
	struct control_session settings = {
		.events = &event, .nr_events = 1, .pids = &pids,
		.branches = run->branches,
		.ring_size = 4 * LBRSCOPE_RING_SIZE_MIN,
	};
	struct eventlist list = {};
	struct session session;
	char why[256];
	int err;

	if (eventlist_parse(&list, run->event, why, sizeof(why)))
		return err_fail("%s", why);
	eventlist_ask(&list, &event);
	event.period = run->period;
	if (run->branches == LBRSCOPE_BRANCHES_HISTORY)
		settings.branch_filter = LBRSCOPE_FILTER_USER | LBRSCOPE_FILTER_KINDS;
	if (session_open(&session, run->control, &settings))
		return -1;
	err = session_start(&session) || selftest_go(run) ||
	      session_stop(&session, &run->stats) ||
	      selftest_read_count(run, &session) ||
	      (run->sample && session_drain(&session, selftest_on_record, run));
	session_close(&session);
	return err ? -1 : 0;
}

int selftest_run(struct selftest_run *run)
{
	const pid_t parent = getpid();
	int status, err;

	/* Fork before the session is opened: a child that inherits its descriptor would keep
	 * it open. */
	run->child = fork();
	if (!run->child)
		selftest_child(run, parent);
	if (run->child < 0)
		return err_errno("starting a program of the self-test");
	if (selftest_wait(run->child, WUNTRACED, &status))
		return -1;
	if (!WIFSTOPPED(status))
		return err_fail("a program of the self-test could not run on CPU %u",
				run->cpu);
	err = selftest_session(run);
	if (run->child) {
		kill(run->child, SIGKILL);
		waitpid(run->child, NULL, 0);
	}
	return err;
}
