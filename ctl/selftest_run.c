// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "eventlist.h"
#include "selftest_run.h"
#include "session.h"
#include "tasks.h"

/* What it does when it has said so is little, and the same each time: the functions that
 * it calls then are bound by now. */
static void selftest_child(const struct selftest_run *run, int ready, int go)
{
	size_t size = CPU_ALLOC_SIZE(run->cpu + 1);
	cpu_set_t *cpus = CPU_ALLOC(run->cpu + 1);
	char byte;

	if (!cpus)
		_exit(1);
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(run->cpu, size, cpus);
	if (sched_setaffinity(0, size, cpus) || read(go, &byte, 0) ||
	    write(ready, "", 1) != 1 || read(go, &byte, 1) != 1)
		_exit(1);
	run->program(run->rounds);
	_exit(0);
}

static int selftest_read_rings(struct selftest_run *run, struct session *session)
{
	const struct lbrscope_record *record;
	struct ring_sample sample;
	unsigned int i;
	int got = 0;

	for (i = 0; i < session->nr_rings; i++) {
		struct ring_reader *ring = &session->rings[i];

		got = ring_reader_refresh(ring);
		while (!got && (got = ring_reader_peek(ring, &record)) > 0) {
			if (record->type != LBRSCOPE_RECORD_SAMPLE)
				got = 0;
			else if (!(got = ring_reader_sample(record, &sample)))
				run->sample(run->ctx, &sample);
			ring_reader_consume(ring);
		}
		if (got < 0)
			return err_fail("the ring of CPU %u is corrupt",
					session->possible.cpus[i]);
	}
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

static int selftest_go(int go, pid_t child)
{
	int status;

	if (write(go, "", 1) != 1)
		return err_errno("starting a program of the self-test");
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno("waiting for a program of the self-test");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_fail("a program of the self-test could not run");
	return 0;
}

static int selftest_session(struct selftest_run *run, int go, pid_t child)
{
	struct tasks_list pids = { .nr = 1, .ids = { child } };
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
	eventlist_limit(&list, run->info);
	eventlist_ask(&list, &event);
	event.period = run->period;
	if (run->branches == LBRSCOPE_BRANCHES_HISTORY)
		settings.branch_filter = LBRSCOPE_FILTER_USER | LBRSCOPE_FILTER_KINDS;
	if (session_open(&session, run->control, &settings))
		return -1;
	err = session_start(&session) || selftest_go(go, child) ||
	      session_stop(&session, &run->stats) ||
	      selftest_read_count(run, &session) ||
	      (run->sample && selftest_read_rings(run, &session));
	session_close(&session);
	return err ? -1 : 0;
}

/* pipes: to say that it is ready, to be let go. */
static int selftest_fork(struct selftest_run *run, int ready[2], int go[2])
{
	pid_t child = fork();
	char byte;
	int err;

	if (!child) {
		close(ready[0]);
		close(go[1]);
		selftest_child(run, ready[1], go[0]);
	}
	close(ready[1]);
	close(go[0]);
	if (child < 0)
		err = err_errno("starting a program of the self-test");
	else if (read(ready[0], &byte, 1) != 1)
		err = err_fail("a program of the self-test could not run on CPU %u",
			       run->cpu);
	else
		err = selftest_session(run, go[1], child);
	close(ready[0]);
	/* One that was not let run ends by this. */
	close(go[1]);
	if (child > 0 && err)
		waitpid(child, NULL, 0);
	return err;
}

int selftest_run(struct selftest_run *run)
{
	int ready[2], go[2];

	if (pipe(ready))
		return err_errno("starting a program of the self-test");
	/* It is there before the session: what a child inherits keeps that open. */
	if (!pipe(go))
		return selftest_fork(run, ready, go);
	close(ready[0]);
	close(ready[1]);
	return err_errno("starting a program of the self-test");
}
