/* SPDX-License-Identifier: GPL-2.0 */
/* An event of a capture, as its writer and its reader describe it. */
#ifndef LBRCTL_PERFDATA_EVENT_H
#define LBRCTL_PERFDATA_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* name and ids belong to the caller of perfdata_write_open(), or to the perfdata_file. */
struct perfdata_event {
	struct perf_event_attr attr;	/* the writer sets attr.size; fields that a file
					 * lacks are 0 */
	const char *name;		/* never NULL */
	const uint64_t *ids;		/* ids of its records */
	size_t nr_ids;
	unsigned int leads;		/* for the writer: this many events, from this one on,
					 * are a group; 0: it is not a leader
					 */
};

#endif
