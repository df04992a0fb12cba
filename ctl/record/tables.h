/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of unwinding rules for the module, which unwinds the stacks of samples, and of tasks
 * when they leave the CPU: what each process has mapped, and the rules of these files.
 *
 * Reading the rings comes first: a thread makes the tables (table_maker.h). A process gets its
 * tables if tables_want() names it, when a sample of it has a copy of its stack, and when it has
 * waited; in a recording of the waits of some processes at its exec. Until then its samples have
 * the copy.
 */
#ifndef LBRCTL_RECORD_TABLES_H
#define LBRCTL_RECORD_TABLES_H

#include <linux/perf_event.h>

#include "module/netlink.h"
#include "module/ring.h"
#include "record/callers.h"

struct tables;

/* callers: has the mappings. fd: of the configured session. All must outlive the result. all: each
 * process of a side record is to have its tables. Returns NULL with the reason printed. */
struct tables *tables_new(struct callers *callers, struct control *control, int fd, bool all);
void tables_free(struct tables *tables);

/* A process is to have its tables. Returns 0, or -1 with the reason printed. `tables` may be NULL,
 * here and below. */
int tables_want(struct tables *tables, uint32_t pid);

/* Sends the tables of the processes that are to have them, before the session starts: the module
 * takes the rest, what they have mapped, only when it runs. Returns as above. */
int tables_prepare(struct tables *tables);

/* Processes a side record (mapping, exec, fork), before callers_record(). Returns as above. */
int tables_record(struct tables *tables, const struct perf_event_header *record);

/* Finds the callers of the user address of a sample: those that the module has unwound, unless the
 * process has mapped other code in their place since it got its tables; else those of the copy of its
 * stack. nr 0: the sample has neither. Valid until the next call. A process without tables is to get
 * them. Returns 0, or -1 with the reason printed. */
int tables_callers(struct tables *tables, const struct ring_sample *sample, struct encode_callers *callers);

/* The same for a time off the CPU, which has no copy. */
int tables_offcpu_callers(struct tables *tables, const struct ring_sample *offcpu,
			  struct encode_callers *callers);

/* Whether a process was begun, or has mapped code, in the last two seconds: it will do more of it,
 * and its tables should come soon. now: CLOCK_MONOTONIC, ns. */
bool tables_changed(const struct tables *tables, uint64_t now);

/* Gives the next process its tables if they have been made. Returns 1 if another process waits, 0
 * if there is nothing to do until tables_fd() polls readable, or -1 with the reason printed. */
int tables_next(struct tables *tables);
int tables_fd(const struct tables *tables);

#endif
