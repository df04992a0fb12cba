// SPDX-License-Identifier: GPL-2.0
/* Gives the module the tables of unwinding rules of the measured processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "record/sideband.h"
#include "record/table_maker.h"
#include "record/tables.h"
#include "stacks/recorded.h"
#include "stacks/unwind_rules.h"

#define TABLES_RECENT	2000000000ULL	/* ns */
#define REPLACED	64		/* of a process */

/* Code of a file, in place of which a process has mapped other code, or the same anew, and the
 * generation of the process then. The first of those that a chain's generation does not exceed has the
 * file by which the chain went. */
struct replaced {
	uint32_t generation;
	uint64_t start, end, bias;
	uint32_t file;
};

/* A process. Generations count what was said of processes: each has its own number. */
struct process {
	uint32_t pid;
	uint32_t generation;	/* the last one that the module has of it; 0: none */
	uint32_t stale;		/* chains up to this generation are not used */
	bool wanted;		/* it waits for tables */
	bool refused;		/* the module did not take them; until it maps more code */
	uint32_t last_replaced;	/* the highest generation of `replaced` */
	struct replaced *replaced;
	size_t nr_replaced, max_replaced;
};

/* A file's table. */
enum {
	TABLE_UNKNOWN,
	TABLE_ASKED,		/* being made */
	TABLE_NONE,		/* the file has no code for x86-64, or the module takes no table */
	TABLE_POINTER,		/* none: code that programs make has frame pointers, if anything */
	TABLE_FIRST,		/* 0 of the module's numbers, and so on */
};

struct tables {
	struct maps *maps;
	struct callers *callers;
	struct control *control;
	int fd;
	bool all;
	struct table_maker *maker;
	bool blocked;			/* the process that is next waits for a table that is being made */
	uint32_t generations;
	uint16_t *files;		/* by index of a mapped file */
	size_t nr_files, max_files;
	struct process *processes;
	size_t max_processes;
	struct hash index;
	uint32_t *waiting;		/* pids */
	size_t nr_waiting, max_waiting;
	uint64_t changed;		/* ns: the last one that began to wait */
	struct lbrscope_unwind_range ranges[LBRSCOPE_UNWIND_RANGES_MAX];
};

struct tables *tables_new(struct callers *callers, struct control *control, int fd, bool all)
{
	struct tables *t = calloc(1, sizeof(*t));

	if (!t) {
		err_fail("out of memory");
		return NULL;
	}
	t->callers = callers;
	t->maps = recorded_maps(callers_recorded(callers));
	t->control = control;
	t->fd = fd;
	t->all = all;
	t->maker = table_maker_start(fd);
	if (t->maker)
		return t;
	free(t);
	return NULL;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	table_maker_end(t->maker);
	free(t->files);
	for (size_t i = 0; i < t->index.used; i++)
		free(t->processes[i].replaced);
	free(t->processes);
	free(t->waiting);
	hash_free(&t->index);
	free(t);
}

/* Returns NULL if it is not known, or, with `create`, when memory is short. */
static struct process *find(struct tables *t, uint32_t pid, bool create)
{
	const uint64_t hash = hash_u64(pid);

	if (hash_reserve(&t->index))
		return NULL;
	hash_for_each(i, &t->index, hash)
		if (t->processes[i].pid == pid)
			return &t->processes[i];
	if (!create || room_for(&t->processes, t->index.used + 1, &t->max_processes,
				sizeof(*t->processes)))
		return NULL;
	t->processes[t->index.used] = (struct process){ .pid = pid };
	return &t->processes[hash_put(&t->index, hash)];
}

static int want(struct tables *t, struct process *p)
{
	if (p && p->wanted)
		return 0;
	if (!p || room_for(&t->waiting, t->nr_waiting + 1, &t->max_waiting, sizeof(*t->waiting)))
		return err_fail("out of memory");
	t->changed = clock_ns(CLOCK_MONOTONIC);
	p->wanted = true;
	t->blocked = false;
	t->waiting[t->nr_waiting++] = p->pid;
	return 0;
}

int tables_want(struct tables *t, uint32_t pid)
{
	return t ? want(t, find(t, pid, true)) : 0;
}

/* The oldest of more than REPLACED is forgotten, and with it the chains that it was for. */
static int replace(struct process *p, struct replaced new)
{
	p->last_replaced = p->generation;
	for (size_t i = 0; i < p->nr_replaced; i++) {
		const struct replaced *r = &p->replaced[i];

		if (r->generation == new.generation && new.start >= r->start && new.end <= r->end)
			return 0;
	}
	if (p->nr_replaced == REPLACED) {
		p->stale = p->replaced[0].generation;
		memmove(p->replaced, p->replaced + 1, --p->nr_replaced * sizeof(*p->replaced));
	}
	if (room_for(&p->replaced, p->nr_replaced + 1, &p->max_replaced, sizeof(*p->replaced)))
		return err_fail("out of memory");
	p->replaced[p->nr_replaced++] = new;
	return 0;
}

