// SPDX-License-Identifier: GPL-2.0
/* Waits for keys, signals, captures and the worker, and draws what came of them. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "browse/browse.h"
#include "browse/keys.h"
#include "browse/layout.h"
#include "browse/screen.h"

struct browse {
	const struct browse_options *options;
	struct worker *worker;
	struct view view;
	const char *file;		/* the capture that is shown or being read; NULL: none yet */
	char *messages;			/* of the capture of options->input */
	bool reading, failed;
	int signals;			/* signalfd */
	sigset_t waiting;		/* signals that are blocked during poll() */
};

enum { BROWSE_KEYS, BROWSE_SIGNALS, BROWSE_WORKER, BROWSE_READY, BROWSE_ENDED, BROWSE_NR_FDS };

static void read_capture(struct browse *b, const char *file)
{
	b->file = file;
	b->reading = true;
	worker_ask(b->worker, &(struct worker_job){ .file = file });
}

static void annotate(struct browse *b)
{
	struct view *v = &b->view;
	struct worker_job job = { .file = b->file, .function = v->wanted,
				  .width = screen_width() };

	v->wanted = NULL;
	job.event = v->picture ? strdup(view_event(v)->name) : NULL;
	if (!job.event) {
		free(job.function);
		return;
	}
	if (v->choice.thread != PICTURE_ALL) {
		job.pid = v->thread.pid;
		job.tid = v->thread.tid;
	}
	worker_ask(b->worker, &job);
}

/* Tells the user why the view is empty. */
static void note_nothing(struct view *v, const char *messages, const struct picture *p)
{
	if (!p)
		snprintf(v->note, sizeof(v->note), "%.*s", (int)strcspn(messages, "\n"), messages);
	else if (p->nr_read)
		snprintf(v->note, sizeof(v->note), "No sample matches the filter (%llu samples "
			 "taken).", (unsigned long long)p->nr_read);
	else
		snprintf(v->note, sizeof(v->note), "No samples: no task was running.");
}

static void take_result(struct browse *b)
{
	struct worker_result result = worker_take(b->worker);
	struct picture *p = result.picture;
	const char *messages = result.messages ? result.messages : "";

	if (!b->reading) {
		b->view.note[0] = '\0';
		if (result.text)
			view_take_code(&b->view, result.text, 0);
		else
			view_take_code(&b->view, strdup(messages), screen_width());
	} else if (p && p->nr_events) {
		view_take(&b->view, p);
	} else {
		note_nothing(&b->view, messages, p);
		picture_free(p);
		view_take(&b->view, NULL);
		b->failed = !b->options->live;
	}
	if (b->reading && !b->options->live)
		b->messages = result.messages;
	else
		free(result.messages);
	b->reading = false;
}

static void draw(struct browse *b)
{
	const struct browse_live *live = b->options->live;
	char head[512];

	if (live)
		live->head(live->ctx, b->view.paused, head, sizeof(head));
	else
		snprintf(head, sizeof(head), "lbrctl browse: %s%s", b->options->input,
			 b->reading ? ", reading ..." : "");
	layout_draw(&b->view, head);
}

static void wait_for(struct browse *b, struct pollfd fds[BROWSE_NR_FDS])
{
	const struct browse_live *live = b->options->live;

	fds[BROWSE_KEYS] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	fds[BROWSE_SIGNALS] = (struct pollfd){ b->signals, POLLIN, 0 };
	fds[BROWSE_WORKER] = (struct pollfd){ worker_fd(b->worker), POLLIN, 0 };
	fds[BROWSE_READY] = (struct pollfd){ live && !worker_busy(b->worker) ? live->ready : -1,
					     POLLIN, 0 };
	fds[BROWSE_ENDED] = (struct pollfd){ live ? live->ended : -1, POLLIN, 0 };
	/* A new size of the terminal interrupts this, and is a key. */
	if (ppoll(fds, BROWSE_NR_FDS, NULL, &b->waiting) < 0)
		for (int i = 0; i < BROWSE_NR_FDS; i++)
			fds[i].revents = errno == EINTR ? 0 : POLLERR;
}

static void next_capture(struct browse *b)
{
	const struct browse_live *live = b->options->live;
	const char *file = live->next(live->ctx, worker_busy(b->worker), b->view.paused,
				      &b->view.quit);

	if (file)
		read_capture(b, file);
}

static void loop(struct browse *b)
{
	struct pollfd fds[BROWSE_NR_FDS];
	int key;

	if (b->options->input)
		read_capture(b, b->options->input);
	while (!b->view.quit && !b->failed) {
		draw(b);
		wait_for(b, fds);
		if (fds[BROWSE_SIGNALS].revents || fds[BROWSE_KEYS].revents & (POLLHUP | POLLERR))
			return;
		while ((key = screen_key()) != SCREEN_NONE)
			keys_press(&b->view, key);
		if (fds[BROWSE_WORKER].revents)
			take_result(b);
		/* Before the next capture replaces the one that is shown. */
		if (b->view.wanted && !worker_busy(b->worker))
			annotate(b);
		if (fds[BROWSE_ENDED].revents || fds[BROWSE_READY].revents)
			next_capture(b);
	}
}

/* From here on a signalfd receives signals that would end this process. ncurses handles those of the
 * terminal, and only while this process waits: they are not missed, and interrupt no drawing. */
static int take_signals(struct browse *b)
{
	sigset_t ends, all;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGQUIT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	sigprocmask(SIG_BLOCK, NULL, &b->waiting);
	all = ends;
	sigaddset(&all, SIGWINCH);
	sigaddset(&all, SIGTSTP);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

static int show(struct browse *b)
{
	if (!screen_open())
		return -1;
	view_init(&b->view, b->options->live);
	loop(b);
	screen_close();
	view_free(&b->view);
	return 0;
}

int browse_show(const struct browse_options *o, bool *busy)
{
	struct browse b = { .options = o };
	const char *terminal = getenv("TERM");
	int err;

	*busy = false;
	b.signals = take_signals(&b);
	if (b.signals < 0)
		return err_errno("watching for signals");
	b.worker = worker_start(&(struct worker_options){ o->event, o->filter, o->names, o->live });
	if (!b.worker) {
		close(b.signals);
		return -1;
	}
	err = show(&b);
	*busy = !worker_end(b.worker);
	if (err)
		err_fail("cannot draw on this terminal ($TERM is '%s'): use 'lbrctl report'",
			 terminal ? terminal : "");
	else if (b.messages)
		fputs(b.messages, stderr);
	free(b.messages);
	close(b.signals);
	return err || b.failed ? -1 : 0;
}
