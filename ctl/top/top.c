// SPDX-License-Identifier: GPL-2.0
/* The live view: records slices and shows the newest. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "profile/analysis.h"
#include "top/screen.h"
#include "top/slices.h"
#include "top/top.h"
#include "top/view.h"

#define TOP_SEARCH_MAX	64

struct top {
	struct top_options *options;
	struct slices slices;
	struct slice slice;		/* the slice that is shown */
	struct library *library;	/* what is known from slice to slice */
	struct analysis *analysis;	/* its analysis; NULL: no slice yet, or no samples */
	struct view view;
	char search[TOP_SEARCH_MAX];
	size_t at;			/* the first visible line of the tree */
	char note[256];			/* the reason for an empty picture */
	bool searching, paused, ended, quit;
	int signals;			/* signalfd */
	int terminal, messages;		/* the original stderr, and its replacement */
};

/* Stderr is the screen: messages are kept in a file until the end. Those about a slice are
 * dropped when a newer one arrives. */
static int top_keep_messages(struct top *t)
{
	t->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	t->messages = memfd_create("messages", MFD_CLOEXEC);
	if (t->terminal < 0 || t->messages < 0)
		return err_errno("keeping messages off the screen");
	dup2(t->messages, STDERR_FILENO);
	return 0;
}

static void top_forget_messages(struct top *t)
{
	if (!ftruncate(t->messages, 0))
		lseek(t->messages, 0, SEEK_SET);
}

/* The first message becomes the note. */
static void top_note_message(struct top *t)
{
	ssize_t len = pread(t->messages, t->note, sizeof(t->note) - 1, 0);

	t->note[len > 0 ? len : 0] = '\0';
	t->note[strcspn(t->note, "\n")] = '\0';
}

/* Draws the newest slice, if it has samples. */
static void top_analyse(struct top *t)
{
	static const struct rows_sort sort = {
		.keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 };

	analysis_free(t->analysis);
	t->note[0] = '\0';
	top_forget_messages(t);
	t->analysis = analysis_open(&(struct analysis_query){
		.input = t->slice.file, .filter = &t->options->filter,
		.names = &t->options->names, .library = t->library, .sort = &sort,
		.fold = true });
	slices_drop(&t->slice);
	if (t->analysis && t->analysis->nr_samples &&
	    !rows_order(t->analysis->rows, false))
		return;
	if (!t->analysis)
		top_note_message(t);
	else if (t->analysis->nr_read)
		snprintf(t->note, sizeof(t->note), "No sample matches the filter (%llu samples "
			 "taken).", (unsigned long long)t->analysis->nr_read);
	else
		snprintf(t->note, sizeof(t->note), "No samples: no task was running.");
	analysis_free(t->analysis);
	t->analysis = NULL;
}

static void top_head(const struct top *t, struct screen_picture *p)
{
	const struct slice *s = &t->slice;
	const struct analysis *a = t->analysis;
	size_t len;

	snprintf(p->head[0], sizeof(p->head[0]), "lbrctl top: %.0f s, %.0f samples a "
		 "second, %llu lost, overhead %.2f %%%s", s->seconds, s->rate,
		 (unsigned long long)s->lost, s->overhead,
		 t->ended ? ", ended" : t->paused ? ", paused" : "");
	if (!s->file[0])
		snprintf(p->head[0], sizeof(p->head[0]), "lbrctl top: %s",
			 t->ended ? "ended" : "waiting for the first samples");
	if (!a) {
		snprintf(p->head[1], sizeof(p->head[1]), "%s", t->note);
		return;
	}
	len = snprintf(p->head[1], sizeof(p->head[1]), "%s: %llu samples",
		       a->event, (unsigned long long)a->nr_samples);
	for (int i = 0; i < STACKS_NR_VERDICTS && len < sizeof(p->head[1]); i++)
		if (a->verdicts[i])
			len += snprintf(p->head[1] + len, sizeof(p->head[1]) - len,
					", %.2f%% %s",
					100.0 * a->verdicts[i] / a->nr_samples,
					stacks_verdict_name(i));
}

static void top_draw(struct top *t)
{
	struct screen_picture p = { .marked = !t->view.tree };

	t->view.search = t->search;
	if (view_make(&t->view, t->analysis))
		snprintf(t->note, sizeof(t->note), "not enough memory");
	if (t->at + screen_room() > t->view.nr)
		t->at = t->view.nr > screen_room() ? t->view.nr - screen_room() : 0;
	top_head(t, &p);
	p.title = t->view.title;
	p.lines = t->view.lines;
	p.nr = t->view.nr;
	p.at = t->view.tree ? t->at : t->view.chosen;
	if (t->searching)
		snprintf(p.foot, sizeof(p.foot), "Function: %s_  (Enter: done, Esc: all)",
			 t->search);
	else if (t->view.tree)
		snprintf(p.foot, sizeof(p.foot), "Enter, Esc: back to the table  p: pause  "
			 "q: quit    %s", t->view.name);
	else
		snprintf(p.foot, sizeof(p.foot), "Enter: call tree  /: find a function  "
			 "p: pause  q: quit%s%s", *t->search ? "    /" : "", t->search);
	screen_draw(&p);
}

