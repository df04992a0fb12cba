// SPDX-License-Identifier: GPL-2.0
/* Reads the names that a JIT compiler writes to /tmp/perf-PID.map. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "machine/machine.h"
#include "object/perfmap.h"

struct entry {
	struct perfmap_function public;
	size_t order;			/* position in the file */
};

struct perfmap {
	struct entry *list;		/* by start, never overlapping */
	size_t nr, max;
};

/* Parses a number and the blank behind it. */
static bool take_number(char **at, uint64_t *number)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	*number = strtoull(*at, &end, 16);
	if (end == *at || *end != ' ')
		return false;
	*at = end + 1;
	return true;
}

/* 0, or -1 when memory is short. */
static int take_line(struct perfmap *map, char *line)
{
	uint64_t start, size, end;
	struct entry *entry;

	line[strcspn(line, "\n")] = '\0';
	if (!take_number(&line, &start) || !take_number(&line, &size) || !*line || !size ||
	    __builtin_add_overflow(start, size, &end))
		return 0;
	if (room_for(&map->list, map->nr + 1, &map->max, sizeof(*map->list)))
		return -1;
	entry = &map->list[map->nr];
	*entry = (struct entry){ { start, end, strdup(line) }, map->nr };
	if (!entry->public.name) {
		err_short_of_memory();
		return -1;
	}
	map->nr++;
	return 0;
}

static int by_start(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->public.start != b->public.start)
		return a->public.start < b->public.start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void drop(struct entry *entry)
{
	free((char *)entry->public.name);
}

/* A function that was overwritten, even in part, is removed. */
static void settle(struct perfmap *map)
{
	size_t kept = 0;

	if (map->nr)
		qsort(map->list, map->nr, sizeof(*map->list), by_start);
	for (size_t i = 0; i < map->nr; i++) {
		struct entry *next = &map->list[i];

		while (kept && map->list[kept - 1].public.end > next->public.start &&
		       map->list[kept - 1].order < next->order)
			drop(&map->list[--kept]);
		if (kept && map->list[kept - 1].public.end > next->public.start)
			drop(next);
		else
			map->list[kept++] = *next;
	}
	map->nr = kept;
}

static struct perfmap *perfmap_read(FILE *in)
{
	struct perfmap *map = calloc(1, sizeof(*map));
	char *line = NULL;
	size_t room = 0;

	if (!map)
		err_short_of_memory();
	while (map && getline(&line, &room, in) > 0) {
		if (take_line(map, line)) {
			perfmap_close(map);
			map = NULL;
		}
	}
	free(line);
	if (map)
		settle(map);
	return map;
}

/* In a container the file's name has the process's number in its own namespace. */
static FILE *open_inside(uint32_t pid)
{
	char path[sizeof(PERFMAP_PATH) + 16];

	snprintf(path, sizeof(path), PERFMAP_PATH, machine_inner_pid(pid));
	return machine_own_stream(NULL, pid, path, pid);
}

FILE *perfmap_file(const struct machine *m, uint32_t pid, const char *path)
{
	FILE *in = machine_own_stream(m, 0, path, pid);

	return in || !pid || machine_is_other(m) ? in : open_inside(pid);
}

struct perfmap *perfmap_open(const struct machine *m, uint32_t pid, const char *path)
{
	FILE *in = perfmap_file(m, pid, path);
	struct perfmap *map = NULL;

	if (in) {
		map = perfmap_read(in);
		fclose(in);
	}
	return map;
}

void perfmap_close(struct perfmap *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->nr; i++)
		drop(&map->list[i]);
	free(map->list);
	free(map);
}

static int by_address(const void *key, const void *element)
{
	const uint64_t *address = key;
	const struct entry *entry = element;

	if (*address < entry->public.start)
		return -1;
	return *address >= entry->public.end;
}

const struct perfmap_function *perfmap_find(const struct perfmap *map, uint64_t address)
{
	const struct entry *found = NULL;

	if (map->nr)
		found = bsearch(&address, map->list, map->nr, sizeof(*map->list), by_address);
	return found ? &found->public : NULL;
}
