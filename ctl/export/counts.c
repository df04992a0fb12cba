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

/* Whether both are files with one build id; without build ids, whether they have one path. */
static bool is_like(const struct maps_file *file, const struct counts *like)
{
	const void *id, *other;
	size_t size = file->object ? object_build_id(file->object, &id) : 0;
	size_t size_like = object_build_id(like->object, &other);

	if (!size_like)
		return !size && !strcmp(file->path, like->path);
	return size == size_like && !memcmp(id, other, size);
}

/* Finds the file with most branches of that build. */
static int find_like(struct counts *n, const uint64_t *branches,
		     const struct counts_query *query)
{
	n->file = 0;
	for (size_t i = MAPS_FIRST_FILE; i < maps_nr_files(maps_of(n)); i++)
		if (branches[i] > branches[n->file] &&
		    is_like(maps_file(maps_of(n), i), query->like))
			n->file = i;
	return n->file ? 0 :
	       err_fail("%s: no branches of this build of %s", query->input, query->like->path);
}

/* Sums up the branches that begin in each file, and chooses one of them. */
static int choose(struct counts *n, const struct counts_query *query, uint64_t *branches)
{
	const struct branches *taken = &n->capture.runs.taken;

	for (size_t i = 0; i < taken->index.used; i++)
		branches[taken->list[i].from.file] += taken->list[i].executions;
	branches[MAPS_NOTHING] = branches[MAPS_KERNEL] = 0;
	n->file = find_most(n, branches, is_any, NULL);
	if (!n->file)
		return err_fail("%s: no branch begins in a file", query->input);
	return query->like ? find_like(n, branches, query) :
	       query->object ? find_named(n, branches, query->object) : 0;
}

static int check_code(struct counts *n, const char *input)
{
	const struct maps_file *file = maps_file(maps_of(n), n->file);

	n->path = file->path;
	n->object = file->object;
	if (n->object && object_is_x86_64(n->object))
		return 0;
	if (err_whole()) {
		n->failure = COUNTS_UNREADABLE;
		return -1;
	}
	n->failure = file->state == OBJECT_MISMATCH ? COUNTS_OTHER_BUILD : COUNTS_WITHOUT_CODE;
	if (file->state == OBJECT_MISMATCH)
		return err_fail("%s: %s is another build than the one that ran: record this one, or "
				"give --symfs the folder with the other", input, n->path);
	return err_fail("%s: the x86-64 code of %s is not available, so that branches cannot be "
			"checked; give --symfs the folder with its files, or name another object "
			"with --object", input, n->path);
}

