// SPDX-License-Identifier: GPL-2.0
/* Recognizes files that are no captures by their first bytes. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "perfdata/foreign.h"

/* Bytes that are looked at to tell a text. */
#define TEXT	64

struct kind {
	const char *magic;
	size_t size;
	const char *what;
	const char *unpack;		/* the command that unpacks it; NULL: it is no packed file */
};

static const struct kind kinds[] = {
	{ "\x1f\x8b", 2, "compressed by gzip", "gzip" },
	{ "\xfd" "7zXZ", 6, "compressed by xz", "xz" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd", "zstd" },
	{ "BZh", 3, "compressed by bzip2", "bzip2" },
	{ "PERFFILE", 8, "version 1 of it, which perf alone reads", NULL },
	{ "\x7f" "ELF", 4, "a program or a library: name a capture, or run it by 'lbrctl record -- PROGRAM'", NULL },
	{ "{", 1, "JSON, perhaps a report: name the capture that it was made of", NULL },
	{ "<", 1, "a page (HTML, SVG), perhaps a flame graph: name the capture that it was made of", NULL },
};

static bool is_text(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size && i < TEXT; i++)
		if (!isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

int foreign_refuse(const char *path, const unsigned char *bytes, size_t size)
{
	static const char no[] = "not a perf.data file (version 2)";

	for (const struct kind *k = kinds; k < kinds + sizeof(kinds) / sizeof(*kinds); k++) {
		if (size < k->size || memcmp(bytes, k->magic, k->size))
			continue;
		if (!k->unpack)
			return err_fail("%s: %s, but %s", path, no, k->what);
		return err_fail("%s: %s, but %s: '%s -dc %s | lbrctl VERB -i -' reads it if it is a capture", path, no,
				k->what, k->unpack, path);
	}
	if (is_text(bytes, size))
		return err_fail("%s: %s, but a text, perhaps the output of 'perf script': name the capture that it was made of, or use 'lbrctl import'",
				path, no);
	return err_fail("%s: %s", path, no);
}
