// SPDX-License-Identifier: GPL-2.0
/* Begins, switches, dumps and finishes the files of a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "perfdata/describe.h"
#include "record/losses_of.h"
#include "record/recording.h"
#include "record/synth.h"

/* Each file of a rotation has losses of its own, whose causes are not known. */
static struct losses record_losses(const struct record *r)
{
	if (!r->stopped || r->options->rotation.wanted)
		return (struct losses){ .known = false };
	return losses_of(&r->stats, &r->options->events, r->capture.unwritten);
}

/* Sets the features of a file, as far as they are known now. */
static int record_describe(struct record *r, struct perfdata_writer *writer)
{
	int err = judging_all(&r->judging);
	size_t nr_audits;
	struct perfdata_audit *audits = trust_audits(&r->judging.trust, &nr_audits);
	char cpuid[64];
	struct perfdata_description description = {
		.cpuid = cpuid,
		.lbr_depth = r->branches ? r->lbr_depth : 0,
		.history = r->branches == LBRSCOPE_BRANCHES_HISTORY,
		.argc = r->options->argc, .argv = r->options->argv,
		.events = r->events.list, .nr_events = r->events.nr,
		.audits = audits, .nr_audits = nr_audits,
		.audited = r->options->stacks_where_needed && r->options->audit &&
			   r->branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.losses = record_losses(r),
		.first = r->capture.first, .last = r->capture.last,
		.buildids = &r->buildids,
	};

	snprintf(cpuid, sizeof(cpuid), "%s,%u,%u,%u", r->info.vendor,
		 r->info.family, r->info.model, r->info.stepping);
	err = err || perfdata_describe(writer, &description) ? -1 : 0;
	free(audits);
	return err;
}

struct perfdata_writer *record_begin(struct record *r, char **file)
{
	struct record_options *o = r->options;
	struct perfdata_writer *writer;

	*file = o->rotation.wanted ?
		rotation_begin(&o->rotation, o->output, clock_ns(CLOCK_MONOTONIC)) :
		strdup(o->output);
	if (!*file) {
		if (!o->rotation.wanted)
			err_fail("out of memory");
		return NULL;
	}
	writer = perfdata_write_open(*file, r->events.list, r->events.nr);
	if (!writer)
		return NULL;
	if (!record_describe(r, writer) &&
	    (!o->compression || !perfdata_write_compressed(writer, o->compression)))
		return writer;
	perfdata_write_abort(writer);
	return NULL;
}

int record_synthesize(struct record *r, struct perfdata_writer *writer)
{
	struct synth synth = {
		.writer = writer, .buildids = &r->buildids,
		.data = r->options->stack_window && r->options->keep_stacks,
	};
	uint32_t running[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = tasks_processes(&r->subject.tasks, running), i;

	/* They follow what comes after the first file. */
	if (!r->capture.nr_sources)
		synth.callers = r->callers;
	/* Only privileged users may see addresses of the kernel. */
	if ((r->info.privileged && synth_kernel(&synth)) ||
	    (r->options->cgroups && synth_cgroups(&synth)))
		return -1;
	if (r->sideband.denied) {
		r->census.synth = synth;
		r->capture.census = &r->census;
		return 0;
	}
	/* In a later file, processes that were forked since, and the command, are included. */
	if (r->capture.nr_sources)
		synth.only = r->capture.pids;
	if (r->capture.nr_sources || r->options->subject.all ||
	    r->options->subject.cgroup)
		return synth_all(&synth);
	for (i = 0; i < nr; i++)
		if (synth_process(&synth, running[i]))
			return -1;
	return 0;
}

/* Returns the size of the file, or -1 with a message. The writer is closed in both cases. */
static int64_t record_write(struct record *r, struct perfdata_writer *writer)
{
	if (!record_describe(r, writer))
		return perfdata_write_finish(writer);
	perfdata_write_abort(writer);
	return -1;
}

/* Writes what the frozen rings hold, and what is needed to read it. */
static int record_write_dump(struct record *r, const char *path)
{
	struct perfdata_writer *writer;
	uint64_t before = record_kept(r);

	if (capture_round(&r->capture, false) < 0)
		return -1;
	writer = perfdata_write_fork(r->writer, path);
	if (!writer)
		return -1;
	if (capture_rings(&r->capture, writer) < 0) {
		perfdata_write_abort(writer);
		return -1;
	}
	if (record_write(r, writer) < 0)
		return -1;
	if (!r->options->quiet)
		fprintf(stderr, "lbrctl: %llu samples in %s\n", (unsigned long long)
			(record_kept(r) - before), path);
	return 0;
}

int record_dump(struct record *r)
{
	char *path;
	int err;

	if (asprintf(&path, "%s.%u", r->options->output, ++r->nr_dumps) < 0)
		return err_fail("out of memory");
	err = session_freeze(&r->session);
	if (!err)
		err = record_write_dump(r, path);
	if (!err)
		err = session_thaw(&r->session);
	free(path);
	return err;
}

/* Prints the line about a finished file of a rotation. */
static void record_tell(struct record *r, const char *file)
{
	const struct record_options *o = r->options;

	if (o->quiet)
		return;
	if (!o->finished) {
		fprintf(stderr, "lbrctl: %llu samples in %s\n", (unsigned long long)
			(record_kept(r) - r->before), file);
		return;
	}
	/* What cannot be read now keeps its last value. */
	if (!r->stopped)
		control_session_get(&r->control, r->session.fd, &r->stats);
	o->finished(o->ctx, file, &r->stats,
		    (r->stopped ? r->stopped : clock_ns(CLOCK_MONOTONIC)) - r->started);
}

int record_end(struct record *r)
{
	struct rotation *rotation = &r->options->rotation;
	char *file = r->file;
	int64_t bytes = record_write(r, r->writer);

	r->writer = NULL;
	if (bytes < 0)
		return -1;
	r->bytes += bytes;
	r->nr_files++;
	if (!rotation->wanted)
		return 0;
	r->file = NULL;
	record_tell(r, file);
	r->before = record_kept(r);
	return rotation_finished(rotation, file);
}

/* If --switch-max-files allows it, removes the oldest files until the disk has room for another. */
static int record_remove(struct record *r)
{
	struct rotation *rotation = &r->options->rotation;

	while (rotation->keep && rotation->nr_files && !perfdata_write_room(r->writer)) {
		err_warn("the disk is full: removing the oldest file, %s",
			 rotation->files[0]);
		if (rotation_drop(rotation))
			return -1;
	}
	return 0;
}

/* Synthesizing the records of running processes takes time. Side records that arrive meanwhile
 * go to both files. Samples of tasks that end meanwhile are in the old file: its last round
 * comes late enough to include them. */
int record_switch(struct record *r)
{
	const struct timespec slack = { .tv_nsec = CAPTURE_SLACK_NS };
	struct capture *c = &r->capture;
	char *file;
	int err;

	if (record_remove(r))
		return -1;
	c->next = record_begin(r, &file);
	if (!c->next || record_synthesize(r, c->next)) {
		free(file);
		return -1;
	}
	nanosleep(&slack, NULL);
	err = capture_round(c, false) < 0 || record_end(r);
	c->first = 0;
	if (err) {
		free(file);
		return -1;
	}
	r->file = file;
	r->writer = c->writer = c->next;
	c->next = NULL;
	return 0;
}

int record_make_room(struct record *r)
{
	const struct rotation *rotation = &r->options->rotation;

	return rotation->keep && rotation->nr_files ? record_switch(r) : 0;
}
