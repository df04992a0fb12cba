// SPDX-License-Identifier: GPL-2.0
/* The counts of each thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "module/session.h"
#include "stat/counts.h"
#include "stat/stat.h"
#include "stat/tasks.h"

static struct stat_task *stat_task_new(const struct stat_tasks *t)
{
	struct stat_task *task;

	return calloc(1, sizeof(*task) + t->nr_events * sizeof(task->counts[0]));
}

int stat_tasks_init(struct stat_tasks *t, unsigned int nr_events)
{
	memset(t, 0, sizeof(*t));
	t->nr_events = nr_events;
	t->gone = stat_task_new(t);
	t->rest = stat_task_new(t);
	return t->gone && t->rest ? 0 : err_fail("out of memory");
}

void stat_tasks_free(struct stat_tasks *t)
{
	for (size_t i = 0; i < t->index.used; i++)
		free(t->list[i]);
	free(t->list);
	free(t->gone);
	free(t->rest);
	hash_free(&t->index);
	memset(t, 0, sizeof(*t));
}

/* Returns the task of that id, which may be a new one; NULL when memory is short. */
static struct stat_task *stat_tasks_of(struct stat_tasks *t, uint64_t id)
{
	struct stat_task *task;

	if (hash_reserve(&t->index))
		return NULL;
	hash_for_each(i, &t->index, hash_u64(id))
		if (t->list[i]->id == id)
			return t->list[i];
	task = stat_task_new(t);
	if (!task || room_for(&t->list, t->index.used + 1, &t->max, sizeof(*t->list))) {
		free(task);
		return NULL;
	}
	task->id = id;
	t->list[hash_put(&t->index, hash_u64(id))] = task;
	return task;
}

/* Adds one task of at most `size` bytes. Returns its size, or a negative errno. */
static int stat_tasks_add_one(struct stat_tasks *t, const char *at, size_t len, bool ended)
{
	struct lbrscope_task_counts head;
	const size_t each = sizeof(head.counts[0]);
	struct stat_task *task;

	if (len < sizeof(head))
		return -EPROTO;
	memcpy(&head, at, sizeof(head));
	if (head.rec.size > len || head.rec.type != LBRSCOPE_RECORD_TASK_COUNTS ||
	    head.rec.nr != t->nr_events || head.rec.size < sizeof(head) + head.rec.nr * each ||
	    !head.id || head.comm[sizeof(head.comm) - 1])
		return -EPROTO;
	task = stat_tasks_of(t, head.id);
	if (!task)
		return -ENOMEM;
	/* No text is behind the end of the list. */
	if (task->ended)
		return head.rec.size;
	task->ended = ended;
	task->tid = head.tid;
	task->pid = head.pid;
	memcpy(task->comm, head.comm, sizeof(task->comm));
	task->enabled = head.enabled;
	at += sizeof(head);
	for (unsigned int e = 0; e < t->nr_events; e++, at += each) {
		memcpy(&task->counts[e].value, at, sizeof(uint64_t));
		memcpy(&task->counts[e].running, at + sizeof(uint64_t), sizeof(uint64_t));
	}
	return head.rec.size;
}

int stat_tasks_add(struct stat_tasks *t, const void *counts, size_t len, bool ended)
{
	for (const char *at = counts; len;) {
		int size = stat_tasks_add_one(t, at, len, ended);

		if (size < 0)
			return size;
		at += size;
		len -= size;
	}
	return 0;
}

static int stat_tasks_on_record(void *ctx, struct ring_reader *ring __attribute__((unused)),
				const struct lbrscope_record *record)
{
	if (record->type != LBRSCOPE_RECORD_TASK_COUNTS)
		return 0;
	return stat_tasks_add(ctx, record, record->size, true);
}

int stat_tasks_drain(struct stat_tasks *t, struct session *session)
{
	return session_drain(session, stat_tasks_on_record, t);
}

static int stat_tasks_on_reply(void *ctx, const void *counts, size_t len)
{
	return stat_tasks_add(ctx, counts, len, false);
}

