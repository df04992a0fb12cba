/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the samples of a text as perf.data. */
#ifndef LBRCTL_IMPORT_CAPTURE_H
#define LBRCTL_IMPORT_CAPTURE_H

#include "import/facts.h"
#include "import/places.h"
#include "object/buildid.h"

struct capture_source {
	struct items *items;		/* read from the beginning */
	struct item *item;		/* for the items */
	struct facts *facts;
	struct places *places;		/* settled */
	struct buildid kernel;		/* by which the kernel's names are found */
};

/* Returns 0, or -1 with a message. */
int capture_write(const struct capture_source *source, const char *path);

#endif
