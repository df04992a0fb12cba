// SPDX-License-Identifier: GPL-2.0
/* Adds up the straight runs of code between taken branches. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "blocks/runs.h"

/* A saturated counter stays at this value (SDM vol. 3, "LBR Stack", CYC_CNT). */
#define SATURATED	0xffff

static uint64_t run_hash_of(struct place start, uint64_t end, struct place origin)
{
	return hash_add(hash_add(hash_u64(maps_place_key(start)), end),
			maps_place_key(origin));
}

static struct runs_run *run_find(struct runs *r, struct place start, uint64_t end,
				 struct place origin)
{
	uint64_t hash = run_hash_of(start, end, origin);

	if (hash_reserve(&r->index) ||
	    room_for(&r->list, r->nr + 1, &r->max, sizeof(*r->list)))
		return NULL;
	hash_for_each(i, &r->index, hash) {
		struct runs_run *run = &r->list[i];

		if (run->file == start.file && run->start == start.addr && run->end == end &&
		    maps_same_place(run->origin, origin))
			return run;
	}
	hash_put(&r->index, hash);
	r->list[r->nr] = (struct runs_run){ .file = start.file, .start = start.addr, .end = end,
					    .origin = origin };
	return &r->list[r->nr++];
}

static int time_add(struct runs *r, uint32_t run, uint32_t cycles, uint64_t executions)
{
	uint64_t hash = hash_add(hash_u64(run), cycles);

	if (hash_reserve(&r->time_index) ||
	    room_for(&r->times, r->nr_times + 1, &r->max_times,
		     sizeof(*r->times)))
		return -1;
	hash_for_each(i, &r->time_index, hash) {
		struct runs_time *t = &r->times[i];

		if (t->run == run && t->cycles == cycles) {
			t->executions += executions;
			return 0;
		}
	}
	hash_put(&r->time_index, hash);
	r->times[r->nr_times++] = (struct runs_time){ run, cycles, executions };
	return 0;
}

static int run_add(struct runs *r, struct place origin, struct place start, struct place end,
		   const struct perf_branch_entry *branch)
{
	struct runs_run *run;

	if (start.file != end.file || start.addr > end.addr) {
		r->backward++;
		return 0;
	}
	run = run_find(r, start, end.addr, origin);
	if (!run)
		return -1;
	run->executions++;
	run->mispredicted += branch->mispred;
	run->predicted += branch->predicted;
	/* 0: the CPU does not record cycles. */
	if (!branch->cycles || branch->cycles == SATURATED)
		return 0;
	run->timed++;
	run->cycles += branch->cycles;
	return time_add(r, run - r->list, branch->cycles, 1);
}

static void branch_get(const struct recorded_sample *s, uint64_t i,
		       struct perf_branch_entry *branch)
{
	memcpy(branch, s->raw.branches + i * sizeof(*branch), sizeof(*branch));
}

/* A forward branch directly after itself is not possible: Skylake writes the newest entry twice
 * in a quarter of the samples, whichever way it jumps. */
static bool newest_repeats(const struct recorded_sample *s)
{
	struct perf_branch_entry newest, next;

	if (s->raw.branches_nr < 2)
		return false;
	branch_get(s, 0, &newest);
	branch_get(s, 1, &next);
	return newest.from == next.from && newest.to == next.to &&
	       newest.from < newest.to;
}

/* The kernel is one place. It is also where a branch comes from whose begin is hidden (0). */
static struct place place_of(struct maps *maps, const struct recorded_sample *s, uint64_t addr)
{
	uint64_t offset;

	return !addr || (int64_t)addr < 0 ? (struct place){ MAPS_KERNEL, 0 } :
					    maps_place(maps, s->raw.pid, addr, &offset);
}

static int taken_add(struct runs *r, struct maps *maps, const struct recorded_sample *s,
		     uint64_t i)
{
	struct perf_branch_entry entry;
	struct branches_branch branch = { .executions = 1 };

	branch_get(s, i, &entry);
	branch.from = place_of(maps, s, entry.from);
	branch.to = place_of(maps, s, entry.to);
	branch.mispredicted = entry.mispred;
	branch.odd = r->odd;
	if (branch.from.file != MAPS_KERNEL || branch.to.file != MAPS_KERNEL)
		return branches_add(&r->taken, &branch);
	r->empty += !entry.from && !entry.to;
	r->within_kernel += entry.from || entry.to;
	return 0;
}

