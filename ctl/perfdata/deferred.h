/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User call chains that the kernel took when a task went back to user mode (perf record --call-graph
 * fp,defer, since Linux 6.19). The chain of a sample then ends with PERF_CONTEXT_USER_DEFERRED and
 * a cookie; a later record has the chain of that cookie, for all samples with it:
 *
 *   PERF_RECORD_CALLCHAIN_DEFERRED	u64 cookie, u64 nr, u64[nr] addresses, sample_id
 *
 * (include/uapi/linux/perf_event.h).
 */
#ifndef LBRCTL_PERFDATA_DEFERRED_H
#define LBRCTL_PERFDATA_DEFERRED_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/read.h"

struct deferred {
	struct deferred_chain *list;	/* by cookie */
	size_t nr, max;
	bool read;			/* the records were looked for */
	unsigned char *joined;		/* the chain of the last sample that had two parts */
	size_t room;
};

/* Whether the user part of the sample's chain is in another record. */
bool deferred_is(const struct perfdata_sample *sample);

/* Joins the two parts of a chain; without the second one, the sample has no user chain. The records
 * lie in data[begin..end). Returns 0, or -1 when memory is short. The chain is valid until the next call. */
int deferred_join(struct deferred *deferred, const unsigned char *data, uint64_t begin, uint64_t end,
		  struct perfdata_sample *sample);
void deferred_free(struct deferred *deferred);

#endif
