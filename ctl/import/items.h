/* SPDX-License-Identifier: GPL-2.0 */
/* The samples and mappings of a text of `perf script`, one after another. */
#ifndef LBRCTL_IMPORT_ITEMS_H
#define LBRCTL_IMPORT_ITEMS_H

#include "import/text.h"

/* Of a sample: what fits into a record of perf.data. */
#define ITEMS_FRAMES_MAX	2048
#define ITEMS_BRANCHES_MAX	1024

/* Stands for the file of a function for which the text has none: its frames are then marked as inlined, since only the name
 * says where they are. */
#define ITEMS_NO_FILE	"/[unknown]"

enum items_kind { ITEMS_SAMPLE, ITEMS_MAPPING, ITEMS_LOST };

/* Valid until the next call. */
struct item {
	enum items_kind kind;
	struct text_head head;
	struct text_mapping mapping;		/* of code, in a process */
	uint64_t lost;				/* samples */
	struct text_frame frames[ITEMS_FRAMES_MAX];	/* innermost first */
	size_t nr_frames;
	bool is_chain;				/* the frames have lines of their own */
	struct perf_branch_entry branches[ITEMS_BRANCHES_MAX];	/* newest first */
	size_t nr_branches;
};

struct items;

/* Returns NULL with a message if the file cannot be read. What cannot be read twice is copied. */
struct items *items_open(const char *path);
/* The items begin anew. Returns 0, or -1 with a message. */
int items_rewind(struct items *items);
/* 1: *item is filled; 0: the end; -1: the text cannot be used, with a message. */
int items_next(struct items *items, struct item *item);
/* Returns the number of lines so far that are neither a sample's nor a comment; *first: the number of the first
 * of them, from 1. */
uint64_t items_strange(const struct items *items, uint64_t *first);
void items_close(struct items *items);

#endif
