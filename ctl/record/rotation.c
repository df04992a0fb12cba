// SPDX-License-Identifier: GPL-2.0
/* Decides when a recording switches to a new file, and which files are kept. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/size.h"
#include "record/rotation.h"

/* The last two digits of a file's name are hundredths of a second. */
#define ROTATION_TICK_NS	10000000

bool rotation_parse(struct rotation *r, const char *text)
{
	r->wanted = true;
	r->size = r->time = 0;
	if (!text || !strcmp(text, "signal"))
		return true;
	if (duration_parse(text, 0, &r->time))
		return r->time;
	return size_parse(text, &r->size) && r->size;
}

/* NULL if memory is short. */
static char *rotation_name(const char *base, const struct timespec *clock)
{
	struct tm local;
	char stamp[32], *name;

	localtime_r(&clock->tv_sec, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &local);
	if (asprintf(&name, "%s.%s%02ld", base, stamp, clock->tv_nsec / ROTATION_TICK_NS) >= 0)
		return name;
	err_fail("out of memory");
	return NULL;
}

/* Whether a file has the name, or is going to have it when it is complete. */
static bool rotation_is_taken(const char *name)
{
	char partial[PATH_MAX];

	snprintf(partial, sizeof(partial), "%s.partial", name);
	return !access(name, F_OK) || !access(partial, F_OK);
}

/* Local time may repeat, after a clock was set back or at the end of summer time. The file of
 * that name must stay: the next free time is used. */
char *rotation_begin(struct rotation *r, const char *base, uint64_t now)
{
	struct timespec clock;
	char *name;

	r->since = now;
	clock_gettime(CLOCK_REALTIME, &clock);
	name = rotation_name(base, &clock);
	while (name && rotation_is_taken(name)) {
		free(name);
		clock.tv_nsec += ROTATION_TICK_NS;
		if (clock.tv_nsec >= 1000000000) {
			clock.tv_sec++;
			clock.tv_nsec -= 1000000000;
		}
		name = rotation_name(base, &clock);
	}
	return name;
}

bool rotation_due(const struct rotation *r, uint64_t bytes, uint64_t now)
{
	uint64_t time = r->first && r->first < r->time && !r->nr_files ? r->first : r->time;

	return (r->size && bytes >= r->size) || (time && now - r->since >= time);
}

int rotation_drop(struct rotation *r)
{
	int err = 0;

	/* Another process may have removed it already. */
	if (unlink(r->files[0]) && errno != ENOENT)
		err = err_errno("removing the oldest file, %s", r->files[0]);
	free(r->files[0]);
	memmove(r->files, r->files + 1, --r->nr_files * sizeof(*r->files));
	return err;
}

int rotation_finished(struct rotation *r, char *file)
{
	if (room_for(&r->files, r->nr_files + 1, &r->max_files, sizeof(*r->files))) {
		free(file);
		return err_fail("out of memory");
	}
	r->files[r->nr_files++] = file;
	return r->keep && r->nr_files > r->keep ? rotation_drop(r) : 0;
}

void rotation_free(struct rotation *r)
{
	while (r->nr_files)
		free(r->files[--r->nr_files]);
	free(r->files);
	r->files = NULL;
	r->max_files = 0;
}