/* Address in the process less the one in the file's numbers. */
static uint64_t bias_of(const struct maps_code *code)
{
	return code->start - code->place.addr;
}

/* A mapping of these addresses comes. Code without a table, such as that which is made at run time, may be
 * replaced all the time. */
static int replace_code(struct tables *t, struct process *p, uint64_t start, uint64_t end)
{
	struct maps_code code;

	for (uint64_t at = start; maps_code_from(t->maps, p->pid, at, &code) && code.start < end; at = code.end) {
		const uint32_t file = code.place.file;

		if (file < t->nr_files && t->files[file] >= TABLE_FIRST &&
		    replace(p, (struct replaced){ p->generation, code.start, code.end,
						  bias_of(&code), file }))
			return -1;
	}
	return 0;
}

/* A child has the mappings of its parent. */
static int replace_forked(struct process *p, const struct process *parent)
{
	if (room_for(&p->replaced, parent->nr_replaced, &p->max_replaced, sizeof(*p->replaced)))
		return err_fail("out of memory");
	p->nr_replaced = parent->nr_replaced;
	p->last_replaced = parent->last_replaced;
	if (p->nr_replaced)
		memcpy(p->replaced, parent->replaced, p->nr_replaced * sizeof(*p->replaced));
	return 0;
}

/* Whether another file is there now than in that generation. */
static bool was_replaced(const struct tables *t, const struct process *p, uint32_t generation, uint64_t address)
{
	struct maps_code code;

	for (size_t i = 0; i < p->nr_replaced; i++) {
		const struct replaced *r = &p->replaced[i];

		if (r->generation >= generation && address >= r->start && address <= r->end)
			return !maps_code_from(t->maps, p->pid, address - 1, &code) ||
			       code.place.file != r->file || bias_of(&code) != r->bias;
	}
	return false;
}

/* Whether the chain went by the rules of the code that is there. */
static bool holds(const struct tables *t, const struct process *p, const struct ring_sample *s)
{
	const uint64_t *callers = (const uint64_t *)(s->callers + 1);
	const uint32_t generation = s->callers->generation;
	bool replaced;

	if (generation <= p->stale)
		return false;
	if (generation > p->last_replaced)
		return true;
	replaced = was_replaced(t, p, generation, ring_sample_user_ip(s));
	for (size_t i = 0; i < s->callers->nr && !replaced; i++)
		replaced = was_replaced(t, p, generation, callers[i]);
	return !replaced;
}

/* A mapping of code. Layout of MMAP2: pid, tid, addr, len. */
static int take_mapping(struct tables *t, const struct perf_event_header *record)
{
	const uint32_t *ids = (const uint32_t *)(record + 1);
	const uint64_t *range = (const uint64_t *)(ids + 2);
	struct process *p = find(t, ids[0], t->all);

	if (!p)
		return t->all ? err_fail("out of memory") : 0;
	if (replace_code(t, p, range[0], range[0] + range[1]))
		return -1;
	p->refused = false;
	return want(t, p);
}

/* Another program, or another process with this pid. */
static void begin(struct process *p, uint32_t generation, uint32_t stale)
{
	p->generation = generation;
	p->stale = stale;
	p->refused = false;
	p->nr_replaced = p->last_replaced = 0;
}

static int take_fork(struct tables *t, uint32_t pid, uint32_t parent)
{
	const struct process *from = find(t, parent, false);
	struct process of = from ? *from : (struct process){ .wanted = t->all };
	struct process *p;

	if (!from && !t->all)
		return 0;
	p = find(t, pid, true);
	if (!p)
		return err_fail("out of memory");
	begin(p, of.generation, of.stale);
	if (replace_forked(p, &of))
		return -1;
	return of.wanted ? want(t, p) : 0;
}

int tables_record(struct tables *t, const struct perf_event_header *record)
{
	const uint32_t *ids = (const uint32_t *)(record + 1);
	struct process *p;

	if (!t || record->size < sizeof(*record) + 16 + sizeof(struct sideband_id))
		return 0;
	if (record->type == PERF_RECORD_MMAP2)
		return take_mapping(t, record);
	if (record->type == PERF_RECORD_FORK && ids[0] != ids[1])
		return take_fork(t, ids[0], ids[1]);
	if (record->type != PERF_RECORD_COMM || !(record->misc & PERF_RECORD_MISC_COMM_EXEC))
		return 0;
	p = find(t, ids[0], false);
	if (p)
		begin(p, 0, 0);
	return 0;
}

