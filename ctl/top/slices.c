// SPDX-License-Identifier: GPL-2.0
/* Records in slices, in a separate process. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "module/stats.h"
#include "top/slices.h"

/* The slice being read, the one that is ready, and some more for a slow reader. */
#define SLICES_KEEP	4

/* A short first slice brings the first picture sooner. */
#define SLICES_FIRST_NS	400000000ULL

/* In the recorder: where it reports slices, and the session's statistics at the last one. */
struct slices_teller {
	int fd;
	uint64_t samples, ns;
};

static void slices_finished(void *ctx, const char *file,
			    const struct control_stats *stats, uint64_t ns)
{
	struct slices_teller *t = ctx;
	uint64_t cost = stats->cost_nmi + stats->cost_switch;
	struct slice slice = {
		.rate = ns > t->ns ? (stats->produced - t->samples) * 1e9 /
				     (ns - t->ns) : 0,
		.seconds = ns * 1e-9,
		.overhead = stats->cost_time ? 100.0 * cost / stats->cost_time : 0,
		.lost = stats_lost(stats),
	};

	t->samples = stats->produced;
	t->ns = ns;
	snprintf(slice.file, sizeof(slice.file), "%s", file);
	/* Less than PIPE_BUF, so the write is atomic. Waiting for the reader would lose
	 * samples; the rotation removes slices that were not reported. */
	if (write(t->fd, &slice, sizeof(slice)) != sizeof(slice))
		return;
}

static void slices_remove(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static void slices_child(const struct slices *s, struct record_options *o, int fd,
			 pid_t parent)
{
	struct slices_teller teller = { .fd = fd };
	int null = open("/dev/null", O_RDWR), status;

	/* If the viewer is killed, the recorder ends too. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || null < 0)
		_exit(ERR_EXIT_FAILED);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(s->said, STDERR_FILENO);
	o->finished = slices_finished;
	o->ctx = &teller;
	status = record_run(o);
	if (getppid() != parent)
		slices_remove(s->folder);
	_exit(status);
}

static int slices_make_folder(struct slices *s)
{
	const char *where = getenv("TMPDIR");
	int len;

	if (!where || !*where)
		where = "/tmp";
	len = snprintf(s->folder, sizeof(s->folder), "%s/lbrctl-top.XXXXXX", where);
	if (len >= (int)sizeof(s->folder))
		return err_fail("the name in $TMPDIR is too long");
	return mkdtemp(s->folder) ? 0 : err_errno("making a folder in %s", where);
}

static int slices_fork(struct slices *s, struct record_options *o)
{
	pid_t parent = getpid();
	int ends[2];

	s->said = memfd_create("messages", MFD_CLOEXEC);
	if (s->said < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return err_errno("starting to record");
	s->ready = ends[0];
	s->recorder = fork();
	if (!s->recorder)
		slices_child(s, o, ends[1], parent);
	close(ends[1]);
	s->pidfd = s->recorder > 0 ?
		   (int)syscall(SYS_pidfd_open, s->recorder, 0) : -1;
	return s->pidfd < 0 ? err_errno("starting to record") : 0;
}

int slices_start(struct slices *s, struct record_options *o, uint64_t ns)
{
	static char output[sizeof(s->folder) + sizeof("/slice")];

	memset(s, 0, sizeof(*s));
	s->said = s->ready = s->pidfd = -1;
	if (slices_make_folder(s))
		return -1;
	snprintf(output, sizeof(output), "%s/slice", s->folder);
	o->output = output;
	o->rotation = (struct rotation){ .wanted = true, .time = ns,
					 .first = SLICES_FIRST_NS, .keep = SLICES_KEEP };
	if (!slices_fork(s, o))
		return 0;
	slices_end(s);
	slices_close(s);
	return -1;
}

/* Under another name, the rotation does not find it. */
static void slices_keep(struct slice *slice)
{
	char kept[sizeof(slice->file)];

	if (snprintf(kept, sizeof(kept), "%s.shown", slice->file) < (int)sizeof(kept) &&
	    !rename(slice->file, kept))
		memcpy(slice->file, kept, sizeof(kept));
}

bool slices_take(struct slices *s, struct slice *newest)
{
	struct slice slice;
	bool any = false;

	while (read(s->ready, &slice, sizeof(slice)) == sizeof(slice)) {
		if (any)
			slices_drop(newest);
		*newest = slice;
		any = true;
	}
	if (any)
		slices_keep(newest);
	return any;
}

bool slices_ended(const struct slices *s)
{
	struct pollfd fd = { s->pidfd, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0;
}

void slices_drop(const struct slice *slice)
{
	unlink(slice->file);
}

int slices_end(struct slices *s)
{
	int status = 0;

	if (s->recorder <= 0)
		return ERR_EXIT_FAILED;
	kill(s->recorder, SIGTERM);
	while (waitpid(s->recorder, &status, 0) < 0 && errno == EINTR)
		;
	s->recorder = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void slices_close(struct slices *s)
{
	char text[4096];
	ssize_t len;
	off_t at = 0;

	while (s->said >= 0 && (len = pread(s->said, text, sizeof(text), at)) > 0) {
		fwrite(text, 1, len, stderr);
		at += len;
	}
	if (s->folder[0])
		slices_remove(s->folder);
	close(s->said);
	close(s->ready);
	close(s->pidfd);
}
