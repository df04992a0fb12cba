// SPDX-License-Identifier: GPL-2.0
/* Counts the branches and runs of one object. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "export/counts.h"

static const struct maps *maps_of(const struct counts *n)
{
	return samples_maps(n->capture.samples);
}

static bool is_same(const char *path, const char *name)
{
	return !strcmp(path, name);
}

static bool ends_with(const char *path, const char *name)
{
	size_t length = strlen(path), end = strlen(name);

	return length > end && path[length - end - 1] == '/' && !strcmp(path + length - end, name);
}

static bool is_any(const char *path, const char *name)
{
	return path && !name;
}

/* Returns the file that has the most branches, of those whose paths pass; 0: none. */
static uint32_t find_most(const struct counts *n, const uint64_t *branches,
			  bool (*passes)(const char *path, const char *name), const char *name)
{
	uint32_t most = 0;

	for (size_t i = MAPS_FIRST_FILE; i < maps_nr_files(maps_of(n)); i++)
		if (branches[i] > branches[most] && passes(maps_file(maps_of(n), i)->path, name))
			most = i;
	return most;
}

/* Finds the file of a name. One path can be that of several files, one after another. */
static int find_named(struct counts *n, const uint64_t *branches, const char *name)
{
	const char *path;

	n->file = find_most(n, branches, is_same, name);
	if (n->file)
		return 0;
	n->file = find_most(n, branches, ends_with, name);
	if (!n->file)
		return err_fail("no branches of '%s'; most of them are of %s", name,
				maps_file(maps_of(n), find_most(n, branches, is_any, NULL))->path);
	path = maps_file(maps_of(n), n->file)->path;
	for (size_t i = MAPS_FIRST_FILE; i < maps_nr_files(maps_of(n)); i++) {
		const char *other = maps_file(maps_of(n), i)->path;

		if (branches[i] && strcmp(path, other) && ends_with(other, name))
			return err_fail("'%s' may be %s or %s: give --object the whole path", name,
					path, other);
	}
	return 0;
}

static int choose(struct counts *n, const struct counts_query *query, uint64_t *branches)
{
	const struct branches *taken = &n->capture.runs.taken;
	const struct maps_file *file;

	for (size_t i = 0; i < taken->index.used; i++)
		branches[taken->list[i].from.file] += taken->list[i].executions;
	branches[MAPS_NOTHING] = branches[MAPS_KERNEL] = 0;
	n->file = find_most(n, branches, is_any, NULL);
	if (!n->file)
		return err_fail("%s: no branch begins in a file", query->input);
	if (query->object && find_named(n, branches, query->object))
		return -1;
	file = maps_file(maps_of(n), n->file);
	n->path = file->path;
	n->object = file->object;
	if (n->object && object_is_x86_64(n->object))
		return 0;
	return err_whole() ? -1 :
	       err_fail("%s: the x86-64 code of %s is not available, so that branches cannot be "
			"checked; give --symfs the folder with its files, or name another object "
			"with --object", query->input, n->path);
}

/* Keeps the runs of the object. */
static void keep_runs(struct counts *n)
{
	struct runs *r = &n->capture.runs;
	size_t kept = 0;

	for (size_t i = 0; i < r->nr; i++)
		if (r->list[i].file == n->file)
			r->list[kept++] = r->list[i];
	r->nr = kept;
}

static bool is_entered(const struct counts *n, const struct runs_run *run)
{
	struct object_range function;

	return run->origin.file != n->file ||
	       !object_function(n->object, run->start, &function) ||
	       run->origin.addr < function.start || run->origin.addr >= function.end;
}

static int count_ranges(struct counts *n)
{
	const struct runs *r = &n->capture.runs;
	struct counts_range *range = NULL;

	n->ranges = calloc(r->nr + 1, sizeof(*n->ranges));
	if (!n->ranges)
		return -1;
	for (const struct runs_run *run = r->list; run < r->list + r->nr; run++) {
		if (!range || range->start != run->start || range->end != run->end) {
			range = &n->ranges[n->nr_ranges++];
			range->start = run->start;
			range->end = run->end;
		}
		range->executions += run->executions;
		if (is_entered(n, run))
			range->entered += run->executions;
	}
	return 0;
}

