// SPDX-License-Identifier: GPL-2.0
/* Names the frames of a stack, and adds them as a path to the call tree and the table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/paths.h"
#include "profile/samples.h"

static uint32_t function_entry(struct paths *p, uint32_t number, enum profile_source source)
{
	const bool tail = source == PROFILE_BY_CODE;
	const struct symbols_function *f;
	struct profile_entry *new;
	uint32_t *entry;

	if (!p->to.sources && !tail)
		source = PROFILE_ANY;
	if (room_for(&p->of, (size_t)number + 1, &p->max, sizeof(*p->of)))
		return UINT32_MAX;
	entry = &p->of[number][source];
	if (*entry)
		return *entry - 1;
	f = symbols_function(p->to.symbols, number);
	*entry = 1 + profile_entry_new(p->to.profile,
			tail ? PROFILE_TAIL_CALL :
			f->inlined ? PROFILE_INLINED :
			f->kernel ? PROFILE_KERNEL : PROFILE_USER,
			f->name, f->object);
	if (*entry) {
		new = &p->to.profile->entries[*entry - 1];
		new->unknown = !f->known;
		new->source = p->to.sources ? source : PROFILE_ANY;
	}
	return *entry - 1;
}

static bool is_task(enum profile_kind kind)
{
	return kind == PROFILE_PROCESS || kind == PROFILE_THREAD;
}

static uint64_t task_key(enum profile_kind kind, const char *name)
{
	return hash_add(hash_text(name), kind);
}

/* The entry of a process or a thread; the name is copied. */
static uint32_t task_entry(struct paths *p, enum profile_kind kind, const char *name)
{
	const uint64_t key = task_key(kind, name);
	char *copy;
	uint32_t entry;

	if (hash_reserve(&p->by_name) ||
	    room_for(&p->tasks, p->by_name.used + 1, &p->max_tasks, sizeof(*p->tasks)))
		return UINT32_MAX;
	hash_for_each(i, &p->by_name, key) {
		const struct profile_entry *e = &p->to.profile->entries[p->tasks[i]];

		if (e->kind == kind && !strcmp(e->name, name))
			return p->tasks[i];
	}
	copy = strdup(name);
	entry = copy ? profile_entry_new(p->to.profile, kind, copy, "") : UINT32_MAX;
	if (entry == UINT32_MAX) {
		free(copy);
		return entry;
	}
	p->tasks[p->by_name.used] = entry;
	hash_put(&p->by_name, key);
	return entry;
}

static uint32_t mark_entry(struct paths *p, const struct verdict *why)
{
	static const char *const names[STACKS_NR_VERDICTS] = {
		[STACKS_COMPLETE] = "[complete]",
		[STACKS_TRUNCATED] = "[truncated]",
		[STACKS_PARTIAL] = "[partial]",
		[STACKS_BROKEN] = "[broken]",
		[STACKS_DISPUTED] = "[disputed]",
		[STACKS_UNPROVED] = "[unproved]",
		[STACKS_NO_USER] = "[kernel only]",
	};
	uint32_t *mark = &p->marks[p->to.sources ? (size_t)(why - verdict_table) : why->verdict];

	if (!*mark)
		*mark = 1 + profile_entry_new(p->to.profile, PROFILE_MARK, names[why->verdict],
					      p->to.sources ? why->reason : "");
	return *mark - 1;
}

static uint32_t frame_marks(const struct stacks_frame *frame)
{
	return stacks_is_stitched(frame->kind) ? PROFILE_STITCHED :
	       frame->pointed ? PROFILE_POINTED :
	       stacks_is_unwound(frame->kind) ? PROFILE_UNWOUND : 0;
}

/* Removes from the path each way from an entry back to the same entry. */
static int fold(struct paths *p, size_t *nr)
{
	size_t out = 0;

	if (room_for(&p->place, p->to.profile->nr_entries, &p->max_place, sizeof(*p->place)))
		return -1;
	for (size_t i = 0; i < *nr; i++) {
		uint32_t entry = p->path[i] & ~PROFILE_MARKS;
		uint32_t at = p->place[entry];

		/* Earlier paths, and removed parts of this one, do not count. */
		if (at < out && (p->path[at] & ~PROFILE_MARKS) == entry &&
		    !p->to.profile->entries[entry].unknown) {
			p->path[at] |= PROFILE_RECURSIVE;
			out = at + 1;
			continue;
		}
		p->place[entry] = out;
		p->path[out++] = p->path[i];
	}
	*nr = out;
	return 0;
}

