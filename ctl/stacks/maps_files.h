/* SPDX-License-Identifier: GPL-2.0 */
/* The mapped files of a capture's processes, each opened once. */
#ifndef LBRCTL_STACKS_MAPS_FILES_H
#define LBRCTL_STACKS_MAPS_FILES_H

#include "base/hash.h"
#include "stacks/maps.h"

/* The contents of a mapping record. */
struct maps_mapped {
	uint32_t pid;
	const char *path;
	const uint8_t *id;		/* build id: 20 bytes, of which id_size are valid */
	size_t id_size;
	bool no_file;			/* the memory belongs to no file */
	uint64_t start, end;
	uint32_t major, minor;		/* device and inode; inode 0: not recorded */
	uint64_t inode;
	uint64_t wall;			/* ns since 1970 of the record; 0: not known */
};

struct maps_files_entry {
	struct maps_file public;
	uint8_t build_id[20];
	size_t id_size;
	uint64_t inode;			/* while live, of a file without a build id; else 0 */
	bool no_file;			/* no file: offsets are addresses */
	bool outdated;			/* from now on, another entry stands for its file */
	bool perfmap_asked;
	struct perfmap *perfmap;
};

/* Initialize with 0 before maps_files_init(). */
struct maps_files {
	bool live;			/* maps_live() */
	const struct perfdata_info *info;
	struct machine *machine;	/* of info */
	struct maps_files_entry *list;	/* by index of a mapped file */
	size_t nr, max;
	struct hash index;			/* index of the files, by path and build id */
	const struct perfdata_known_id **known;	/* index of those of info, by file name */
	struct maps_kernel kernel;
};

/* `info`: as in maps_new(). Returns 0, or -1 with errno. */
int maps_files_init(struct maps_files *files, const struct perfdata_info *info);
void maps_files_free(struct maps_files *files);

/* maps_begin() */
int maps_files_begin(struct maps_files *files, const struct perfdata_info *info);

/* Returns the index of a mapped file, opened at its first appearance. A file that could not be
 * opened for an earlier process, but can be for this one, gets another index, since places in
 * it differ. MAPS_NOTHING when memory is short. */
uint32_t maps_files_find(struct maps_files *files, const struct maps_mapped *mapped);

/* Whether the name of a mapping, as the kernel reports it, means memory that belongs to no
 * file; and whether it means anonymous memory, which may contain code made at run time. */
bool maps_files_is_no_file(const char *name);
bool maps_files_is_anonymous(const char *name);

/* maps_perfmap() */
const struct perfmap *maps_files_perfmap(struct maps_files *files, uint32_t file);

void maps_files_kernel_id(struct maps_files *files, const uint8_t *id, size_t size);

#endif
