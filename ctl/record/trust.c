// SPDX-License-Identifier: GPL-2.0
/* Decides which processes need the user stack, because the LBR alone does not prove theirs. */
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "record/trust.h"

void trust_free(struct trust *t)
{
	free(t->processes);
	hash_free(&t->index);
}

static uint64_t process_hash(const void *ctx, size_t i)
{
	return hash_u64(((const struct trust *)ctx)->processes[i].pid);
}

/* NULL with the reason printed. */
static struct trust_process *process_of(struct trust *t, uint32_t pid)
{
	if (hash_reserve(&t->index, process_hash, t))
		goto none;
	hash_for_each(i, &t->index, hash_u64(pid))
		if (t->processes[i].pid == pid)
			return &t->processes[i];
	if (room_for(&t->processes, t->index.used + 1, &t->max, sizeof(*t->processes)))
		goto none;
	t->processes[t->index.used] = (struct trust_process){ .pid = pid };
	return &t->processes[hash_put(&t->index, hash_u64(pid))];
none:
	err_fail("out of memory");
	return NULL;
}

/* If the list is full, the next sample of the process tries again. */
static void select_process(struct trust *t, struct trust_process *p)
{
	struct tasks_list *pending = &t->pending;

	if (p->selected || pending->nr == sizeof(pending->ids) / sizeof(pending->ids[0]))
		return;
	pending->ids[pending->nr++] = p->pid;
	p->selected = true;
}

int trust_select(struct trust *t, uint32_t pid)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return -1;
	select_process(t, p);
	return 0;
}

int trust_sample(struct trust *t, uint32_t pid, bool proved)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return -1;
	p->samples++;
	p->unproved += !proved;
	if (p->unproved >= TRUST_LEAST && p->unproved * TRUST_SHARE > p->samples)
		select_process(t, p);
	return 0;
}

int trust_audit(struct trust *t, uint32_t pid, bool agreed)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return -1;
	p->checked++;
	p->disagreed += !agreed;
	if (!agreed)
		select_process(t, p);
	return 0;
}

struct perfdata_audit *trust_audits(const struct trust *t, size_t *nr)
{
	struct perfdata_audit *list = NULL;
	size_t max = 0;

	*nr = 0;
	for (size_t i = 0; i < t->index.used; i++) {
		const struct trust_process *p = &t->processes[i];

		if (!p->checked)
			continue;
		if (room_for(&list, *nr + 1, &max, sizeof(*list))) {
			err_short_of_memory();
			break;
		}
		list[(*nr)++] = (struct perfdata_audit){
			.pid = p->pid, .checked = p->checked, .disagreed = p->disagreed };
	}
	return list;
}

static int trust_fork(struct trust *t, uint32_t child, uint32_t parent)
{
	struct trust_process *p = process_of(t, parent);
	bool selected = p && p->selected;

	if (!p || !(p = process_of(t, child)))
		return -1;
	/* Audits of an earlier process with that pid stay: its samples are in the file. */
	p->selected = selected;
	p->samples = p->unproved = 0;
	return 0;
}

static void trust_exec(struct trust *t, uint32_t pid)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return;
	p->selected = false;
	p->samples = p->unproved = 0;
}

int trust_record(struct trust *t, const struct perf_event_header *record)
{
	/* Layout of FORK: pid, ppid, tid, ptid; of COMM: pid, tid. */
	const uint32_t *ids = (const uint32_t *)(record + 1);

	if (record->type == PERF_RECORD_FORK && ids[0] != ids[1])
		return trust_fork(t, ids[0], ids[1]);
	if (record->type == PERF_RECORD_COMM && record->misc & PERF_RECORD_MISC_COMM_EXEC)
		trust_exec(t, ids[0]);
	return 0;
}
