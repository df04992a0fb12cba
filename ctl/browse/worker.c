// SPDX-License-Identifier: GPL-2.0
/* One thread, which does one job at a time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "base/thread.h"
#include "browse/worker.h"

/*
 * Job and result belong to the thread from a write to `asked` until its write to `done`, and to
 * the caller otherwise. A job without a file ends the thread.
 */
struct worker {
	struct worker_options options;
	struct library *library;
	struct worker_job job;
	struct worker_result result;
	pthread_t thread;
	bool busy;			/* the caller's */
	int asked, done;		/* eventfds */
	int terminal, messages;		/* the original stderr, and its replacement */
};

static struct picture *read_capture(struct worker *w)
{
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = w->job.file, .event = w->options.event, .filter = w->options.filter,
		.names = w->options.names, .library = w->library,
		.traces = true, .with_offcpu = true });
	struct picture *picture = NULL;

	if (!a)
		return NULL;
	if (a->nr_samples || w->options.live) {
		picture = picture_new(a);
		if (!picture)
			err_fail("not enough memory for the functions");
	} else {
		analysis_none(a);
	}
	analysis_free(a);
	return picture;
}

/* The samples of one thread are those of all options and of that thread. */
static char *annotated(const struct worker *w, struct filter *filter)
{
	struct annotate a = { .event = NULL };
	struct annotate_list list = { .nr = 0 };
	char *text = NULL;
	size_t size;
	FILE *out;
	int err = annotate_read(&a, &(struct annotate_query){
		w->job.file, w->job.event, filter, w->options.names, INSN_ATT });

	if (!err)
		err = annotate_functions(&a, w->job.function, &list);
	out = err ? NULL : open_memstream(&text, &size);
	if (out) {
		err = annotate_print(&a, &list, w->job.width, out);
		if (fclose(out) || err) {
			free(text);
			text = NULL;
		}
	}
	annotate_list_free(&list);
	annotate_free(&a);
	return text;
}

static char *annotate_job(const struct worker *w)
{
	struct filter filter = *w->options.filter;
	char ids[2][16], *id[2] = { ids[0], ids[1] };

	if (w->job.tid) {
		snprintf(ids[0], sizeof(ids[0]), "%" PRIu32, w->job.pid);
		snprintf(ids[1], sizeof(ids[1]), "%" PRIu32, w->job.tid);
		filter.pids = (struct filter_words){ .list = &id[0], .nr = 1 };
		filter.tids = (struct filter_words){ .list = &id[1], .nr = 1 };
	}
	return annotated(w, &filter);
}

static char *all_messages(const struct worker *w)
{
	off_t size = lseek(w->messages, 0, SEEK_END);
	char *text = calloc(1, (size > 0 ? size : 0) + 1);

	if (text && pread(w->messages, text, size, 0) != size)
		*text = '\0';
	return text;
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	eventfd_t nr;

	for (;;) {
		while (eventfd_read(w->asked, &nr))
			;
		if (!w->job.file)
			return NULL;
		if (!ftruncate(w->messages, 0))
			lseek(w->messages, 0, SEEK_SET);
		w->result = (struct worker_result){ .picture = NULL };
		if (w->job.function)
			w->result.text = annotate_job(w);
		else
			w->result.picture = read_capture(w);
		w->result.messages = all_messages(w);
		free(w->job.function);
		free(w->job.event);
		eventfd_write(w->done, 1);
	}
}

static bool start_thread(struct worker *w)
{
	errno = thread_start(&w->thread, work, w);
	return !errno;
}

static void free_worker(struct worker *w)
{
	library_free(w->library);
	if (w->terminal >= 0)
		dup2(w->terminal, STDERR_FILENO);
	close(w->terminal);
	close(w->messages);
	close(w->asked);
	close(w->done);
	free(w);
}

struct worker *worker_start(const struct worker_options *options)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (!w) {
		err_errno("starting");
		return NULL;
	}
	w->options = *options;
	w->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	w->messages = memfd_create("messages", MFD_CLOEXEC);
	w->asked = eventfd(0, EFD_CLOEXEC);
	w->done = eventfd(0, EFD_CLOEXEC);
	w->library = options->live ? library_new() : NULL;
	if (w->terminal >= 0 && w->messages >= 0 && w->asked >= 0 && w->done >= 0 &&
	    (w->library || !options->live) && start_thread(w)) {
		dup2(w->messages, STDERR_FILENO);
		return w;
	}
	err_errno("starting a thread");
	free_worker(w);
	return NULL;
}

bool worker_end(struct worker *w)
{
	if (w->busy) {
		dup2(w->terminal, STDERR_FILENO);
		return false;
	}
	w->job.file = NULL;
	eventfd_write(w->asked, 1);
	pthread_join(w->thread, NULL);
	free_worker(w);
	return true;
}

void worker_ask(struct worker *w, const struct worker_job *job)
{
	w->job = *job;
	w->busy = true;
	eventfd_write(w->asked, 1);
}

bool worker_busy(const struct worker *w)
{
	return w->busy;
}

int worker_fd(const struct worker *w)
{
	return w->done;
}

struct worker_result worker_take(struct worker *w)
{
	eventfd_t nr;

	while (eventfd_read(w->done, &nr))
		;
	w->busy = false;
	return w->result;
}