static uint64_t address(const struct counts *n, struct place place)
{
	return place.file == n->file ? place.addr : COUNTS_OUTSIDE;
}

/* Interrupts lead from any instruction into the kernel. */
static bool is_possible(const struct counts *n, const struct branches_branch *b)
{
	return b->from.file != n->file || b->to.file == MAPS_KERNEL ||
	       blocks_leads(n->capture.blocks, n->object, b->from.addr, address(n, b->to));
}

static int branch_compare(const void *x, const void *y)
{
	const struct counts_branch *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Branches from and to different places outside become one. */
static void merge_branches(struct counts *n)
{
	size_t kept = 0;

	qsort(n->branches, n->nr_branches, sizeof(*n->branches), branch_compare);
	for (size_t i = 0; i < n->nr_branches; i++) {
		struct counts_branch *last = kept ? &n->branches[kept - 1] : NULL;

		if (last && !branch_compare(last, &n->branches[i])) {
			last->executions += n->branches[i].executions;
			last->mispredicted += n->branches[i].mispredicted;
		} else {
			n->branches[kept++] = n->branches[i];
		}
	}
	n->nr_branches = kept;
}

static int count_branches(struct counts *n)
{
	const struct branches *taken = &n->capture.runs.taken;

	n->branches = calloc(taken->index.used + 1, sizeof(*n->branches));
	if (!n->branches)
		return -1;
	for (size_t i = 0; i < taken->index.used; i++) {
		const struct branches_branch *b = &taken->list[i];
		uint64_t from = address(n, b->from), to = address(n, b->to);

		if (from == COUNTS_OUTSIDE && to == COUNTS_OUTSIDE)
			continue;
		if (is_possible(n, b))
			n->branches[n->nr_branches++] = (struct counts_branch){
				from, to, b->executions, b->mispredicted };
		else
			n->contradicted += b->executions;
	}
	merge_branches(n);
	return 0;
}

static void say_left_out(const struct counts *n)
{
	const struct blocks_capture *c = &n->capture;

	if (c->contradicted)
		err_warn("%s: left out %" PRIu64 " runs of code that the code contradicts, or that an "
			 "interrupt ended", n->path, c->contradicted);
	if (n->contradicted)
		err_warn("%s: left out %" PRIu64 " branches that the code contradicts", n->path,
			 n->contradicted);
	if (c->runs.backward)
		err_warn("left out of all objects: %" PRIu64 " runs of code that end before they "
			 "begin, or in another object", c->runs.backward);
	if (c->runs.taken_left_out)
		err_warn("left out of all objects: %" PRIu64 " newest branches, since this CPU "
			 "records some of them twice", c->runs.taken_left_out);
}

int counts_read(struct counts *n, const struct counts_query *query)
{
	struct blocks_capture *c = &n->capture;
	uint64_t *branches;
	int err;

	*n = (struct counts){ .capture.runs.with_branches = true };
	c->samples = samples_open(query->input);
	c->blocks = c->samples ? blocks_new(BLOCKS_ATT) : NULL;
	if (!c->blocks || blocks_read(c, query->input, query->event, query->filter))
		return -1;
	branches = calloc(maps_nr_files(maps_of(n)) + MAPS_FIRST_FILE, sizeof(*branches));
	if (!branches)
		return err_errno("counting branches");
	err = choose(n, query, branches);
	free(branches);
	if (err)
		return -1;
	keep_runs(n);
	blocks_decode(c, NULL);
	if (count_ranges(n) || count_branches(n))
		return err_errno("counting branches");
	say_left_out(n);
	if (err_whole())
		return -1;
	if (!n->nr_ranges)
		return err_fail("%s: no possible run of code is in %s; is this the file that ran?",
				query->input, n->path);
	return 0;
}

void counts_free(struct counts *n)
{
	free(n->ranges);
	free(n->branches);
	blocks_free(n->capture.blocks);
	runs_free(&n->capture.runs);
	samples_close(n->capture.samples);
}
