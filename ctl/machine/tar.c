// SPDX-License-Identifier: GPL-2.0
/* The headers of tar archives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/tar.h"

/* POSIX.1-2017, pax, "ustar Interchange Format". */
struct ustar {
	char name[TAR_NAME_MAX];
	char mode[8], uid[8], gid[8];
	char size[12], mtime[12];
	char checksum[8];
	char type;
	char linkname[100];
	char magic[6], version[2];
	char uname[32], gname[32];
	char devmajor[8], devminor[8];
	char prefix[155];
	char unused[12];
};
_Static_assert(sizeof(struct ustar) == TAR_BLOCK, "a header is one block");

/* The sum of all bytes, those of the checksum itself taken as blanks. */
static unsigned int tar_checksum(const unsigned char *header)
{
	const struct ustar *h = (const void *)header;
	unsigned int sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += header[i];
	for (size_t i = 0; i < sizeof(h->checksum); i++)
		sum += ' ' - (unsigned char)h->checksum[i];
	return sum;
}

void tar_make(unsigned char *header, const char *name, uint64_t size, bool is_name)
{
	struct ustar *h = (void *)header;
	char digits[32];

	memset(h, 0, sizeof(*h));
	memcpy(h->name, name, strnlen(name, sizeof(h->name)));
	strcpy(h->mode, "0000644");
	strcpy(h->uid, "0000000");
	strcpy(h->gid, "0000000");
	strcpy(h->mtime, "00000000000");
	snprintf(digits, sizeof(digits), "%011llo", (unsigned long long)size);
	memcpy(h->size, digits, sizeof(h->size) - 1);
	h->type = is_name ? 'L' : '0';
	memcpy(h->magic, "ustar", sizeof(h->magic));
	memcpy(h->version, "00", sizeof(h->version));
	snprintf(digits, sizeof(digits), "%06o", tar_checksum(header));
	memcpy(h->checksum, digits, 7);
	h->checksum[7] = ' ';
}

/* Parses octal digits up to a blank or 0. Returns false for anything else. */
static bool tar_octal(const char *text, size_t size, uint64_t *number)
{
	size_t i = 0;

	for (*number = 0; i < size && text[i] >= '0' && text[i] <= '7'; i++)
		*number = *number << 3 | (text[i] - '0');
	return i && (i == size || !text[i] || text[i] == ' ');
}

static bool tar_is_zero(const unsigned char *header)
{
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (header[i])
			return false;
	return true;
}

bool tar_parse(const unsigned char *header, struct tar_header *parsed)
{
	const struct ustar *h = (const void *)header;
	uint64_t sum;

	memset(parsed, 0, sizeof(*parsed));
	parsed->is_end = tar_is_zero(header);
	if (parsed->is_end)
		return true;
	memcpy(parsed->name, h->name, sizeof(h->name));
	parsed->is_name = h->type == 'L';
	return !memcmp(h->magic, "ustar", sizeof(h->magic)) && !*h->prefix &&
	       tar_octal(h->checksum, sizeof(h->checksum), &sum) &&
	       sum == tar_checksum(header) &&
	       tar_octal(h->size, sizeof(h->size), &parsed->size) &&
	       (parsed->is_name || h->type == '0' || !h->type);
}

uint64_t tar_padded(uint64_t size)
{
	return (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}
