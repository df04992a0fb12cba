// SPDX-License-Identifier: GPL-2.0
/* The table of a report. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profile/samples.h"
#include "profile/table.h"

/* The part of a key that comes from a frame. Strings are those of the profile's entries. */
struct rows_frame {
	enum profile_kind kind;
	const char *symbol, *object;	/* NULL: not a key */
	struct rows_line at;		/* 0: not a key, or not known */
	char *line;			/* the line as text */
};

struct rows_index {
	struct hash rows;		/* keys: task and frame */
	struct hash frames;
	struct rows_frame *frame_list;
	size_t max_frames;
	bool symbols, objects, lines;	/* keys of the sort */
	uint32_t *frame_of;		/* by profile entry: 1 + frame; 0: not known yet */
	size_t max_frame_of;
	struct rows_last {
		uint32_t who, row;	/* row of the frame with the task that it had last */
	} *last;			/* by frame; who 0: none */
	size_t max_last;
	struct hash who;
	struct tally_who *who_list;
	size_t max_who;
	uint32_t *who_of;		/* by number of the tally: 1 + row */
	size_t max_who_of;
	uint64_t stacks;
};

static const struct {
	const char *name, *title;
} rows_keys[ROWS_NR_KEYS] = {
	[ROWS_SYMBOL] = { "sym", "function" },
	[ROWS_OBJECT] = { "dso", "file" },
	[ROWS_LINE] = { "srcline", "source line" },
	[ROWS_COMM] = { "comm", "thread" },
	[ROWS_PID] = { "pid", "process" },
	[ROWS_TID] = { "tid", "thread id" },
	[ROWS_CPU] = { "cpu", "CPU" },
	[ROWS_CGROUP] = { "cgroup", "cgroup" },
	[ROWS_STATE] = { "state", "state" },
};

const char *rows_key_name(enum rows_key key)
{
	return rows_keys[key].name;
}

const char *rows_key_title(enum rows_key key)
{
	return rows_keys[key].title;
}

const char *rows_key_names(void)
{
	return "sym, dso, srcline, comm, pid, tid, cpu, cgroup, state";
}

bool rows_has(const struct rows_sort *sort, enum rows_key key)
{
	for (size_t i = 0; i < sort->nr; i++)
		if (sort->keys[i] == key)
			return true;
	return false;
}

bool rows_of_frames(const struct rows_sort *sort)
{
	return rows_has(sort, ROWS_SYMBOL) || rows_has(sort, ROWS_OBJECT) ||
	       rows_has(sort, ROWS_LINE);
}

bool rows_parse(struct rows_sort *sort, const char *text)
{
	sort->nr = 0;
	do {
		size_t len = strcspn(text, ","), key = 0;

		while (key < ROWS_NR_KEYS && (strlen(rows_keys[key].name) != len ||
				memcmp(rows_keys[key].name, text, len)))
			key++;
		/* perf accepts both; its columns of figures are always there. */
		if (len == strlen("overhead") && !memcmp(text, "overhead", len)) {
			text += len;
			continue;
		}
		if (len == strlen("symbol") && !memcmp(text, "symbol", len))
			key = ROWS_SYMBOL;
		if (key == ROWS_NR_KEYS || rows_has(sort, key))
			return false;
		sort->keys[sort->nr++] = key;
		text += len;
	} while (*text++);
	return sort->nr > 0;
}

static uint64_t rows_hash_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 0x9e3779b97f4a7c15ULL;
	return hash_u64(h);
}

static bool rows_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static uint64_t rows_frame_key(const struct rows_frame *f)
{
	uint64_t h = rows_hash_text(rows_hash_text(f->kind, f->symbol), f->object);

	return rows_hash_text(hash_add(h, f->at.line), f->at.file);
}

