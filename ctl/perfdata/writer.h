/* SPDX-License-Identifier: GPL-2.0 */
/* A capture during writing. Private to write.c and write_path.c. */
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
	char *partial;		/* its name until then */
	int fd;
	int folder;		/* where the file is; -1: it cannot be synced */
	bool failed;		/* the message was printed */
	const struct perfdata_event *events;	/* owned by the caller */
	unsigned int nr_events;
	bool begun;		/* the head is written */
	struct perfdata_header header;
	int level;		/* compression level */
	struct perfdata_pack *pack;	/* NULL: no compression */
	size_t waiting;		/* bytes of records that have to be compressed */
	uint64_t written;	/* bytes in the file */
	uint64_t reserved;	/* bytes reserved on the disk */
	bool full;		/* the disk has no more */
	size_t fill;		/* bytes in the buffer, to be written */
	struct perfdata_feature_data features[PERFDATA_WRITE_FEATURES];
	_Alignas(uint64_t) char buffer[PERFDATA_BUFFER];
	/* followed by the record under construction, which may belong to the next chunk */
	_Alignas(uint64_t) char chunk[PERFDATA_PACK_CHUNK + PERFDATA_RECORD_MAX];
};

/* Creates and locks the .partial file. Returns 0, or -1 with the reason printed. */
int perfdata_write_create(struct perfdata_writer *w);

/* Renames the finished file to its final name; an older file of that name becomes .old. Returns
 * 0, or -1 with the reason printed. */
int perfdata_write_rename(struct perfdata_writer *w);

/* Writes the folder to the disk, so that a power failure does not take the final name back. 0,
 * or -1 with the reason printed. */
int perfdata_write_sync_folder(struct perfdata_writer *w);

#endif
