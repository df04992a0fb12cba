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

/* NULL with the reason printed. */
static struct trust_process *process_of(struct trust *t, uint32_t pid)
{
	if (hash_reserve(&t->index))
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

/* Takes back a request that the module has not had yet. */
static void withdraw(struct tasks_list *list, uint32_t pid)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->ids[i] == pid) {
			list->ids[i] = list->ids[--list->nr];
			return;
		}
}

/* If the list is full, the next sample of the process tries again. */
static void ask(struct trust_process *p, struct tasks_list *list)
{
	if (p->asked || list->nr == sizeof(list->ids) / sizeof(list->ids[0]))
		return;
	list->ids[list->nr++] = p->pid;
	p->asked = true;
}

static void need(struct trust *t, struct trust_process *p)
{
	withdraw(&t->cleared, p->pid);
	p->needs = true;
	p->asked = false;
}

/* Another program, which the module has selected, or not, like its parent. */
static void begin(struct trust *t, struct trust_process *p, bool needs)
{
	withdraw(&t->cleared, p->pid);
	withdraw(&t->needing, p->pid);
	p->needs = needs;
	p->asked = false;
	p->samples = p->unproved = 0;
}

bool trust_is_on_trial(const struct trust *t, uint32_t pid)
{
	hash_for_each(i, &t->index, hash_u64(pid))
		if (t->processes[i].pid == pid)
			return !t->processes[i].needs && !t->processes[i].asked;
	return true;
}

int trust_sample(struct trust *t, uint32_t pid, enum trust_stack stack, bool carries)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return -1;
	if (!p->needs && !carries)
		p->asked = false;	/* the module has cleared it */
	if (stack != TRUST_UNJUDGED) {
		p->samples++;
		p->unproved += stack == TRUST_UNPROVED;
	}
	if (!p->needs && p->unproved >= TRUST_LEAST && p->unproved * TRUST_SHARE > p->samples)
		need(t, p);
	if (p->needs && !carries)
		ask(p, &t->needing);
	else if (!p->needs && carries && p->samples >= TRUST_TRIAL &&
		 p->unproved * TRUST_SHARE <= p->samples)
		ask(p, &t->cleared);
	return 0;
}

int trust_audit(struct trust *t, uint32_t pid, bool agreed)
{
	struct trust_process *p = process_of(t, pid);

	if (!p)
		return -1;
	p->checked++;
	p->disagreed += !agreed;
	if (!agreed && !p->needs) {
		need(t, p);
		ask(p, &t->needing);
	}
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
	bool needs = p && p->needs;

	if (!p || !(p = process_of(t, child)))
		return -1;
	/* Audits of an earlier process with that pid stay: its samples are in the file. */
	begin(t, p, needs);
	return 0;
}

static void trust_exec(struct trust *t, uint32_t pid)
{
	struct trust_process *p = process_of(t, pid);

	if (p)
		begin(t, p, false);
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