static void top_search_key(struct top *t, int key)
{
	size_t len = strlen(t->search);

	if (key == SCREEN_ENTER || key == SCREEN_BACK)
		t->searching = false;
	if (key == SCREEN_BACK)
		t->search[0] = '\0';
	else if (key == SCREEN_ERASE && len)
		t->search[len - 1] = '\0';
	else if (key >= ' ' && key < 127 && len + 1 < sizeof(t->search))
		t->search[len] = key;
}

/* Returns the line that a key moves to, from line `at` of nr. */
static size_t top_move(int key, size_t at, size_t nr)
{
	size_t room = screen_room();

	switch (key) {
	case SCREEN_UP:
		return at ? at - 1 : 0;
	case SCREEN_PAGE_UP:
		return at > room ? at - room : 0;
	case SCREEN_HOME:
		return 0;
	case SCREEN_DOWN:
		return at + 1 < nr ? at + 1 : at;
	case SCREEN_PAGE_DOWN:
		return at + room < nr ? at + room : nr - 1;
	case SCREEN_END:
		return nr - 1;
	default:
		return at;
	}
}

static void top_go(struct top *t, int key)
{
	struct view *v = &t->view;
	size_t to;

	if (!v->nr)
		return;
	if (v->tree) {
		t->at = top_move(key, t->at, v->nr);
		return;
	}
	to = top_move(key, v->chosen, v->nr);
	if (to != v->chosen || key == SCREEN_ENTER)
		v->tree = !view_choose(v, t->analysis, to) && key == SCREEN_ENTER;
}

static void top_key(struct top *t, int key)
{
	if (t->searching) {
		top_search_key(t, key);
		return;
	}
	switch (key) {
	case 'q':
		t->quit = true;
		break;
	case 'p':
		t->paused = !t->paused;
		break;
	case '/':
		t->searching = !t->view.tree;
		break;
	case SCREEN_BACK:
		t->view.tree = false;
		break;
	case SCREEN_ENTER:
		if (t->view.tree)
			t->view.tree = false;
		else
			top_go(t, key);
		t->at = 0;
		break;
	default:
		top_go(t, key);
	}
}

enum { TOP_FD_KEYS, TOP_FD_SIGNALS, TOP_FD_SLICES, TOP_FD_RECORDER, TOP_NR_FDS };

static void top_loop(struct top *t)
{
	struct pollfd fds[TOP_NR_FDS] = {
		[TOP_FD_KEYS] = { STDIN_FILENO, POLLIN, 0 },
		[TOP_FD_SIGNALS] = { t->signals, POLLIN, 0 },
		[TOP_FD_SLICES] = { t->slices.ready, POLLIN, 0 },
		[TOP_FD_RECORDER] = { t->slices.pidfd, POLLIN, 0 },
	};
	struct slice slice;
	int key;

	while (!t->quit) {
		top_draw(t);
		/* A new size of the terminal interrupts poll(), and is a key. */
		if (poll(fds, TOP_NR_FDS, -1) < 0 && errno != EINTR)
			return;
		if (fds[TOP_FD_SIGNALS].revents ||
		    fds[TOP_FD_KEYS].revents & (POLLHUP | POLLERR))
			return;
		while ((key = screen_key()) != SCREEN_NONE)
			top_key(t, key);
		if (slices_take(&t->slices, &slice)) {
			if (t->paused) {
				slices_drop(&slice);
			} else {
				t->slice = slice;
				top_analyse(t);
			}
		}
		if (!fds[TOP_FD_RECORDER].revents)
			continue;
		t->ended = true;
		fds[TOP_FD_RECORDER].fd = fds[TOP_FD_SLICES].fd = -1;
		/* The recording was refused: there is nothing to show. */
		t->quit |= !t->slice.file[0];
	}
}

/* From here on a signalfd receives signals that would end this process; the recorder was
 * forked before. */
static int top_take_signals(struct top *t)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return t->signals < 0 ? err_errno("watching for signals") : 0;
}

static int top_show(struct top *t)
{
	if (top_take_signals(t) || top_keep_messages(t))
		return -1;
	if (!screen_open()) {
		dup2(t->terminal, STDERR_FILENO);
		return err_fail("cannot draw on this terminal ($TERM is '%s'): use 'lbrctl "
				"record' and 'lbrctl report'", getenv("TERM") ? getenv("TERM") : "");
	}
	top_loop(t);
	screen_close();
	dup2(t->terminal, STDERR_FILENO);
	return 0;
}

/* If the user quits, it does not matter how the recording ended. */
static int top_status(const struct top *t, int recorder)
{
	if (t->ended || recorder == ERR_EXIT_FAILED || recorder == ERR_EXIT_COMMAND)
		return recorder;
	return ERR_EXIT_DONE;
}

int top_run(struct top_options *options)
{
	struct top t = { .options = options, .signals = -1, .terminal = -1,
			 .messages = -1 };
	int err, status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_fail("top draws on a terminal, and stdin or stdout is not one: use 'lbrctl "
			 "record' and 'lbrctl report'");
		return ERR_EXIT_FAILED;
	}
	t.library = library_new();
	if (!t.library)
		return ERR_EXIT_FAILED;
	if (slices_start(&t.slices, &options->record, options->delay)) {
		library_free(t.library);
		return ERR_EXIT_FAILED;
	}
	err = top_show(&t);
	status = slices_end(&t.slices);
	slices_close(&t.slices);
	analysis_free(t.analysis);
	library_free(t.library);
	view_free(&t.view);
	close(t.signals);
	close(t.terminal);
	close(t.messages);
	return err ? ERR_EXIT_FAILED : top_status(&t, status);
}
