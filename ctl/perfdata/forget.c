// SPDX-License-Identifier: GPL-2.0
/* Releases pages of a mapped capture that have been read. */
#include <sys/mman.h>

#include "perfdata/parse.h"

void perfdata_forget(const unsigned char *base, uint64_t *forgotten, uint64_t offset)
{
	const uint64_t step = 512 << 10;

	/* Records are read a second time, in order: their pages are released again. */
	if (offset < *forgotten)
		*forgotten = offset / step * step;
	if (offset - *forgotten < 2 * step)
		return;
	madvise((void *)(base + *forgotten), step, MADV_DONTNEED);
	*forgotten += step;
}
