// SPDX-License-Identifier: GPL-2.0
/* The symbols of the running kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/search.h"
#include "machine/archive.h"
#include "machine/machine.h"
#include "object/buildid.h"
#include "object/kallsyms.h"

struct entry {
	struct kernel_symbol public;
	size_t order;			/* position in the file */
};

struct kernel {
	struct entry *list;	/* by start, one for each start */
	size_t nr, max;
};

bool kernel_is_running(const struct machine *m, const uint8_t *build_id, size_t size)
{
	struct buildid own = buildid_stream(machine_stream(m, 0, "/sys/kernel/notes"));

	return size && own.size == size && !memcmp(own.bytes, build_id, size);
}

static int archived(const struct machine *m, const uint8_t *build_id, size_t size)
{
	return machine_file_by_id(m, build_id, size, ARCHIVE_KALLSYMS);
}

bool kernel_is_here(const struct machine *m, const uint8_t *build_id, size_t size)
{
	int fd = archived(m, build_id, size);

	if (fd < 0)
		return kernel_is_running(m, build_id, size);
	close(fd);
	return true;
}

/* Of several names of one address the last is kept, as perf does, so that both tools print
 * the same. */
static int entry_compare(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->public.start != b->public.start)
		return a->public.start < b->public.start ? -1 : 1;
	return a->order > b->order ? -1 : a->order < b->order;
}

/* Parses one line: "address type name[\t[module]]". False when memory is short. */
static bool entry_add(struct kernel *k, char *line)
{
	char *type, *name, *module, *end;
	uint64_t start = strtoull(line, &type, 16);
	struct entry *e;

	if (*type++ != ' ' || !*type || !strchr("tTwW", *type) || type[1] != ' ')
		return true;
	name = type + 2;
	end = name + strcspn(name, "\t\n");
	module = *end == '\t' && end[1] == '[' ? end + 2 : NULL;
	*end = '\0';
	if (module)
		module[strcspn(module, "]\n")] = '\0';
	if (room_for(&k->list, k->nr + 1, &k->max, sizeof(*e)))
		return false;
	e = &k->list[k->nr];
	e->public.start = start;
	e->public.name = strdup(name);
	e->public.module = module ? strdup(module) : NULL;
	e->order = k->nr;
	k->nr++;
	return e->public.name && (!module || e->public.module);
}

static void entry_free(struct entry *e)
{
	free((char *)e->public.name);
	free((char *)e->public.module);
}

/* Sorts the names, keeps one for each address, and moves them by delta. */
static void entries_settle(struct kernel *k, uint64_t delta)
{
	size_t nr = 0;

	qsort(k->list, k->nr, sizeof(*k->list), entry_compare);
	for (size_t i = 0; i < k->nr; i++) {
		struct entry *e = &k->list[i];

		if (nr && k->list[nr - 1].public.start == e->public.start + delta) {
			entry_free(e);
			continue;
		}
		if (delta && e->public.module) {
			entry_free(e);
			continue;
		}
		e->public.start += delta;
		k->list[nr++] = *e;
	}
	k->nr = nr;
}

static const struct entry *entry_named(const struct kernel *k, const char *name)
{
	for (size_t i = 0; i < k->nr; i++)
		if (!strcmp(k->list[i].public.name, name))
			return &k->list[i];
	return NULL;
}

FILE *kernel_file(const struct machine *m, const uint8_t *build_id, size_t size)
{
	int fd = archived(m, build_id, size);
	FILE *in = fd < 0 ? machine_stream(m, 0, "/proc/kallsyms") : fdopen(fd, "r");

	if (!in && fd >= 0)
		close(fd);
	return in;
}

struct kernel *kernel_open(const struct machine *m, const uint8_t *build_id, size_t id_size,
			   const char *symbol, uint64_t address, const char **why)
{
	FILE *in = kernel_file(m, build_id, id_size);
	struct kernel *k = calloc(1, sizeof(*k));
	const struct entry *reference;
	char *line = NULL;
	size_t size = 0;
	bool ok = k && in;

	*why = "/proc/kallsyms cannot be read";
	while (ok && getline(&line, &size, in) > 0)
		ok = entry_add(k, line);
	free(line);
	if (in)
		fclose(in);
	if (!ok)
		goto err;
	*why = "/proc/kallsyms hides the addresses; read the capture as root or set kernel.kptr_restrict=0";
	reference = entry_named(k, symbol ? symbol : "_text");
	if (!reference || !reference->public.start)
		goto err;
	entries_settle(k, symbol ? address - reference->public.start : 0);
	return k;
err:
	kernel_close(k);
	return NULL;
}

void kernel_close(struct kernel *k)
{
	for (size_t i = 0; k && i < k->nr; i++)
		entry_free(&k->list[i]);
	if (k)
		free(k->list);
	free(k);
}

const struct kernel_symbol *kernel_symbol(const struct kernel *k, uint64_t addr)
{
	size_t nr = search_front(k->nr, i, k->list[i].public.start <= addr);

	return nr ? &k->list[nr - 1].public : NULL;
}
