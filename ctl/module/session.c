// SPDX-License-Identifier: GPL-2.0
/* Opens, starts and stops a session of the module. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "module/holders.h"
#include "module/load.h"
#include "module/session.h"

#define SESSION_PRIVILEGE	"run lbrctl as root, or with CAP_PERFMON and " \
				"access to " LBRSCOPE_DEVICE

static int session_device(void)
{
	int fd = open(LBRSCOPE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return err_fail("no permission to open %s: %s", LBRSCOPE_DEVICE,
				SESSION_PRIVILEGE);
	if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
		return err_fail("%s does not exist: module lbrscope is not loaded; run 'lbrctl "
				"load'", LBRSCOPE_DEVICE);
	return err_errno("opening %s", LBRSCOPE_DEVICE);
}

int session_check(void)
{
	int fd = session_device();

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int session_refused(struct session *session, const char *what, int err)
{
	const char *reason = control_reason(session->control, err);

	/* No privilege helps against lockdown. */
	if (err == -EPERM && strstr(reason, "locked down"))
		return err_fail("%s: %s; boot without lockdown=confidentiality", what, reason);
	if (err == -EPERM)
		return err_fail("%s: %s; %s", what, reason, SESSION_PRIVILEGE);
	return err_fail("%s: %s", what, reason);
}

static int session_map(struct session *session, uint32_t ring_size)
{
	unsigned int i;

	if (cpulist_read(&session->possible, "possible"))
		return -1;
	session->rings = calloc(session->possible.nr, sizeof(*session->rings));
	if (!session->rings)
		return err_fail("out of memory");
	for (i = 0; i < session->possible.nr; i++) {
		if (ring_reader_map(&session->rings[i], session->fd,
				    session->possible.cpus[i], ring_size))
			return -1;
		session->nr_rings++;
	}
	return 0;
}

/* The module leaves isolated CPUs out for users without privilege. */
static void session_warn_isolated(struct session *session)
{
	struct control_info info;
	char cpus[256];

	if (!cpulist_text("nohz_full", cpus, sizeof(cpus)) &&
	    !control_info(session->control, &info) && !info.privileged)
		err_warn("CPUs %s are isolated (nohz_full): what runs there is measured with CAP_PERFMON only",
			 cpus);
}

/* Leaves out processes that have ended. Returns whether there were some, and others are left. */
static bool leave_out_ended(struct tasks_list *list)
{
	unsigned int kept = 0, nr = list ? list->nr : 0;

	for (unsigned int i = 0; i < nr; i++)
		if (!kill(list->ids[i], 0) || errno != ESRCH)
			list->ids[kept++] = list->ids[i];
	if (!kept || kept == nr)
		return false;
	list->nr = kept;
	return true;
}

int session_open(struct session *session, struct control *control,
		 struct control_session *settings)
{
	int err;

	memset(session, 0, sizeof(*session));
	session->control = control;
	session->fd = session_device();
	if (session->fd < 0)
		return -1;
	settings->fd = session->fd;
	if (!settings->ring_size)
		settings->ring_size = LBRSCOPE_RING_SIZE_DEFAULT;
	do
		err = control_session_set(control, settings);
	while (err == -ESRCH && leave_out_ended(settings->may_end));
	if (err) {
		err = session_refused(session, "the module refused the session",
				      err);
		module_warn_outdated();
	} else {
		err = session_map(session, settings->ring_size);
	}
	if (err)
		session_close(session);
	else
		session_warn_isolated(session);
	return err;
}

/* ms: the pause between two STARTs, and of all of them together. */
#define SESSION_BEGIN_PAUSE	10
#define SESSION_BEGIN_WAIT	5000

int session_begin(struct control *control, int fd)
{
	const struct timespec pause = { .tv_nsec = SESSION_BEGIN_PAUSE * 1000000 };
	int waited, err;

	for (waited = 0;; waited += SESSION_BEGIN_PAUSE) {
		err = control_session_start(control, fd);
		if ((err != -EINPROGRESS && err != -EAGAIN) || waited >= SESSION_BEGIN_WAIT)
			return err;
		nanosleep(&pause, NULL);
	}
}

int session_start(struct session *session)
{
	int err = session_begin(session->control, session->fd);
	struct control_info info;
	char reason[256], holders[512];

	if (err != -EBUSY)
		return err ? session_refused(session, "starting the session",
					     err) : 0;
	strncpy(reason, control_reason(session->control, err),
		sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	/* The module names the owner if it is another session. */
	if (!control_info(session->control, &info) && info.owned)
		return err_fail("starting the session: %s", reason);
	holders_describe(holders, sizeof(holders));
	return err_fail("starting the session: %s; %s", reason, holders);
}

int session_freeze(struct session *session)
{
	int err = control_session_freeze(session->control, session->fd);

	return err ? session_refused(session, "freezing the session", err) : 0;
}

int session_thaw(struct session *session)
{
	int err = control_session_thaw(session->control, session->fd);

	return err ? session_refused(session, "thawing the session", err) : 0;
}

static int session_drain_ring(struct ring_reader *ring, session_record_fn read, void *ctx)
{
	const struct lbrscope_record *record;
	int got = ring_reader_refresh(ring);

	while (!got && (got = ring_reader_peek(ring, &record)) > 0) {
		got = read(ctx, ring, record);
		ring_reader_consume(ring);
	}
	ring_reader_release(ring);
	return got;
}

int session_drain(struct session *session, session_record_fn read, void *ctx)
{
	for (unsigned int i = 0; i < session->nr_rings; i++) {
		int err = session_drain_ring(&session->rings[i], read, ctx);

		if (err == -EPROTO)
			return ring_reader_corrupt(session->possible.cpus[i]);
		if (err)
			return err_fail("reading the ring of CPU %u: %s",
					session->possible.cpus[i], strerror(-err));
	}
	return 0;
}

int session_stop(struct session *session, struct control_stats *stats)
{
	int err = control_session_stop(session->control, session->fd);

	if (err && err != -EINVAL)
		return session_refused(session, "stopping the session", err);
	err = control_session_get(session->control, session->fd, stats);
	if (err)
		return session_refused(session, "reading the session's counts",
				       err);
	return 0;
}

int session_ended(const struct control_stats *stats)
{
	static const char * const causes[] = {
		[LBRSCOPE_ENDED_PREEMPTED] = "a privileged session took the performance "
			"counters; try again when it has ended",
		[LBRSCOPE_ENDED_IDLE] = "its buffers were not read for too long, which ends "
			"sessions without CAP_PERFMON; was lbrctl stopped?",
		[LBRSCOPE_ENDED_SHUTDOWN] = "the machine is shutting down",
	};
	const char *cause = "for a reason that this lbrctl does not know";

	if (stats->ended == LBRSCOPE_ENDED_NOT)
		return 0;
	if (stats->ended < sizeof(causes) / sizeof(causes[0]))
		cause = causes[stats->ended];
	return err_fail("the module ended the session early: %s. The measurements until then "
			"are complete", cause);
}

void session_close(struct session *session)
{
	unsigned int i;

	for (i = 0; i < session->nr_rings; i++)
		ring_reader_unmap(&session->rings[i]);
	free(session->rings);
	session->rings = NULL;
	session->nr_rings = 0;
	cpulist_free(&session->possible);
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}
