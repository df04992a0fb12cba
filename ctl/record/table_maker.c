// SPDX-License-Identifier: GPL-2.0
/* Makes unwinding tables in a thread. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/thread.h"
#include "module/netlink.h"
#include "object/frame_table.h"
#include "record/table_maker.h"

struct job {
	const struct object *object;
	struct table_maker_result result;
};

struct table_maker {
	int session;
	int results;			/* eventfd: there are some to take */
	pthread_t thread;
	/* The thread's. */
	struct control control;
	bool full;			/* the module takes no more tables */
	uint32_t nr_tables;
	/* Both threads', under the lock. Jobs below `taken` have ended, those below `done` have
	 * their results, the others are still to be done. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *jobs;
	size_t taken, done, nr, max;
	bool ending;
};

/* Makes and sends the table of a file. Returns whether the module has it. */
static bool send_table(struct table_maker *m, const struct object *object)
{
	struct lbrscope_unwind_head *table;
	size_t size;
	int err;

	if (m->full)
		return false;
	table = frame_table_of(object, &size);
	if (!table)
		return false;
	err = size > LBRSCOPE_UNWIND_SIZE_MAX ? -E2BIG :
	      control_unwind_table(&m->control, m->session, m->nr_tables, table, size);
	free(table);
	if (err) {
		m->full = err == -ENOSPC || err == -ENOMEM;
		return false;
	}
	m->full = ++m->nr_tables == LBRSCOPE_UNWIND_TABLES_MAX;
	return true;
}

/* Does the next job, without the lock. */
static void do_job(struct table_maker *m)
{
	struct job job = m->jobs[m->done];

	pthread_mutex_unlock(&m->lock);
	job.result.number = m->nr_tables;
	job.result.made = send_table(m, job.object);
	pthread_mutex_lock(&m->lock);
	m->jobs[m->done++] = job;
	eventfd_write(m->results, 1);
	pthread_cond_broadcast(&m->changed);
}

static void *make_tables(void *ctx)
{
	struct table_maker *m = ctx;

	pthread_mutex_lock(&m->lock);
	while (!m->ending) {
		if (m->done < m->nr)
			do_job(m);
		else
			pthread_cond_wait(&m->changed, &m->lock);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

static void free_maker(struct table_maker *m)
{
	if (m->results >= 0)
		close(m->results);
	control_close(&m->control);
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
	free(m->jobs);
	free(m);
}

struct table_maker *table_maker_start(int fd)
{
	struct table_maker *m = calloc(1, sizeof(*m));

	if (!m) {
		err_fail("out of memory");
		return NULL;
	}
	if (control_connect(&m->control)) {
		free(m);
		return NULL;
	}
	m->session = fd;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->changed, NULL);
	m->results = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->results >= 0) {
		errno = thread_start(&m->thread, make_tables, m);
		if (!errno)
			return m;
	}
	err_errno("starting a thread");
	free_maker(m);
	return NULL;
}

void table_maker_end(struct table_maker *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->ending = true;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	free_maker(m);
}

int table_maker_ask(struct table_maker *m, uint32_t file, const struct object *object)
{
	int err;

	pthread_mutex_lock(&m->lock);
	err = room_for(&m->jobs, m->nr + 1, &m->max, sizeof(*m->jobs));
	if (!err)
		m->jobs[m->nr++] = (struct job){ object, { .file = file } };
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return err ? err_fail("out of memory") : 0;
}

bool table_maker_take(struct table_maker *m, struct table_maker_result *result)
{
	eventfd_t nr;
	bool taken;

	pthread_mutex_lock(&m->lock);
	taken = m->taken < m->done;
	if (taken)
		*result = m->jobs[m->taken++].result;
	if (taken && m->taken == m->done)
		eventfd_read(m->results, &nr);
	pthread_mutex_unlock(&m->lock);
	return taken;
}

void table_maker_wait(struct table_maker *m)
{
	pthread_mutex_lock(&m->lock);
	while (m->done < m->nr)
		pthread_cond_wait(&m->changed, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

int table_maker_fd(const struct table_maker *m)
{
	return m->results;
}