/* Removes the task: as the outermost caller of everything it shows nothing. */
static size_t invert(const struct profile *profile, uint32_t *path, size_t nr)
{
	size_t tasks = 0;

	while (tasks + 1 < nr && is_task(profile->entries[path[tasks] & ~PROFILE_MARKS].kind))
		tasks++;
	nr -= tasks;
	memmove(path, path + tasks, nr * sizeof(*path));
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t other = path[nr - 1 - i];

		path[nr - 1 - i] = path[i];
		path[i] = other;
	}
	return nr;
}

static bool is_user(const struct paths *p, size_t i)
{
	const enum profile_kind kind = p->to.profile->entries[p->path[i] & ~PROFILE_MARKS].kind;

	return kind == PROFILE_USER || kind == PROFILE_TAIL_CALL || kind == PROFILE_INLINED;
}

/* Returns the index of the function that the samples are counted for as self. All threads wait in
 * the kernel's scheduler, and most of them in the same few functions of the C library; what tells
 * them apart is the function by which the program entered the innermost file: pthread_mutex_lock. If
 * there is no other file, or the thread could run, it is the innermost function of the program. */
static size_t own_entry(const struct paths *p, size_t nr, const struct tally_stack *t)
{
	const struct profile_entry *entries = p->to.profile->entries;
	size_t inner = nr, outer;

	while (p->to.waiting && inner && !is_user(p, inner - 1))
		inner--;
	if (!p->to.waiting || !inner)
		return nr ? nr - 1 : 0;
	for (outer = inner - 1; outer && is_user(p, outer - 1); outer--)
		if (strcmp(entries[p->path[outer - 1] & ~PROFILE_MARKS].object,
			   entries[p->path[outer] & ~PROFILE_MARKS].object))
			return t->who->state == SAMPLES_PREEMPTED ? inner - 1 : outer;
	return inner - 1;
}

static int add_path(struct paths *p, size_t nr,
		    const struct tally_stack *t)
{
	size_t own;

	p->concluded = 0;
	for (size_t i = 0; i < nr; i++)
		if (p->path[i] & PROFILE_CONCLUDED)
			p->concluded = i + 1;
	own = own_entry(p, nr, t);
	p->own = nr ? p->path[own] & ~PROFILE_MARKS : 0;
	if (p->to.rows && rows_add(p->to.rows, p->to.profile, &(struct rows_path){ p->path, p->lines, nr, own }, t))
		return -1;
	if (p->to.no_tree)
		return 0;
	if (p->to.fold && fold(p, &nr))
		return -1;
	if (p->to.inverted)
		nr = invert(p->to.profile, p->path, nr);
	return profile_add(p->to.profile, p->path, nr, &(struct profile_weight){
			   t->samples, t->period, t->squares }, &p->end);
}

static int path_add(struct paths *p, size_t *nr, uint32_t entry, uint32_t marks,
		    const struct rows_line *line)
{
	if (entry == UINT32_MAX)
		return -1;
	if (room_for(&p->path, *nr + 1, &p->max_path, sizeof(*p->path)) ||
	    room_for(&p->lines, *nr + 1, &p->max_lines, sizeof(*p->lines)))
		return -1;
	p->lines[*nr] = *line;
	p->path[(*nr)++] = entry | marks;
	return 0;
}

static enum profile_source source_of(const struct stacks_stack *stack, size_t i)
{
	const struct stacks_frame *frame = &stack->frames[i];

	if (frame->pointed)
		return PROFILE_BY_POINTER;
	switch (frame->kind) {
	case STACKS_KERNEL:
	case STACKS_LEAF:
		return PROFILE_SAMPLED;
	case STACKS_KERNEL_RETURN:
		return PROFILE_BY_KERNEL;
	case STACKS_RETURN:
		return PROFILE_BY_POINTER;
	case STACKS_TAIL_CALL:
		return PROFILE_BY_CODE;
	case STACKS_UNWOUND:
	case STACKS_SIGNAL:
	case STACKS_INTERRUPTED:
		return PROFILE_MEMORY;
	case STACKS_STITCHED:
	case STACKS_STITCHED_SOMEWHERE:
		return PROFILE_OTHERS;
	case STACKS_LEAF_INFERRED:
	case STACKS_CALL:
		break;
	}
	return i < stack->proven ? PROFILE_LBR_AND_MEMORY : PROFILE_LBR;
}

