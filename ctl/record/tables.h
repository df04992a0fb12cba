/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of unwinding rules for the module, which unwinds the stacks of tasks when they leave
 * the CPU: what each process has mapped, and the rules of these files.
 *
 * Reading the rings comes first. A table is made and sent in one step between two rounds. A
 * process gets its tables when it is known to be measured: at its exec in a session with
 * targets, else when it has waited once.
 */
#ifndef LBRCTL_RECORD_TABLES_H
#define LBRCTL_RECORD_TABLES_H

#include <linux/perf_event.h>

#include "module/netlink.h"
#include "module/ring.h"
#include "record/callers.h"

struct tables;

/* callers: has the mappings. fd: of the configured session. All must outlive the result. targets:
 * the session has targets, so that each process of a side record is measured. Returns NULL with
 * the reason printed. */
struct tables *tables_new(struct callers *callers, struct control *control, int fd, bool targets);
void tables_free(struct tables *tables);

/* A process is to have its tables. Returns 0, or -1 with the reason printed. `tables` may be NULL,
 * here and below. */
int tables_want(struct tables *tables, uint32_t pid);

/* Sends the tables of the processes that are to have them, before the session starts: the module
 * takes the rest, what they have mapped, only when it runs. Returns as above. */
int tables_prepare(struct tables *tables);

/* Processes a side record (mapping, exec, fork), before callers_record(). Returns as above. */
int tables_record(struct tables *tables, const struct perf_event_header *record);

/* Sets *callers to those that the module has unwound; nr 0 without them, or if the process has
 * mapped other code since it got its tables. Returns as above. */
int tables_callers(struct tables *tables, const struct ring_offcpu *offcpu,
		   struct encode_callers *callers);

/* Whether a process was begun, or has mapped code, in the last two seconds: it will do more of it,
 * and its tables should come soon. now: CLOCK_MONOTONIC, ns. */
bool tables_changed(const struct tables *tables, uint64_t now);

/* Whether processes wait for tables; takes the next step. Returns 1 if it has made a table, which
 * takes some ms, 0 if not, or -1 with the reason printed. */
bool tables_waits(const struct tables *tables);
int tables_next(struct tables *tables);

#endif
