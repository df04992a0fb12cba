/* SPDX-License-Identifier: GPL-2.0 */
/* The headers of tar archives (POSIX ustar, with GNU's long names), of regular files alone. */
#ifndef LBRCTL_MACHINE_TAR_H
#define LBRCTL_MACHINE_TAR_H

#include <stdbool.h>
#include <stdint.h>

#define TAR_BLOCK	512		/* bytes; a header is a block, contents are padded */
#define TAR_NAME_MAX	100		/* bytes of a name in a header */
#define TAR_SIZE_MAX	((8ULL << 30) - 1)	/* bytes of a member: 11 octal digits */

/* The name in the header before that of a member with a long name; its contents are that name. */
#define TAR_LONG_NAME	"././@LongLink"

/* Fills a header, TAR_BLOCK bytes, of a file that anybody may read. name: up to TAR_NAME_MAX
 * bytes. is_name: the contents are the name of the next member. */
void tar_make(unsigned char *header, const char *name, uint64_t size, bool is_name);

struct tar_header {
	char name[TAR_NAME_MAX + 1];
	uint64_t size;
	bool is_name;
	bool is_end;		/* a block of zeros ends the archive */
};

/* Parses a header. Returns false if its checksum is wrong or it is no regular file's. */
bool tar_parse(const unsigned char *header, struct tar_header *parsed);

/* Returns the size of contents with their padding. */
uint64_t tar_padded(uint64_t size);

#endif