/* Adds the run from an entry to a younger one. */
static int between_add(struct runs *r, struct maps *maps, const struct recorded_sample *s,
		       uint64_t from, uint64_t to)
{
	struct perf_branch_entry newer, older;
	struct place origin = { 0 };

	branch_get(s, to, &newer);
	branch_get(s, from, &older);
	/* Empty entries: the record was not full yet, or kernel addresses are hidden. */
	if (!newer.from || !older.to)
		return 0;
	if ((int64_t)newer.from < 0 || (int64_t)older.to < 0) {
		r->kernel++;
		return 0;
	}
	if (r->with_branches)
		origin = place_of(maps, s, older.from);
	return run_add(r, origin, place_of(maps, s, older.to), place_of(maps, s, newer.from),
		       &newer);
}

/* Adds entry i, and the run that ends with it, from the older entry. */
static int entry_add(struct runs *r, struct maps *maps, const struct recorded_sample *s,
		     uint64_t i, uint64_t older)
{
	if (r->with_branches && taken_add(r, maps, s, i))
		return -1;
	return older < s->raw.branches_nr ? between_add(r, maps, s, older, i) : 0;
}

/* Returns the first entry from i on whose branch retired. AMD also records branches that were
 * taken on a wrong path only (APM vol. 2, "Last Branch Stack Registers", Spec and Valid): what
 * ran goes on from the branch before. */
static uint64_t find_retired(const struct recorded_sample *s, uint64_t i)
{
	struct perf_branch_entry entry;

	for (; i < s->raw.branches_nr; i++) {
		branch_get(s, i, &entry);
		if (entry.spec != PERF_BR_SPEC_WRONG_PATH)
			break;
	}
	return i;
}

/* Adds the entries from the first one on. The newest one is kept apart (take_newest()). */
static int entries_add(struct runs *r, struct maps *maps, const struct recorded_sample *s,
		       bool repeats)
{
	uint64_t first = find_retired(s, 0), older, retired = 0;
	int err = 0;

	for (uint64_t i = first; !err && i < s->raw.branches_nr; i = older) {
		older = find_retired(s, i + 1);
		retired++;
		if (i != first)
			err = entry_add(r, maps, s, i, older);
		else if (!repeats)
			err = entry_add(r->newest, maps, s, i, older);
	}
	r->wrong_path += s->raw.branches_nr - retired;
	return err;
}

static int sampled_add(struct runs *r, struct maps *maps, const struct recorded_sample *s)
{
	struct place place = place_of(maps, s, s->raw.ip);

	return branches_add(&r->sampled, &(struct branches_branch){
		.from = place, .to = place, .executions = 1 });
}

int runs_add(struct runs *r, struct maps *maps, const struct recorded_sample *s)
{
	bool repeats;

	r->odd = ++r->samples & 1;
	if (r->with_branches && sampled_add(r, maps, s))
		return err_errno("reading branch records");
	if (!s->raw.branches || !s->raw.branches_nr) {
		r->bare++;
		return 0;
	}
	r->branches += s->raw.branches_nr;
	if (!r->newest)
		r->newest = calloc(1, sizeof(*r->newest));
	if (!r->newest)
		return err_errno("reading branch records");
	r->newest->with_branches = r->with_branches;
	r->newest->odd = r->odd;
	repeats = newest_repeats(s);
	r->pairs += s->raw.branches_nr > 1;
	r->repeats += repeats;
	return entries_add(r, maps, s, repeats) ? err_errno("reading branch records") : 0;
}

static struct runs_run *run_like(struct runs *r, const struct runs_run *run)
{
	return run_find(r, (struct place){ run->file, run->start }, run->end, run->origin);
}

