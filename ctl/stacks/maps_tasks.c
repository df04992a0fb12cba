// SPDX-License-Identifier: GPL-2.0
/* The processes of a capture with their mappings, and its threads with their names. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "stacks/maps_tasks.h"

/* Makes room for one more element in *list, which has nr of `each` bytes. */
static int grow(void *list, size_t nr, size_t *max, size_t each)
{
	return room_for(list, nr + 1, max, each) ?
	       err_errno("following the mappings") : 0;
}

struct maps_process *maps_process_find(struct maps_tasks *m, uint32_t pid, bool create)
{
	struct maps_process *new;

	/* Most lookups repeat the previous one. */
	if (m->last_process < m->process_index.used && m->processes[m->last_process].pid == pid)
		return &m->processes[m->last_process];
	if (hash_reserve(&m->process_index))
		return NULL;
	hash_for_each(i, &m->process_index, hash_u64(pid))
		if (m->processes[i].pid == pid)
			return &m->processes[m->last_process = i];
	if (!create || grow(&m->processes, m->process_index.used, &m->max_processes,
			    sizeof(*m->processes)))
		return NULL;
	new = &m->processes[hash_put(&m->process_index, hash_u64(pid))];
	*new = (struct maps_process){ .pid = pid };
	return new;
}

struct maps_thread *maps_thread_find(struct maps_tasks *m, uint32_t tid, bool create)
{
	struct maps_thread *new;

	if (m->last_thread < m->thread_index.used && m->threads[m->last_thread].tid == tid)
		return &m->threads[m->last_thread];
	if (hash_reserve(&m->thread_index))
		return NULL;
	hash_for_each(i, &m->thread_index, hash_u64(tid))
		if (m->threads[i].tid == tid)
			return &m->threads[m->last_thread = i];
	if (!create || grow(&m->threads, m->thread_index.used, &m->max_threads,
			    sizeof(*m->threads)))
		return NULL;
	new = &m->threads[hash_put(&m->thread_index, hash_u64(tid))];
	*new = (struct maps_thread){ .tid = tid };
	return new;
}

int maps_process_map(struct maps_process *p, struct mapping new)
{
	p->last = NULL;
	p->nr_mapped++;
	return mappings_add(&p->mappings, new) ? err_errno("following the mappings") : 0;
}

const struct mapping *maps_process_at(struct maps_process *p, uint64_t addr)
{
	/* Most callers are in the same file as their callee. */
	if (!p->last || addr < p->last->start || addr >= p->last->end)
		p->last = mappings_at(p->mappings, addr);
	return p->last;
}

void maps_process_fork(struct maps_process *child, const struct maps_process *parent)
{
	struct mappings *shared = parent ? mappings_share(parent->mappings) : NULL;

	maps_process_clear(child);
	child->mappings = shared;
	child->nr_mapped = parent ? parent->nr_mapped : 0;
}

void maps_process_clear(struct maps_process *p)
{
	mappings_drop(p->mappings);
	p->mappings = NULL;
	p->last = NULL;
	p->dump = 0;
	p->nr_mapped = 0;
}

void maps_tasks_free(struct maps_tasks *m)
{
	for (size_t i = 0; i < m->process_index.used; i++)
		mappings_drop(m->processes[i].mappings);
	free(m->processes);
	free(m->threads);
	hash_free(&m->process_index);
	hash_free(&m->thread_index);
}

const struct maps_thread *maps_thread_named(struct maps_tasks *m, uint32_t tid, uint32_t other)
{
	const struct maps_thread *t = maps_thread_find(m, tid, false);

	if (!t || !*t->comm)
		t = maps_thread_find(m, other, false);
	return t && *t->comm ? t : NULL;
}
