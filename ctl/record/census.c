// SPDX-License-Identifier: GPL-2.0
/* Reads mappings from /proc for a user who may not read perf's task events. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "record/census.h"

/* Reading a process's mappings takes some 100 us. */
#define CENSUS_PAUSE_NS	10000000

/* Returns false if there is nothing to read: an ending process loses its mappings before it
 * disappears. */
static bool census_mark_file(const char *path, uint64_t *mark)
{
	FILE *file = fopen(path, "re");
	uint64_t before = *mark;
	int c;

	if (!file)
		return false;
	while ((c = getc(file)) != EOF)
		*mark = hash_add(*mark, c);
	fclose(file);
	return *mark != before;
}

static bool census_mark(uint32_t pid, uint64_t *mark)
{
	char path[32];

	*mark = 1;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (!census_mark_file(path, mark))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	return census_mark_file(path, mark);
}

int census_meet(struct census *census, uint32_t pid)
{
	uint64_t mark;

	/* pid 0: outside of our pid namespace. */
	if (!pid || pidset_has(&census->met, pid))
		return 0;
	if (pidset_add(&census->met, pid))
		return -1;
	if (!census_mark(pid, &mark)) {
		census->missed++;
		return 0;
	}
	if (room_for(&census->processes, census->nr + 1, &census->max,
		     sizeof(*census->processes)))
		return err_fail("out of memory");
	census->processes[census->nr++] = (struct census_process){ pid, mark };
	return synth_process(&census->synth, pid);
}

int census_look(struct census *census, uint64_t now)
{
	size_t i = 0;

	if (now < census->next)
		return 0;
	census->next = now + CENSUS_PAUSE_NS;
	while (i < census->nr) {
		struct census_process *p = &census->processes[i];
		uint64_t mark;

		if (!census_mark(p->pid, &mark)) {
			*p = census->processes[--census->nr];
			continue;
		}
		/* The mark is older than the written records: the next look finds a change in
		 * between. */
		if (mark != p->mark && synth_process(&census->synth, p->pid))
			return -1;
		p->mark = mark;
		i++;
	}
	return 0;
}

void census_free(struct census *census)
{
	pidset_free(&census->met);
	free(census->processes);
	census->processes = NULL;
	census->nr = census->max = 0;
}
