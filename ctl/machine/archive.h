/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Archives: a capture together with the files that it names, for another machine.
 *
 * An archive is a tar file, compressed by zstd, which tar and perf's users can unpack:
 *
 *	perf.data				the capture, always the first member
 *	.build-id/XX/YY…/elf			a file by its build id XXYY…
 *	.build-id/XX/YY…/debug			its debug file
 *	.build-id/XX/YY…/vdso			the vdso
 *	.build-id/XX/YY…/kallsyms		/proc/kallsyms of the kernel
 *	files/PATH				a file without a build id
 *
 * The layout of .build-id is that of perf's cache, ~/.debug. Each header and the contents of
 * each member are a zstd frame of their own, so that a member is read without the others.
 */
#ifndef LBRCTL_MACHINE_ARCHIVE_H
#define LBRCTL_MACHINE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARCHIVE_CAPTURE	"perf.data"
#define ARCHIVE_NAME_MAX	4352	/* bytes of a member's name: a path, and more */

/* The kinds of files by build id. */
#define ARCHIVE_ELF	"elf"
#define ARCHIVE_DEBUG	"debug"
#define ARCHIVE_VDSO	"vdso"
#define ARCHIVE_KALLSYMS	"kallsyms"

/* Stores the name of a member in text, ARCHIVE_NAME_MAX bytes. */
void archive_name_id(char *text, const uint8_t *id, size_t size, const char *kind);
void archive_name_path(char *text, const char *path);

struct archive;

/* Opens the archive that the descriptor refers to, if it is one; the caller closes the
 * descriptor. path is for messages. *archive is NULL for other files. Returns 0, or -1 with a
 * message. */
int archive_open(const char *path, int fd, struct archive **archive);
void archive_close(struct archive *archive);

/* Unpacks a member into a file without a name. Returns its descriptor, positioned at 0. Returns
 * -1 if there is no such member, or, with a message, if it is damaged. */
int archive_member(const struct archive *archive, const char *name);

/* Writes an archive to a file that appears complete or not at all (base/atomic_file.h); fill() adds its members, and
 * returns 0, or -1 with a message. Returns 0, or -1 with a message. */
struct archive_writer;
int archive_make(const char *path, int (*fill)(void *ctx, struct archive_writer *writer), void *ctx);

/* Adds a member, unless there is one with this name. Returns 0, or -1 with a message. */
int archive_write(struct archive_writer *writer, const char *name, const void *data, uint64_t size);

#endif
