/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that makes the unwinding tables of files and gives them to the module. A table of a
 * large file takes 100 ms, in which the rings would not be read.
 */
#ifndef LBRCTL_RECORD_TABLE_MAKER_H
#define LBRCTL_RECORD_TABLE_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "object/object.h"

struct table_maker;

/* fd: of the configured session. Returns NULL with the reason printed. */
struct table_maker *table_maker_start(int fd);
/* Waits for the end of the table that is being made. `maker` may be NULL. */
void table_maker_end(struct table_maker *maker);

/* The table of a file is to be made, after those that were asked for before. The object must
 * outlive the maker. Returns 0, or -1 with the reason printed. */
int table_maker_ask(struct table_maker *maker, uint32_t file, const struct object *object);

/* Takes the oldest result that was not taken. Returns false if no result is ready. */
struct table_maker_result {
	uint32_t file;		/* as in table_maker_ask() */
	bool made;		/* false: the file has no code for x86-64, or the module takes no more tables */
	uint32_t number;	/* of the table within the session */
};
bool table_maker_take(struct table_maker *maker, struct table_maker_result *result);

/* Waits until nothing is left to be made. */
void table_maker_wait(struct table_maker *maker);

/* Polls readable when there is a result. */
int table_maker_fd(const struct table_maker *maker);

#endif