/* Adds the runs of another one. */
static int merge(struct runs *r, const struct runs *from)
{
	r->kernel += from->kernel;
	r->backward += from->backward;
	for (size_t i = 0; i < from->nr; i++) {
		const struct runs_run *run = &from->list[i];
		struct runs_run *to = run_like(r, run);

		if (!to)
			return -1;
		to->executions += run->executions;
		to->mispredicted += run->mispredicted;
		to->predicted += run->predicted;
		to->timed += run->timed;
		to->cycles += run->cycles;
	}
	for (size_t i = 0; i < from->nr_times; i++) {
		const struct runs_time *t = &from->times[i];
		const struct runs_run *run = &from->list[t->run];
		struct runs_run *to = run_like(r, run);

		if (!to || time_add(r, to - r->list, t->cycles, t->executions))
			return -1;
	}
	return branches_merge(&r->taken, &from->taken);
}

/* A repeated backward branch may as well be a loop, and the one that is repeated is not a random
 * one: where the fault is, the newest entries say nothing. */
static int take_newest(struct runs *r)
{
	int err = 0;

	if (!r->newest)
		return 0;
	r->empty += r->newest->empty;
	r->within_kernel += r->newest->within_kernel;
	if (100 * r->repeats > r->pairs) {
		for (size_t i = 0; i < r->newest->nr; i++)
			r->left_out += r->newest->list[i].executions;
		r->taken_left_out = branches_sum(&r->newest->taken);
	} else {
		err = merge(r, r->newest);
	}
	runs_free(r->newest);
	free(r->newest);
	r->newest = NULL;
	return err;
}

static int time_compare(const void *x, const void *y)
{
	const struct runs_time *a = x, *b = y;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return a->cycles < b->cycles ? -1 : a->cycles > b->cycles;
}

static int run_compare(const void *x, const void *y)
{
	const struct runs_run *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	if (a->origin.file != b->origin.file)
		return a->origin.file < b->origin.file ? -1 : 1;
	return a->origin.addr < b->origin.addr ? -1 : a->origin.addr > b->origin.addr;
}

int runs_finish(struct runs *r)
{
	size_t i;

	if (take_newest(r))
		return err_errno("adding up runs");
	if (r->nr_times)
		qsort(r->times, r->nr_times, sizeof(*r->times), time_compare);
	for (i = 0; i < r->nr_times; i++) {
		struct runs_run *run = &r->list[r->times[i].run];

		if (!run->nr_times++)
			run->first_time = i;
	}
	if (r->nr)
		qsort(r->list, r->nr, sizeof(*r->list), run_compare);
	return 0;
}

void runs_free(struct runs *r)
{
	if (r->newest)
		runs_free(r->newest);
	free(r->newest);
	free(r->list);
	free(r->times);
	branches_free(&r->taken);
	branches_free(&r->sampled);
	hash_free(&r->index);
	hash_free(&r->time_index);
}

static int cycles_compare(const void *x, const void *y)
{
	const struct runs_time *a = x, *b = y;

	return a->cycles < b->cycles ? -1 : a->cycles > b->cycles;
}

static uint32_t percentile(const struct runs_time *times, size_t nr, uint64_t all,
			   unsigned int percent)
{
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i + 1 < nr; i++) {
		seen += times[i].executions;
		if (seen * 100 >= all * percent)
			break;
	}
	return times[i].cycles;
}

int runs_summarise(const struct runs *r, const struct runs_run *const *list, size_t nr,
		   struct runs_summary *s)
{
	struct runs_time *times;
	size_t i, all = 0;

	*s = (struct runs_summary){ 0 };
	for (i = 0; i < nr; i++) {
		s->executions += list[i]->executions;
		s->mispredicted += list[i]->mispredicted;
		s->predicted += list[i]->predicted;
		s->timed += list[i]->timed;
		s->cycles += list[i]->cycles;
		s->instructions += list[i]->timed * list[i]->instructions;
		all += list[i]->nr_times;
	}
	if (!all)
		return 0;
	times = malloc(all * sizeof(*times));
	if (!times)
		return err_errno("summing up runs");
	for (i = all = 0; i < nr; i++) {
		memcpy(times + all, r->times + list[i]->first_time,
		       list[i]->nr_times * sizeof(*times));
		all += list[i]->nr_times;
	}
	qsort(times, all, sizeof(*times), cycles_compare);
	s->low = percentile(times, all, s->timed, 10);
	s->median = percentile(times, all, s->timed, 50);
	s->high = percentile(times, all, s->timed, 90);
	free(times);
	return 0;
}