/* Chooses the object. Without it, all branches are of others. */
static int find_object(struct counts *n, const struct counts_query *query)
{
	uint64_t *branches = calloc(maps_nr_files(maps_of(n)) + MAPS_FIRST_FILE,
				    sizeof(*branches));
	int err;

	if (!branches) {
		n->failure = COUNTS_UNREADABLE;
		return err_errno("counting branches");
	}
	err = choose(n, query, branches);
	free(branches);
	if (!err)
		return check_code(n, query->input);
	n->file = MAPS_NOTHING;
	n->failure = COUNTS_NO_BRANCHES;
	return err;
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

/* Returns why a branch is left out; COUNTS_CAUSES if it is not. Interrupts lead from any
 * instruction into the kernel. */
static enum counts_cause cause_of(const struct counts *n, const struct branches_branch *b)
{
	static const enum counts_cause causes[] = {
		[BLOCKS_LEADS] = COUNTS_CAUSES, [BLOCKS_NO_INSTRUCTION] = COUNTS_NO_INSTRUCTION,
		[BLOCKS_NO_BRANCH] = COUNTS_NO_BRANCH, [BLOCKS_ELSEWHERE] = COUNTS_ELSEWHERE,
	};

	if (!n->file || (b->from.file != n->file && b->to.file != n->file))
		return COUNTS_OTHER;
	if (n->failure)
		return COUNTS_NO_CODE;
	if (b->from.file != n->file || b->to.file == MAPS_KERNEL)
		return COUNTS_CAUSES;
	return causes[blocks_leads(n->object, b->from.addr, address(n, b->to))];
}

static int count_branches(struct counts *n)
{
	const struct branches *taken = &n->capture.runs.taken;

	n->branches = calloc(taken->index.used + 1, sizeof(*n->branches));
	if (!n->branches)
		return -1;
	for (size_t i = 0; i < taken->index.used; i++) {
		const struct branches_branch *b = &taken->list[i];
		enum counts_cause cause = cause_of(n, b);

		if (cause == COUNTS_CAUSES)
			n->branches[n->nr_branches++] = (struct counts_branch){
				address(n, b->from), address(n, b->to), b->executions,
				b->mispredicted, b->odd };
		else
			n->tally.left_out[cause] += b->executions;
	}
	for (size_t i = 0; i < n->nr_branches; i++)
		n->tally.used += n->branches[i].executions;
	return 0;
}

static int count_sampled(struct counts *n)
{
	const struct branches *sampled = &n->capture.runs.sampled;

	n->sampled = calloc(sampled->index.used + 1, sizeof(*n->sampled));
	if (!n->sampled)
		return -1;
	for (size_t i = 0; i < sampled->index.used; i++)
		if (sampled->list[i].from.file == n->file)
			n->sampled[n->nr_sampled++] = (struct counts_sampled){
				sampled->list[i].from.addr, sampled->list[i].executions };
	return 0;
}

static void left_out(const struct counts *n, uint64_t nr, const char *what, const char *why)
{
	if (nr)
		err_warn("%s: left out %" PRIu64 " %s%s", n->path, nr, what, why);
}

void counts_warn_left_out(const struct counts *n)
{
	const struct counts_tally *t = &n->tally;
	const uint64_t *causes = t->left_out;

	left_out(n, t->runs_contradicted, "runs of code that the code contradicts",
		 ", or that an interrupt ended");
	left_out(n, causes[COUNTS_NO_INSTRUCTION] + causes[COUNTS_NO_BRANCH] +
		 causes[COUNTS_ELSEWHERE], "branches that the code contradicts", "");
	if (t->runs_backward)
		err_warn("left out of all objects: %" PRIu64 " runs of code that end before they "
			 "begin, or in another object", t->runs_backward);
	if (causes[COUNTS_NEWEST])
		err_warn("left out of all objects: %" PRIu64 " newest branches, since this CPU "
			 "records some of them twice", causes[COUNTS_NEWEST]);
}

/* Finds the events of the branches, and their period. */
static void find_event(struct counts *n)
{
	size_t nr, found = 0;
	const struct perfdata_event *events = samples_events(n->capture.samples, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (!samples_selected(n->capture.samples, i) || !blocks_whole(&events[i]))
			continue;
		n->event = found++ ? NULL : events[i].name;
		n->period = found > 1 || events[i].attr.freq ? 0 : events[i].attr.sample_period;
	}
	n->weight = n->period;
}

/* Begins the tally with what does not depend on the object. */
static void begin_tally(struct counts *n)
{
	const struct runs *r = &n->capture.runs;

	n->tally = (struct counts_tally){
		.samples = r->samples, .bare = r->bare, .entries = r->branches,
		.left_out = {
			[COUNTS_EMPTY] = r->empty, [COUNTS_KERNEL] = r->within_kernel,
			[COUNTS_WRONG_PATH] = r->wrong_path,
			[COUNTS_REPEATED] = r->repeats, [COUNTS_NEWEST] = r->taken_left_out,
		},
		.runs_backward = r->backward,
	};
}

/* Counts the branches, and if the object is known its runs. */
static int count(struct counts *n)
{
	struct blocks_capture *c = &n->capture;

	if (count_branches(n) || count_sampled(n))
		return -1;
	if (n->failure)
		return 0;
	keep_runs(n);
	blocks_decode(c, NULL);
	n->tally.runs_contradicted = c->contradicted;
	n->tally.runs = c->executions;
	return count_ranges(n);
}

int counts_read(struct counts *n, const struct counts_query *query)
{
	struct blocks_capture *c = &n->capture;
	int err;

	*n = (struct counts){ .capture.runs.with_branches = true,
			      .failure = COUNTS_UNREADABLE };
	c->samples = samples_open(query->input);
	c->blocks = c->samples ? blocks_new(INSN_ATT) : NULL;
	if (!c->blocks)
		return -1;
	err = blocks_read(c, query->input, query->event, query->filter);
	find_event(n);
	begin_tally(n);
	n->failure = err ? COUNTS_NO_BRANCHES : COUNTS_COUNTED;
	err = err || find_object(n, query);
	if (count(n)) {
		n->failure = COUNTS_UNREADABLE;
		return err ? -1 : err_errno("counting branches");
	}
	counts_combine(n);
	if (err)
		return -1;
	if (err_whole()) {
		n->failure = COUNTS_UNREADABLE;
		return -1;
	}
	if (n->nr_ranges)
		return 0;
	n->failure = COUNTS_NO_RUNS;
	return err_fail("%s: no possible run of code is in %s; is this the file that ran?",
			query->input, n->path);
}

void counts_free(struct counts *n)
{
	free(n->ranges);
	free(n->branches);
	free(n->sampled);
	blocks_free(n->capture.blocks);
	runs_free(&n->capture.runs);
	samples_close(n->capture.samples);
}