/* Returns the number of the frame, from 1; 0 when memory is short. */
static uint32_t rows_frame_number(struct rows_index *x, const struct rows_frame *frame)
{
	uint64_t key = rows_frame_key(frame);
	char *line;

	if (hash_reserve(&x->frames))
		return 0;
	hash_for_each(i, &x->frames, key) {
		const struct rows_frame *f = &x->frame_list[i];

		if (f->kind == frame->kind && rows_same_text(f->symbol, frame->symbol) &&
		    rows_same_text(f->object, frame->object) &&
		    f->at.line == frame->at.line &&
		    rows_same_text(f->at.file, frame->at.file))
			return i + 1;
	}
	if (room_for(&x->frame_list, x->frames.used + 1, &x->max_frames, sizeof(*frame)) ||
	    asprintf(&line, "%s:%" PRIu32, frame->at.file ? frame->at.file : "?",
		     frame->at.line) < 0)
		return 0;
	x->frame_list[x->frames.used] = *frame;
	x->frame_list[x->frames.used].line = line;
	return hash_put(&x->frames, key) + 1;
}

/* Lines belong to addresses, while an entry stands for the whole function. */
static uint32_t rows_frame(struct rows *r, const struct profile *p, uint32_t entry,
			   const struct rows_line *line)
{
	const struct profile_entry *e = &p->entries[entry];
	struct rows_index *x = r->index;
	struct rows_frame frame;

	if (room_for(&x->frame_of, entry + 1, &x->max_frame_of, sizeof(*x->frame_of)))
		return 0;
	if (!x->lines && x->frame_of[entry])
		return x->frame_of[entry];
	frame = (struct rows_frame){
		.kind = x->symbols ? e->kind : PROFILE_USER,
		.symbol = x->symbols ? e->name : NULL,
		.object = x->objects ? e->object : NULL,
		.at = x->lines ? *line : (struct rows_line){ NULL, 0 },
	};
	return x->frame_of[entry] = rows_frame_number(x, &frame);
}

static uint64_t rows_who_key(const struct tally_who *w)
{
	uint64_t h = hash_add(hash_add(hash_add(w->pid, w->tid), w->cpu), w->cgroup);

	return rows_hash_text(hash_add(h, (unsigned char)w->state), w->comm);
}

static uint32_t rows_who_number(struct rows_index *x, const struct tally_who *who)
{
	uint64_t key = rows_who_key(who);
	char *comm = NULL;

	if (hash_reserve(&x->who))
		return 0;
	hash_for_each(i, &x->who, key) {
		const struct tally_who *w = &x->who_list[i];

		if (w->pid == who->pid && w->tid == who->tid && w->cpu == who->cpu &&
		    w->cgroup == who->cgroup && w->state == who->state && rows_same_text(w->comm, who->comm))
			return i + 1;
	}
	if (room_for(&x->who_list, x->who.used + 1, &x->max_who, sizeof(*who)) ||
	    (who->comm && !(comm = strdup(who->comm))))
		return 0;
	x->who_list[x->who.used] = *who;
	x->who_list[x->who.used].comm = comm;
	return hash_put(&x->who, key) + 1;
}

/* Set fields that are not keys to 0: they must not distinguish rows. */
static uint32_t rows_who(struct rows *r, const struct tally_stack *s)
{
	const struct rows_sort *sort = r->sort;
	struct rows_index *x = r->index;
	struct tally_who who = *s->who;

	if (room_for(&x->who_of, s->who_number + 1, &x->max_who_of, sizeof(*x->who_of)))
		return 0;
	if (x->who_of[s->who_number])
		return x->who_of[s->who_number];
	who.process = NULL;
	who.comm = rows_has(sort, ROWS_COMM) ? who.comm : NULL;
	who.pid = rows_has(sort, ROWS_PID) ? who.pid : 0;
	who.tid = rows_has(sort, ROWS_TID) ? who.tid : 0;
	who.cpu = rows_has(sort, ROWS_CPU) ? who.cpu : 0;
	who.cgroup = rows_has(sort, ROWS_CGROUP) ? who.cgroup : 0;
	who.state = rows_has(sort, ROWS_STATE) ? who.state : 0;
	return x->who_of[s->who_number] = rows_who_number(x, &who);
}

