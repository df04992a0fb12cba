/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a perf.data file. */
#ifndef LBRCTL_PERFDATA_WRITE_H
#define LBRCTL_PERFDATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/event.h"
#include "perfdata/format.h"

struct perfdata_writer;

/*
 * Begins the capture `path`. It is written as `path`.partial, which becomes `path` only at
 * perfdata_write_finish(), so that a partial file is not mistaken for a complete one. The
 * .partial of a killed recorder becomes `path`.killed, with a message. Returns NULL with a
 * message if the file cannot be written; the .partial of a running writer is not touched. The
 * events must exist until the end.
 */
struct perfdata_writer *perfdata_write_open(const char *path,
					    const struct perfdata_event *events,
					    unsigned int nr);

/* Compresses all records from now on, by zstd's level. Called once, before the first record.
 * Returns 0, or -1 with a message. */
int perfdata_write_compressed(struct perfdata_writer *writer, int level);

/*
 * Begins another capture, with the same events and all records written so far; the first one
 * continues. Returns NULL with a message on failure.
 */
struct perfdata_writer *perfdata_write_fork(struct perfdata_writer *writer,
					    const char *path);

/* Appends len bytes of complete records. Returns 0; PERFDATA_WRITE_FULL if the disk is full and
 * that was noticed in time: earlier data is safe, this data was not taken, and a message was
 * printed the first time; or -1: the file is unusable, and a message was printed the first
 * time. */
#define PERFDATA_WRITE_FULL	1
int perfdata_write(struct perfdata_writer *writer, const void *records,
		   size_t len);

/* Passes all data written so far to the kernel, so that a killed recorder does not lose it.
 * Returns 0, or -1 as perfdata_write(). */
int perfdata_write_out(struct perfdata_writer *writer);

/* A buffer, aligned to 8, in which a record of up to PERFDATA_RECORD_MAX bytes may be built, so
 * that perfdata_write() need not copy it; valid until the next write. */
#define PERFDATA_RECORD_MAX	65536
void *perfdata_write_place(struct perfdata_writer *writer);

/* Whether the disk is full. The file can still be finished, with up to PERFDATA_WRITE_LAST
 * more bytes, which state the loss. */
#define PERFDATA_WRITE_LAST	4096
bool perfdata_write_is_full(const struct perfdata_writer *writer);
/* Whether the disk has room for another file by now. */
bool perfdata_write_room(const struct perfdata_writer *writer);
void perfdata_write_last(struct perfdata_writer *writer);

/* Returns the approximate size of the file in bytes. */
uint64_t perfdata_write_size(const struct perfdata_writer *writer);

/* Sets the contents of a feature section (enum perfdata_feature, below
 * PERFDATA_WRITE_FEATURES), copied. Those set before the first record are in the file
 * even if it is never finished. Returns 0 or -1 with a message. */
#define PERFDATA_WRITE_FEATURES	64
int perfdata_write_feature(struct perfdata_writer *writer, unsigned int feature,
			   const void *data, size_t len);

/*
 * Completes the file and gives it its name; an existing file of that name becomes `path`.old.
 * The data and the name are on the disk then. Frees the writer in any case. Returns the size of
 * the file in bytes, or -1 with a message: then there is no file, but `path`.partial if the disk
 * failed after records had been written, or `path` if it failed after the renaming; an existing
 * file of that name is untouched.
 */
int64_t perfdata_write_finish(struct perfdata_writer *writer);

/* Aborts the capture: removes the file and frees the writer. */
void perfdata_write_abort(struct perfdata_writer *writer);

#endif
