/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a capture as they are read. Those of a file are copied into a buffer that moves
 * forward with the reader: to map a page and to unmap it takes several times as long as to copy
 * it. Records that were unpacked, or came from a pipe, are in memory, and so is the file once
 * more than the largest buffer has to stay readable.
 */
#ifndef LBRCTL_PERFDATA_VIEW_H
#define LBRCTL_PERFDATA_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct perfdata_view {
	/* Set by the caller. */
	const char *path;
	const unsigned char *map;	/* all of it */
	int fd;				/* of the file that is mapped; -1: read the mapping */

	const unsigned char *base;	/* bytes [from..to) of the map, or a copy of them */
	uint64_t from, to;
	unsigned char *buffer;
	size_t room;
};

/* Frees the buffer; map and fd are the caller's. */
void perfdata_view_free(struct perfdata_view *view);

/* Makes the bytes from `keep` up to `at` + size readable, and no others; end: where the records
 * end, at most. Returns 0, or -1 with the reason printed. */
int perfdata_view_move(struct perfdata_view *view, uint64_t keep, uint64_t at, size_t size,
		       uint64_t end);

/* Returns the bytes from this offset on, which must be readable. */
static inline const unsigned char *perfdata_view_at(const struct perfdata_view *view,
						    uint64_t offset)
{
	return view->base + (offset - view->from);
}

#endif
