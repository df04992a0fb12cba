/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of `perf script`, Linux 5.10 to 7.x, in its default layout or with other fields of -F. */
#ifndef LBRCTL_IMPORT_TEXT_H
#define LBRCTL_IMPORT_TEXT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions change a line only if they return true. Texts in the results point into the line. */

/* "COMM PID/TID [CPU] TIME: PERIOD EVENT: ...": all but name, one id and event may be missing. */
struct text_head {
	char *comm, *event;
	char *rest;			/* what follows the event, with its blanks: an innermost frame, branches, or raw data */
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time;			/* ns */
	uint64_t period;		/* 1 where it is missing */
	bool has_time, has_cpu, has_pid;	/* without pid, it is that of the thread */
};

bool text_head(char *line, struct text_head *head);

/* "ADDRESS NAME+0xOFFSET (FILE)", or "ADDRESS NAME (inlined)". */
struct text_frame {
	uint64_t address, offset;	/* the offset is 0 where it is missing */
	char *name;			/* NULL: unknown */
	char *file;			/* NULL: unknown */
	bool inlined;			/* into the next frame that is not */
};

bool text_frame(char *line, struct text_frame *frame);

/* "0xFROM/0xTO/P/X/A/CYCLES/TYPE/..." at *at, which then points behind it. */
bool text_branch(const char **at, struct perf_branch_entry *branch);

/* The rest of a line of --show-mmap-events: "PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]: r-xp PATH". */
struct text_mapping {
	int32_t pid;
	uint64_t start, size, offset;	/* of the file */
	bool has_code;
	char *path;
};

bool text_mapping(char *rest, struct text_mapping *mapping);

#endif