static uint64_t rows_key_of(uint32_t who, uint32_t frame)
{
	return hash_u64((uint64_t)who << 32 | frame);
}

/* Returns NULL when memory is short. */
static struct rows_row *rows_find(struct rows *r, uint32_t who, uint32_t frame)
{
	uint64_t key = rows_key_of(who, frame);
	struct hash *index = &r->index->rows;

	if (hash_reserve(index))
		return NULL;
	hash_for_each(i, index, key)
		if (r->list[i].who == who && r->list[i].frame == frame)
			return &r->list[i];
	if (room_for(&r->list, r->nr + 1, &r->max, sizeof(*r->list)) ||
	    room_for(&r->counts, (r->nr + 1) * r->nr_counts, &r->max_counts,
		      sizeof(*r->counts)))
		return NULL;
	r->list[r->nr] = (struct rows_row){ .who = who, .frame = frame };
	hash_put(index, key);
	return &r->list[r->nr++];
}

/* Returns NULL when memory is short. */
static struct rows_row *rows_row(struct rows *r, uint32_t who, uint32_t frame)
{
	struct rows_index *x = r->index;
	struct rows_row *row;

	if (!who || !frame || room_for(&x->last, (size_t)frame + 1, &x->max_last, sizeof(*x->last)))
		return NULL;
	if (x->last[frame].who == who)
		return &r->list[x->last[frame].row];
	row = rows_find(r, who, frame);
	if (row)
		x->last[frame] = (struct rows_last){ who, row - r->list };
	return row;
}

static void rows_weigh(struct profile_weight *to, const struct tally_stack *s)
{
	to->samples += s->samples;
	to->period = tally_sum(to->period, s->period);
	to->squares += s->squares;
}

static void rows_count(struct rows *r, const struct rows_row *row,
		       const struct tally_stack *s)
{
	uint64_t *counts = r->counts + (row - r->list) * r->nr_counts;

	for (size_t i = 0; i < r->nr_counts; i++)
		counts[i] = tally_sum(counts[i], s->counts[i]);
}

int rows_add(struct rows *r, const struct profile *p, const struct rows_path *path,
	     const struct tally_stack *s)
{
	const bool frames = rows_of_frames(r->sort);
	uint32_t who = rows_who(r, s);

	r->index->stacks++;
	rows_weigh(&r->all, s);
	for (size_t i = 0; i < path->nr; i++) {
		uint32_t entry = path->entries[i] & ~PROFILE_MARKS;
		struct rows_row *row;

		/* If frames are no key, one stands for all. */
		if (i != path->own && (!frames || p->entries[entry].kind > PROFILE_INLINED))
			continue;
		row = rows_row(r, who, rows_frame(r, p, entry, &path->lines[i]));
		if (!row)
			return -1;
		if (row->last_stack != r->index->stacks)
			rows_weigh(&row->total, s);
		row->last_stack = r->index->stacks;
		if (i == path->own) {
			rows_weigh(&row->self, s);
			rows_count(r, row, s);
		}
	}
	return 0;
}

bool rows_is_number(enum rows_key key)
{
	return key == ROWS_PID || key == ROWS_TID || key == ROWS_CPU ||
	       key == ROWS_CGROUP;
}

const char *rows_text(const struct rows *r, const struct rows_row *row,
		      enum rows_key key)
{
	const struct rows_frame *f = &r->index->frame_list[row->frame - 1];

	const struct tally_who *w = &r->index->who_list[row->who - 1];

	return key == ROWS_SYMBOL ? f->symbol : key == ROWS_OBJECT ? f->object :
	       key == ROWS_LINE ? f->line : key == ROWS_STATE ? samples_state_name(w->state) : w->comm;
}