int tables_offcpu_callers(struct tables *t, const struct ring_sample *s, struct encode_callers *callers)
{
	struct process *p;

	*callers = (struct encode_callers){ .nr = 0 };
	if (!t)
		return 0;
	p = find(t, s->pid, true);
	if (!p)
		return err_fail("out of memory");
	*callers = s->callers && holds(t, p, s) ? callers_by_module(t->callers, s) : callers_of(t->callers, s);
	return p->generation || p->refused ? 0 : want(t, p);
}

int tables_callers(struct tables *t, const struct ring_sample *s, struct encode_callers *callers)
{
	/* The LBR proves the stacks of a process whose samples have neither. */
	return tables_offcpu_callers(s->callers || s->user_regs ? t : NULL, s, callers);
}

bool tables_changed(const struct tables *t, uint64_t now)
{
	return t && now - t->changed < TABLES_RECENT;
}

/* Returns the place of a file's table in `files`, or NULL when memory is short. */
static uint16_t *table_of(struct tables *t, uint32_t file)
{
	if (room_for(&t->files, file + 1, &t->max_files, sizeof(*t->files)))
		return NULL;
	while (t->nr_files <= file)
		t->files[t->nr_files++] = TABLE_UNKNOWN;
	return &t->files[file];
}

/* Asks for the table of a file, unless it is there, was asked for, or the file has none. */
static int ask(struct tables *t, uint32_t file, uint16_t *table)
{
	const struct maps_file *of = maps_file(t->maps, file);

	if (*table != TABLE_UNKNOWN)
		return 0;
	*table = of->object ? TABLE_ASKED : unwind_rules_is_bare(of) ? TABLE_POINTER : TABLE_NONE;
	return of->object ? table_maker_ask(t->maker, file, of->object) : 0;
}

/* Memory with code that the program has made may consist of very many pieces. */
static void add_range(struct tables *t, const struct maps_code *code, uint16_t table, unsigned int *nr)
{
	struct lbrscope_unwind_range *last = *nr ? &t->ranges[*nr - 1] : NULL;
	struct lbrscope_unwind_range new = { .start = code->start, .end = code->end };

	if (table == TABLE_POINTER) {
		new.table = LBRSCOPE_UNWIND_NO_TABLE;
		if (last && last->table == new.table && last->end == new.start) {
			last->end = new.end;
			return;
		}
	} else {
		new.bias = bias_of(code);
		new.table = table - TABLE_FIRST;
	}
	if (*nr < LBRSCOPE_UNWIND_RANGES_MAX)
		t->ranges[(*nr)++] = new;
}

/* Lists the mappings with tables in t->ranges, and asks for those that are missing. Returns 0 if all files of the
 * process have theirs, 1 if not, or -1 with the reason printed. */
static int list_ranges(struct tables *t, uint32_t pid, unsigned int *nr)
{
	struct maps_code code;
	int missing = 0;

	*nr = 0;
	for (uint64_t at = 0; maps_code_from(t->maps, pid, at, &code); at = code.end) {
		uint16_t *table = table_of(t, code.place.file);

		if (!table)
			return err_fail("out of memory");
		if (ask(t, code.place.file, table))
			return -1;
		missing |= *table == TABLE_ASKED;
		if (*table >= TABLE_POINTER)
			add_range(t, &code, *table, nr);
	}
	return missing;
}

/* Takes the tables that have been made. */
static void take_made(struct tables *t)
{
	struct table_maker_result result;

	while (table_maker_take(t->maker, &result)) {
		t->files[result.file] = result.made ? TABLE_FIRST + result.number : TABLE_NONE;
		t->blocked = false;
	}
}

int tables_prepare(struct tables *t)
{
	unsigned int nr;

	if (!t || !t->nr_waiting)
		return 0;
	for (size_t i = 0; i < t->nr_waiting; i++)
		if (list_ranges(t, t->waiting[i], &nr) < 0)
			return -1;
	table_maker_wait(t->maker);
	return 0;
}

int tables_next(struct tables *t)
{
	struct process *p;
	unsigned int nr;
	int missing;

	if (!t)
		return 0;
	take_made(t);
	if (!t->nr_waiting || t->blocked)
		return 0;
	p = find(t, t->waiting[t->nr_waiting - 1], false);
	missing = list_ranges(t, p->pid, &nr);
	if (missing) {
		t->blocked = missing > 0;
		return missing < 0 ? -1 : 0;
	}
	p->wanted = false;
	t->nr_waiting--;
	/* A process that has ended needs none. A session that has ended takes none. */
	p->refused = control_unwind_process(t->control, t->fd, p->pid, t->generations + 1, t->ranges, nr);
	if (!p->refused)
		p->generation = ++t->generations;
	return t->nr_waiting > 0;
}

int tables_fd(const struct tables *t)
{
	return t ? table_maker_fd(t->maker) : -1;
}