/* Adds the function of frame number i, and the functions inlined there. */
static int add_frame(struct paths *p, size_t *nr, const struct stacks_stack *stack, size_t i)
{
	const enum profile_source source = source_of(stack, i);
	const struct stacks_frame *frame = &stack->frames[i];
	enum stacks_kind kind = frame->kind;
	bool tail = kind == STACKS_TAIL_CALL;
	struct place place = frame->place;
	const struct symbols_frame *list;
	size_t nr_list;

	/* A return address may be the first of the next function. */
	if ((kind == STACKS_RETURN || kind == STACKS_KERNEL_RETURN) && place.addr)
		place.addr--;
	list = symbols_frames(p->to.symbols, place, &nr_list);
	/* For these kinds only the function is known, not the address in it. */
	if (tail || kind == STACKS_LEAF_INFERRED || kind == STACKS_STITCHED_SOMEWHERE)
		nr_list = 1;
	for (size_t k = 0; k < nr_list; k++) {
		uint32_t entry = function_entry(p, list[k].function, source);
		struct rows_line line = { list[k].file, list[k].line };

		/* Successive addresses without a function are one entry. */
		if (*nr && entry == (p->path[*nr - 1] & ~PROFILE_MARKS) &&
		    !symbols_function(p->to.symbols, list[k].function)->known)
			continue;
		if (path_add(p, nr, entry, frame_marks(frame), &line))
			return -1;
	}
	return 0;
}

#define TASK_NAME	96

static void name_task(char text[TASK_NAME], const char *name, bool by_id, uint32_t id)
{
	if (by_id)
		snprintf(text, TASK_NAME, "%s (%" PRIu32 ")", name, id);
	else
		snprintf(text, TASK_NAME, "%s", name);
}

/* Adds the state if the query divides by it. */
static int add_state(struct paths *p, size_t *nr, char state)
{
	const struct rows_line nowhere = { NULL, 0 };
	uint32_t *mark = &p->states[(unsigned char)state];

	if (!p->to.rows || !rows_has(p->to.rows->sort, ROWS_STATE))
		return 0;
	if (!*mark)
		*mark = 1 + profile_entry_new(p->to.profile, PROFILE_MARK, samples_state_name(state), "");
	return path_add(p, nr, *mark - 1, 0, &nowhere);
}

/* Adds the process, and the thread if the query divides by threads. */
static int add_task(struct paths *p, size_t *nr, const struct tally_who *who)
{
	const struct rows_sort *sort = p->to.rows ? p->to.rows->sort : NULL;
	const bool by_pid = sort && rows_has(sort, ROWS_PID), by_tid = sort && rows_has(sort, ROWS_TID);
	const struct rows_line nowhere = { NULL, 0 };
	char name[TASK_NAME];

	name_task(name, who->process, by_pid, who->pid);
	if (path_add(p, nr, task_entry(p, PROFILE_PROCESS, name), 0, &nowhere))
		return -1;
	if (!p->to.sources && !by_tid && !(sort && rows_has(sort, ROWS_COMM)))
		return 0;
	name_task(name, who->comm, by_tid, who->tid);
	return path_add(p, nr, task_entry(p, PROFILE_THREAD, name), 0, &nowhere);
}

int paths_add(struct paths *p, const struct tally_stack *t,
	      const struct stacks_stack *stack)
{
	const struct rows_line nowhere = { NULL, 0 };
	const bool whole = stacks_is_whole(stack);
	size_t nr = 0, outermost;

	if (add_task(p, &nr, t->who) || add_state(p, &nr, t->who->state) ||
	    ((!whole || p->to.sources) &&
	     path_add(p, &nr, mark_entry(p, stack->why), 0, &nowhere)))
		return -1;
	outermost = nr;
	for (size_t i = stack->nr_frames; i-- > 0;)
		if (add_frame(p, &nr, stack, i))
			return -1;
	if (nr > outermost && whole && stack->verdict != STACKS_COMPLETE &&
	    stack->verdict != STACKS_NO_USER)
		p->path[outermost] |= PROFILE_UNPROVED;
	return add_path(p, nr, t);
}

void paths_free(struct paths *p)
{
	free(p->of);
	free(p->path);
	free(p->lines);
	free(p->place);
	free(p->tasks);
	hash_free(&p->by_name);
}
