// SPDX-License-Identifier: GPL-2.0
/* Reads a capture's records into a buffer that moves forward. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "perfdata/view.h"

#define LEAST_ROOM	(256UL << 10)
#define MOST_ROOM	(16UL << 20)

void perfdata_view_free(struct perfdata_view *v)
{
	free(v->buffer);
	v->buffer = NULL;
}

/* From here on the mapping is read. */
static void view_map(struct perfdata_view *v, uint64_t end)
{
	perfdata_view_free(v);
	v->base = v->map;
	v->from = 0;
	v->to = end;
	v->fd = -1;
}

/* Moves the bytes that stay to the front, of a larger buffer if they fill half of it. Returns false
 * if there is no such buffer. */
static bool view_keep(struct perfdata_view *v, uint64_t keep, size_t need)
{
	size_t kept = v->to > keep ? v->to - keep : 0, room = v->room ? v->room : LEAST_ROOM;
	unsigned char *buffer = v->buffer;

	while (room < 2 * kept || room < kept + need)
		room *= 2;
	if (room > MOST_ROOM)
		return false;
	if (room > v->room)
		buffer = malloc(room);
	if (!buffer)
		return false;
	if (kept)
		memmove(buffer, perfdata_view_at(v, keep), kept);
	if (buffer != v->buffer)
		free(v->buffer);
	v->base = v->buffer = buffer;
	v->room = room;
	v->from = keep;
	v->to = keep + kept;
	return true;
}

int perfdata_view_move(struct perfdata_view *v, uint64_t keep, uint64_t at, size_t size,
		       uint64_t end)
{
	if (v->fd < 0 || !view_keep(v, keep, at - keep + size)) {
		view_map(v, end);
		return 0;
	}
	while (v->to < end && v->to - v->from < v->room) {
		size_t most = v->room - (v->to - v->from);
		ssize_t got = pread(v->fd, v->buffer + (v->to - v->from),
				    most < end - v->to ? most : end - v->to, v->to);

		if (!got)
			return err_fail("%s: the file shrank while it was being read; read it again when it is complete",
					v->path);
		if (got < 0 && errno != EINTR)
			return err_errno("reading %s", v->path);
		v->to += got > 0 ? got : 0;
	}
	return 0;
}
