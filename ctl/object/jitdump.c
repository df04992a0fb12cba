// SPDX-License-Identifier: GPL-2.0
/* Reads the code that a JIT compiler describes in a jit-PID.dump. */
#include <elf.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/grow.h"
#include "machine/machine.h"
#include "object/jitdump.h"

#define MAGIC		0x4a695444	/* "JiTD", in the writer's byte order */
#define VERSION		1
#define OTHER_CLOCK	1		/* flag: times are the CPU's, not ns */
#define LONGEST_NAME	4096

enum { CODE_LOAD, CODE_MOVE };		/* other kinds have no addresses */

struct head {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t id, size;
	uint64_t time;
};

struct load_body {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move_body {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct code {
	struct jitdump_code public;
	uint64_t index;			/* identifies the code in records that move it */
};

struct event {
	struct jitdump_load public;
	size_t order;			/* position in the file */
	bool moved;			/* `at` is the code's index, not resolved yet */
};

struct jitdump {
	FILE *in;
	struct code *codes;		/* by offset */
	size_t nr_codes, max_codes;
	const struct code **indexed;	/* by index */
	struct event *events;		/* by time */
	size_t nr_events, max_events;
};

bool jitdump_is_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && !fnmatch("/jit-[0-9]*.dump", name, 0);
}

static int add_event(struct jitdump *d, uint64_t time, uint64_t start, uint64_t size,
		     uint64_t at, bool moved)
{
	uint64_t end;

	if (!size || __builtin_add_overflow(start, size, &end))
		return 0;
	if (room_for(&d->events, d->nr_events + 1, &d->max_events, sizeof(*d->events)))
		return -1;
	d->events[d->nr_events] = (struct event){ { time, start, end, at },
						  d->nr_events, moved };
	d->nr_events++;
	return 0;
}

/* Skips a record if its name or code does not fit in it. */
static int read_load(struct jitdump *d, FILE *in, const struct record *r, uint64_t at)
{
	const size_t fixed = sizeof(*r) + sizeof(struct load_body);
	char name[LONGEST_NAME];
	struct load_body body;
	struct code *code;
	size_t len;

	if (r->size <= fixed || fread(&body, sizeof(body), 1, in) != 1)
		return 0;
	len = fread(name, 1, r->size - fixed < sizeof(name) ? r->size - fixed :
		    sizeof(name), in);
	if (!memchr(name, 0, len))
		return 0;
	len = strlen(name) + 1;
	if (body.size > r->size - fixed - len)
		return 0;
	if (room_for(&d->codes, d->nr_codes + 1, &d->max_codes, sizeof(*d->codes)))
		return -1;
	at += fixed + len;
	code = &d->codes[d->nr_codes];
	*code = (struct code){ { at, at + body.size, strdup(name) }, body.index };
	if (!code->public.name) {
		err_short_of_memory();
		return -1;
	}
	d->nr_codes++;
	return add_event(d, r->time, body.address, body.size, at, false);
}

static int read_move(struct jitdump *d, FILE *in, const struct record *r)
{
	struct move_body body;

	if (r->size < sizeof(*r) + sizeof(body) || fread(&body, sizeof(body), 1, in) != 1)
		return 0;
	return add_event(d, r->time, body.to, body.size, body.index, true);
}

/* The last record may be incomplete: the program is still writing it, or was killed. */
static int read_records(struct jitdump *d, FILE *in, uint64_t at, uint64_t end)
{
	struct record r;
	int ret = 0;

	while (!ret && end - at >= sizeof(r)) {
		if (fseeko(in, at, SEEK_SET) || fread(&r, sizeof(r), 1, in) != 1 ||
		    r.size < sizeof(r) || r.size > end - at)
			break;
		if (r.id == CODE_LOAD)
			ret = read_load(d, in, &r, at);
		else if (r.id == CODE_MOVE)
			ret = read_move(d, in, &r);
		at += r.size;
	}
	return ret;
}

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	if (a->public.time != b->public.time)
		return a->public.time < b->public.time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_index(const void *x, const void *y)
{
	const struct code *const *a = x, *const *b = y;

	return (*a)->index < (*b)->index ? -1 : (*a)->index > (*b)->index;
}

/* Finds the bytes of moved code in the file. A move of unknown code is dropped. */
static void settle_moves(struct jitdump *d)
{
	for (size_t i = 0; i < d->nr_events; i++) {
		struct jitdump_load *load = &d->events[i].public;
		struct code key = { .index = load->at }, *wanted = &key;
		const struct code **found = NULL;

		if (!d->events[i].moved)
			continue;
		if (d->nr_codes)
			found = bsearch(&wanted, d->indexed, d->nr_codes,
					sizeof(*d->indexed), by_index);
		load->at = found ? (*found)->public.start : 0;
		if (!found || load->end - load->start >
			      (*found)->public.end - (*found)->public.start)
			load->end = load->start;
	}
}

static int sort(struct jitdump *d)
{
	d->indexed = calloc(d->nr_codes + 1, sizeof(*d->indexed));
	if (!d->indexed) {
		err_short_of_memory();
		return -1;
	}
	for (size_t i = 0; i < d->nr_codes; i++)
		d->indexed[i] = &d->codes[i];
	qsort(d->indexed, d->nr_codes, sizeof(*d->indexed), by_index);
	settle_moves(d);
	if (d->nr_events)
		qsort(d->events, d->nr_events, sizeof(*d->events), by_time);
	return 0;
}

static bool is_readable(FILE *in, const struct head *h, uint64_t *end)
{
	off_t size;

	if (fseeko(in, 0, SEEK_END) || (size = ftello(in)) < 0)
		return false;
	*end = size;
	return h->magic == MAGIC && h->version == VERSION && h->machine == EM_X86_64 &&
	       h->size >= sizeof(*h) && h->size <= *end && !(h->flags & OTHER_CLOCK);
}

struct jitdump *jitdump_open(const struct machine *m, uint32_t pid, const char *path,
			     uint32_t writer)
{
	FILE *in = machine_own_stream(m, pid, path, writer);
	struct jitdump *d = NULL;
	struct head head;
	uint64_t end;

	if (!in)
		return NULL;
	if (fread(&head, sizeof(head), 1, in) == 1 && is_readable(in, &head, &end)) {
		d = calloc(1, sizeof(*d));
		if (!d)
			err_short_of_memory();
	}
	if (!d) {
		fclose(in);
		return NULL;
	}
	d->in = in;
	if (read_records(d, in, head.size, end) || sort(d)) {
		jitdump_close(d);
		return NULL;
	}
	return d;
}

void jitdump_close(struct jitdump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nr_codes; i++)
		free((char *)d->codes[i].public.name);
	fclose(d->in);
	free(d->codes);
	free(d->indexed);
	free(d->events);
	free(d);
}

const struct jitdump_load *jitdump_load(const struct jitdump *d, size_t n)
{
	return n < d->nr_events ? &d->events[n].public : NULL;
}

static int by_offset(const void *key, const void *element)
{
	const uint64_t *at = key;
	const struct code *code = element;

	if (*at < code->public.start)
		return -1;
	return *at >= code->public.end;
}

const struct jitdump_code *jitdump_find(const struct jitdump *d, uint64_t at)
{
	const struct code *found = NULL;

	if (d->nr_codes)
		found = bsearch(&at, d->codes, d->nr_codes, sizeof(*d->codes), by_offset);
	return found ? &found->public : NULL;
}

/* The code may have been cut off, or changed, since the file was opened. */
size_t jitdump_read(const struct jitdump *d, uint64_t at, unsigned char *bytes, size_t size)
{
	const struct jitdump_code *code = jitdump_find(d, at);
	ssize_t got;

	if (!code)
		return 0;
	got = pread(fileno(d->in), bytes, size < code->end - at ? size : code->end - at, at);
	return got > 0 ? got : 0;
}