uint64_t rows_number(const struct rows *r, const struct rows_row *row,
		     enum rows_key key)
{
	const struct tally_who *w = &r->index->who_list[row->who - 1];

	return key == ROWS_PID ? w->pid : key == ROWS_TID ? w->tid :
	       key == ROWS_CPU ? w->cpu : w->cgroup;
}

enum profile_kind rows_kind(const struct rows *r, const struct rows_row *row)
{
	return r->index->frame_list[row->frame - 1].kind;
}

struct rows_order {
	const struct rows *rows;
	bool by_total;
};

static int rows_compare_keys(const struct rows *r, const struct rows_row *a,
			     const struct rows_row *b)
{
	int order = 0;

	for (size_t i = 0; !order && i < r->sort->nr; i++) {
		enum rows_key key = r->sort->keys[i];
		uint64_t x, y;

		if (!rows_is_number(key)) {
			order = strcmp(rows_text(r, a, key), rows_text(r, b, key));
			continue;
		}
		x = rows_number(r, a, key);
		y = rows_number(r, b, key);
		order = x < y ? -1 : x > y;
	}
	return order ? order : (int)rows_kind(r, a) - (int)rows_kind(r, b);
}

static int rows_compare(const void *x, const void *y, void *ctx)
{
	const struct rows_order *order = ctx;
	const struct rows_row *a = x, *b = y;
	uint64_t first = order->by_total ? a->total.period : a->self.period;
	uint64_t second = order->by_total ? b->total.period : b->self.period;

	if (first == second) {
		first = order->by_total ? a->self.period : a->total.period;
		second = order->by_total ? b->self.period : b->total.period;
	}
	if (first != second)
		return first > second ? -1 : 1;
	return rows_compare_keys(order->rows, a, b);
}

/* Moves the counts with their rows. */
int rows_order(struct rows *r, bool by_total)
{
	struct rows_order order = { r, by_total };
	uint64_t *counts = calloc(r->nr * r->nr_counts + 1, sizeof(*counts));

	if (!counts)
		return -1;
	/* last_stack is no longer needed; from here on it keeps the old index. */
	for (size_t i = 0; i < r->nr; i++)
		r->list[i].last_stack = i;
	qsort_r(r->list, r->nr, sizeof(*r->list), rows_compare, &order);
	for (size_t i = 0; i < r->nr; i++)
		memcpy(counts + i * r->nr_counts,
		       r->counts + r->list[i].last_stack * r->nr_counts,
		       r->nr_counts * sizeof(*counts));
	free(r->counts);
	r->counts = counts;
	return 0;
}

/* Allocate in any case: without counts, too, the array must exist. */
struct rows *rows_new(const struct rows_sort *sort, size_t nr_counts)
{
	struct rows *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->sort = sort;
	r->nr_counts = nr_counts;
	r->index = calloc(1, sizeof(*r->index));
	if (r->index) {
		r->index->symbols = rows_has(sort, ROWS_SYMBOL);
		r->index->objects = rows_has(sort, ROWS_OBJECT);
		r->index->lines = rows_has(sort, ROWS_LINE);
	}
	if (r->index && !room_for(&r->counts, 1, &r->max_counts, sizeof(*r->counts)))
		return r;
	rows_free(r);
	return NULL;
}

void rows_free(struct rows *r)
{
	struct rows_index *x = r ? r->index : NULL;

	if (x) {
		for (size_t i = 0; i < x->who.used; i++)
			free((char *)x->who_list[i].comm);
		for (size_t i = 0; i < x->frames.used; i++)
			free(x->frame_list[i].line);
		hash_free(&x->rows);
		hash_free(&x->frames);
		hash_free(&x->who);
		free(x->frame_list);
		free(x->frame_of);
		free(x->last);
		free(x->who_list);
		free(x->who_of);
		free(x);
	}
	if (r) {
		free(r->list);
		free(r->counts);
	}
	free(r);
}
