// SPDX-License-Identifier: GPL-2.0
/* Judges the samples of a recording when the rings leave time for it. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "perfdata/format.h"
#include "record/judging.h"

/* Bytes of the samples that wait: a thousand of them. */
#define JUDGING_QUEUE	(512U << 10)

/* A sample that waits; its record follows. */
struct judging_waiting {
	uint32_t pid;
	uint8_t event;
	bool forgotten;			/* the pid is another program's by now */
	bool audit, carries;
};

_Static_assert(sizeof(struct judging_waiting) % 8 == 0, "the record is aligned");

int judging_init(struct judging *j, struct callers *callers)
{
	j->queue = malloc(JUDGING_QUEUE);
	if (!j->queue)
		return err_fail("out of memory");
	j->stacks = lbr_stacks_new(callers);
	return j->stacks ? 0 : -1;
}

void judging_free(struct judging *j)
{
	lbr_stacks_free(j->stacks);
	trust_free(&j->trust);
	free(j->queue);
	*j = (struct judging){};
}

void judging_prepare(struct judging *j, uint32_t pid)
{
	lbr_stacks_prepare(j->stacks, pid);
}

static struct judging_waiting *waiting_at(struct judging *j, size_t at)
{
	return (struct judging_waiting *)(j->queue + at);
}

static struct perf_event_header *record_of(struct judging_waiting *w)
{
	return (struct perf_event_header *)(w + 1);
}

static size_t size_of(struct judging_waiting *w)
{
	return sizeof(*w) + record_of(w)->size;
}

/* Moves what waits to the front of the queue if it would not fit behind. */
static unsigned char *room_of(struct judging *j, size_t size)
{
	if (j->end + size > JUDGING_QUEUE) {
		memmove(j->queue, j->queue + j->first, j->end - j->first);
		j->end -= j->first;
		j->first = 0;
	}
	return j->end + size > JUDGING_QUEUE ? NULL : j->queue + j->end;
}

static bool put(struct judging *j, struct judging_waiting waiting,
		const struct perf_event_header *record)
{
	unsigned char *at = room_of(j, sizeof(waiting) + record->size);

	if (!at)
		return false;
	memcpy(at, &waiting, sizeof(waiting));
	memcpy(at + sizeof(waiting), record, record->size);
	j->end += sizeof(waiting) + record->size;
	return true;
}

static int count(struct judging *j, uint32_t pid, enum lbr_stacks_answer answer, bool carries)
{
	return trust_sample(&j->trust, pid,
			    answer == LBR_STACKS_NONE ? TRUST_UNJUDGED :
			    answer == LBR_STACKS_PROVED ? TRUST_PROVED : TRUST_UNPROVED, carries);
}

int judging_sample(struct judging *j, const struct ring_sample *sample,
		   const struct perf_event_header *record)
{
	const struct perfdata_event *event = &j->events[sample->event];
	struct judging_waiting waiting = {
		.pid = sample->pid, .event = sample->event, .carries = sample->user_regs || sample->callers,
		.audit = sample->flags & LBRSCOPE_SAMPLE_AUDIT,
	};
	enum lbr_stacks_answer answer = LBR_STACKS_NONE;

	if (waiting.audit) {
		put(j, waiting, record);
		return 0;
	}
	if (waiting.carries ? trust_is_on_trial(&j->trust, sample->pid) :
			      !lbr_stacks_known(j->stacks, event, record, &answer))
		if (put(j, waiting, record))
			return 0;
	return count(j, sample->pid, answer, waiting.carries);
}

static int judge(struct judging *j, const struct judging_waiting *w,
		 const struct perf_event_header *record)
{
	const struct perfdata_event *event = &j->events[w->event];
	enum lbr_stacks_audit audit;

	if (!w->audit)
		return count(j, w->pid, w->carries ?
			     lbr_stacks_alone(j->stacks, event, record) :
			     lbr_stacks_of(j->stacks, event, record), w->carries);
	audit = lbr_stacks_audit(j->stacks, event, record);
	return audit == LBR_STACKS_UNCHECKED ? 0 :
	       trust_audit(&j->trust, w->pid, audit == LBR_STACKS_AGREED);
}

bool judging_waits(const struct judging *j)
{
	return j->first != j->end;
}

int judging_next(struct judging *j)
{
	struct judging_waiting *w = waiting_at(j, j->first);

	j->first += size_of(w);
	return w->forgotten ? 0 : judge(j, w, record_of(w));
}

int judging_all(struct judging *j)
{
	int err = 0;

	while (!err && judging_waits(j))
		err = judging_next(j);
	return err;
}

/* The samples of an earlier program, or of an earlier process with this pid, say nothing about
 * this one. */
static void forget(struct judging *j, uint32_t pid)
{
	for (size_t at = j->first; at < j->end; at += size_of(waiting_at(j, at)))
		if (waiting_at(j, at)->pid == pid)
			waiting_at(j, at)->forgotten = true;
}

int judging_record(struct judging *j, const struct perf_event_header *record)
{
	/* Layout of FORK: pid, ppid, tid, ptid; of COMM: pid, tid. */
	const uint32_t *ids = (const uint32_t *)(record + 1);

	if ((record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC) ||
	    (record->type == PERF_RECORD_FORK && ids[0] != ids[1]))
		forget(j, ids[0]);
	return trust_record(&j->trust, record);
}
