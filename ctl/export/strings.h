/* SPDX-License-Identifier: GPL-2.0 */
/* A table of strings, each once, as the formats with tables have them. */
#ifndef LBRCTL_EXPORT_STRINGS_H
#define LBRCTL_EXPORT_STRINGS_H

#include "base/hash.h"

/* Initialize with 0. */
struct strings {
	char **list;
	size_t max;
	struct hash index;	/* index.used: the number of strings */
	bool failed;		/* memory was short */
};

/* Returns the number of the string, which is copied; NULL is "". 0, too, when memory is short. */
size_t strings_number(struct strings *strings, const char *text);
void strings_free(struct strings *strings);

#endif
