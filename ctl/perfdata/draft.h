/* SPDX-License-Identifier: GPL-2.0 */
/* A record of perf.data that is built field by field (perf_event_open(2), "MMAP layout"). */
#ifndef LBRCTL_PERFDATA_DRAFT_H
#define LBRCTL_PERFDATA_DRAFT_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/write.h"

/* The caller takes care that a record has room: PERFDATA_RECORD_MAX - 8 bytes. */
struct perfdata_draft {
	_Alignas(uint64_t) unsigned char bytes[PERFDATA_RECORD_MAX];
	size_t size;
};

/* misc: PERF_RECORD_MISC_*. */
void perfdata_draft_begin(struct perfdata_draft *draft, uint32_t type, uint16_t misc);
void perfdata_draft_misc(struct perfdata_draft *draft, uint16_t misc);
void perfdata_draft_put(struct perfdata_draft *draft, const void *bytes, size_t size);
void perfdata_draft_u32(struct perfdata_draft *draft, uint32_t value);
void perfdata_draft_u64(struct perfdata_draft *draft, uint64_t value);
/* With its NUL, and zeros up to a multiple of 8; at most PATH_MAX bytes of it. */
void perfdata_draft_text(struct perfdata_draft *draft, const char *text);
/* Passes the record to the writer. Returns 0, or -1 with a message. */
int perfdata_draft_end(struct perfdata_draft *draft, struct perfdata_writer *writer);

#endif
