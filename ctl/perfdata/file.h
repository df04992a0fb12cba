/* SPDX-License-Identifier: GPL-2.0 */
/* An open capture. Private to open.c and read.c. */
#ifndef LBRCTL_PERFDATA_FILE_H
#define LBRCTL_PERFDATA_FILE_H

#include "perfdata/deferred.h"
#include "perfdata/parse.h"
#include "perfdata/view.h"

struct perfdata_pending {
	uint64_t time, offset;
};

struct perfdata_id {
	uint64_t id;
	size_t event;
};

struct perfdata_file {
	char *path;
	const unsigned char *map;
	uint64_t size;
	/* The mapping that contains the records: the file's, or that of unpacked records.
	 * Offsets refer to it. */
	const unsigned char *base;
	struct perfdata_header header;	/* all 0 if in_pipe */
	bool in_pipe, compressed;
	bool cut;			/* the last record may be incomplete */
	int folder;			/* that the file is in, with others; -1: none */
	struct perfdata_event *events;
	size_t nr_events;
	struct perfdata_id *ids;		/* sorted by id */
	size_t nr_ids;
	const struct perfdata_id *found;	/* the last one that was found */
	struct perfdata_info info;

	struct perfdata_view view;	/* of base */
	uint64_t begin;			/* of the records */
	uint64_t at, end;		/* the records that are not read yet */
	struct deferred deferred;
	uint64_t forgotten;		/* pages before this were released */
	uint64_t last_time;		/* of the record that was read last */
	struct perfdata_pending *pending;
	size_t nr_pending, max_pending;
	size_t out, ready;		/* pending[out..ready) may be returned */
	uint64_t nr_records, most_records;
	uint64_t round_max, prev_round_max;
	bool damaged;
};

/* For qsort() and bsearch() of struct perfdata_id. */
static inline int perfdata_id_compare(const void *a, const void *b)
{
	const struct perfdata_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

#endif
