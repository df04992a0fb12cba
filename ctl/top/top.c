// SPDX-License-Identifier: GPL-2.0
/* The live view: records slices and shows the newest. */
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "browse/browse.h"
#include "top/slices.h"
#include "top/top.h"

struct top {
	struct slices slices;
	struct slice slice;		/* the slice that is shown */
	struct browse_live live;
	bool ended;
};

/* The slice that is shown stays, for annotations. */
static const char *top_next(void *ctx, bool busy, bool paused, bool *quit)
{
	struct top *t = ctx;
	struct slice slice;
	bool any = !busy && slices_take(&t->slices, &slice);

	if (any && paused)
		slices_drop(&slice);
	if (any && !paused) {
		slices_drop(&t->slice);
		t->slice = slice;
	}
	if (slices_ended(&t->slices)) {
		t->ended = true;
		t->live.ended = -1;
		/* Nothing follows the last slice. */
		if (!busy && !any)
			t->live.ready = -1;
		/* The recording was refused: there is nothing to show. */
		*quit |= !busy && !any && !t->slice.file[0];
	}
	return any && !paused ? t->slice.file : NULL;
}

static void top_head(void *ctx, bool paused, char *text, size_t size)
{
	const struct top *t = ctx;
	const struct slice *s = &t->slice;

	if (!s->file[0])
		snprintf(text, size, "lbrctl top: %s",
			 t->ended ? "ended" : "waiting for the first samples");
	else
		snprintf(text, size, "lbrctl top: %.0f s, %.0f samples a second, %llu lost, "
			 "overhead %.2f %%%s", s->seconds, s->rate,
			 (unsigned long long)s->lost, s->overhead,
			 t->ended ? ", ended" : paused ? ", paused" : "");
}

/* If the user quits, it does not matter how the recording ended. */
static int top_status(const struct top *t, int recorder)
{
	if (t->ended || recorder == ERR_EXIT_FAILED || recorder == ERR_EXIT_COMMAND)
		return recorder;
	return ERR_EXIT_DONE;
}

int top_run(struct top_options *o)
{
	struct top t = { .ended = false };
	bool busy;
	int err, status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_fail("top draws on a terminal, and stdin or stdout is not one: use 'lbrctl "
			 "record' and 'lbrctl report'");
		return ERR_EXIT_FAILED;
	}
	if (slices_start(&t.slices, &o->record, o->delay))
		return ERR_EXIT_FAILED;
	t.live = (struct browse_live){ t.slices.ready, t.slices.pidfd, top_next, top_head, &t };
	err = browse_show(&(struct browse_options){
		.filter = &o->filter, .names = &o->names, .live = &t.live }, &busy);
	status = slices_end(&t.slices);
	slices_close(&t.slices);
	status = err ? ERR_EXIT_FAILED : top_status(&t, status);
	if (busy)
		_exit(status);
	return status;
}
