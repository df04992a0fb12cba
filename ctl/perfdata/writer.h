/* SPDX-License-Identifier: GPL-2.0 */
/* A capture that is written. Private to write.c and write_path.c. */
#ifndef LBRCTL_PERFDATA_WRITER_H
#define LBRCTL_PERFDATA_WRITER_H

#include "perfdata/pack.h"
#include "perfdata/write.h"

#define PERFDATA_BUFFER		(1 << 20)
/* Bytes of the disk reserved for the buffers and the features, so that a file can be finished
 * when the disk is full. */
#define PERFDATA_RESERVE	(2 << 20)

struct perfdata_feature_data {
	void *data;
	size_t len;
	bool set;
};

struct perfdata_writer {
	char *path;		/* its final name */
	char *partial;		/* the name it has until then */
	int fd;
	bool failed;		/* said so already */
	const struct perfdata_event *events;	/* the caller's */
	unsigned int nr_events;
	bool begun;		/* the head is written */
	struct perfdata_header header;
	int level;		/* that records are compressed by */
	struct perfdata_pack *pack;	/* NULL: they are not */
	size_t waiting;		/* bytes of records that have to be compressed */
	uint64_t written;	/* bytes in the file */
	uint64_t reserved;	/* bytes that the disk has for it */
	bool full;		/* there are no more */
	size_t fill;		/* bytes in the buffer, to follow them */
	struct perfdata_feature_data features[PERFDATA_WRITE_FEATURES];
	_Alignas(uint64_t) char buffer[PERFDATA_BUFFER];
	/* and a record that is in the making, which may belong to the next one */
	_Alignas(uint64_t) char chunk[PERFDATA_PACK_CHUNK + PERFDATA_RECORD_MAX];
};

/* Creates and locks the .partial file. Returns 0, or -1 with the reason printed. */
int perfdata_write_create(struct perfdata_writer *w);

/* Renames the finished file to its final name; an older file of that name becomes .old. Returns
 * 0, or -1 with the reason printed. */
int perfdata_write_rename(struct perfdata_writer *w);

#endif
