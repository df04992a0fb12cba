/* SPDX-License-Identifier: GPL-2.0 */
/* The user registers of a sample, in the order of DWARF. */
#ifndef LBRCTL_STACKS_REGISTERS_H
#define LBRCTL_STACKS_REGISTERS_H

#include "perfdata/read.h"

/* Gets those that call frame information refers to: OBJECT_CFI_NR_REGISTERS of them. Returns false
 * if some were not recorded. */
bool registers_of(const struct perf_event_attr *attr, const struct perfdata_sample *sample,
		  uint64_t *out);

/* Gets the instruction pointer of user mode. Returns false if it was not recorded. */
bool registers_ip(const struct perf_event_attr *attr, const struct perfdata_sample *sample, uint64_t *ip);

#endif