int stat_tasks_read(struct stat_tasks *t, struct session *session)
{
	int err = control_task_counts_get(session->control, session->fd,
					  stat_tasks_on_reply, t);

	if (err)
		return err_fail("reading the counts of threads: %s",
				control_reason(session->control, err));
	/* Last: tasks missing from the reply have ended. */
	return stat_tasks_drain(t, session);
}

static void stat_task_sum(struct stat_task *sum, const struct stat_task *task, unsigned int nr)
{
	sum->enabled += task->enabled;
	for (unsigned int e = 0; e < nr; e++) {
		sum->counts[e].value += task->counts[e].value;
		sum->counts[e].running += task->counts[e].running;
	}
}

static uint64_t stat_tasks_beyond(uint64_t all, uint64_t known)
{
	return all > known ? all - known : 0;
}

void stat_tasks_rest(struct stat_tasks *t, const struct lbrscope_count *cpus,
		     unsigned int nr_cpus)
{
	struct stat_task *rest = t->rest;
	unsigned int nr = t->nr_events, e;

	stat_task_sum(rest, t->gone, nr);
	for (size_t i = 0; i < t->index.used; i++)
		stat_task_sum(rest, t->list[i], nr);
	for (e = 0; e < nr; e++) {
		struct lbrscope_count all = {};

		for (unsigned int i = 0; i < nr_cpus; i++)
			counts_add(&all, &cpus[i * nr + e]);
		if (!e)	/* the same for all events */
			rest->enabled = stat_tasks_beyond(all.enabled, rest->enabled);
		rest->counts[e].value = stat_tasks_beyond(all.value, rest->counts[e].value);
		rest->counts[e].running = stat_tasks_beyond(all.running, rest->counts[e].running);
		t->has_rest |= rest->counts[e].value;
	}
}

struct lbrscope_count stat_task_count(const struct stat_task *task, unsigned int event)
{
	return (struct lbrscope_count){
		.value = task->counts[event].value - task->counts[event].told_value,
		.enabled = task->enabled - task->told_enabled,
		.running = task->counts[event].running - task->counts[event].told_running,
	};
}

static int stat_tasks_compare(const void *left, const void *right)
{
	const struct stat_unit *a = left, *b = right;
	struct lbrscope_count one = stat_task_count(a->task, 0);
	struct lbrscope_count other = stat_task_count(b->task, 0);
	double x = counts_estimate(&one), y = counts_estimate(&other);

	if (x != y)
		return x > y ? -1 : 1;
	return a->task->id < b->task->id ? -1 : 1;
}

int stat_tasks_units(struct stat_tasks *t, struct stat_counts *c)
{
	free(c->units);
	c->nr_units = 0;
	c->units = calloc(t->index.used + 1, sizeof(*c->units));
	if (!c->units)
		return err_fail("out of memory");
	for (size_t i = 0; i < t->index.used; i++)
		if (t->list[i]->enabled != t->list[i]->told_enabled)
			c->units[c->nr_units++].task = t->list[i];
	qsort(c->units, c->nr_units, sizeof(*c->units), stat_tasks_compare);
	if (t->has_rest)
		c->units[c->nr_units++].task = t->rest;
	return 0;
}

/* Removes the ended tasks from the list, and rebuilds its index in place. */
static void stat_tasks_leave(struct stat_tasks *t)
{
	size_t nr = t->index.used;

	hash_empty(&t->index);
	for (size_t i = 0; i < nr; i++) {
		struct stat_task *task = t->list[i];

		if (task->ended) {
			stat_task_sum(t->gone, task, t->nr_events);
			free(task);
			continue;
		}
		t->list[hash_put(&t->index, hash_u64(task->id))] = task;
	}
}

void stat_tasks_told(struct stat_tasks *t)
{
	if (t->index.used)
		stat_tasks_leave(t);
	for (size_t i = 0; i < t->index.used; i++) {
		struct stat_task *task = t->list[i];

		task->told_enabled = task->enabled;
		for (unsigned int e = 0; e < t->nr_events; e++) {
			task->counts[e].told_value = task->counts[e].value;
			task->counts[e].told_running = task->counts[e].running;
		}
	}
}
