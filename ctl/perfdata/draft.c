// SPDX-License-Identifier: GPL-2.0
/* Builds a record of perf.data. */
#include <limits.h>
#include <string.h>

#include "perfdata/draft.h"

void perfdata_draft_begin(struct perfdata_draft *d, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	memcpy(d->bytes, &header, sizeof(header));
	d->size = sizeof(header);
}

void perfdata_draft_misc(struct perfdata_draft *d, uint16_t misc)
{
	memcpy(d->bytes + offsetof(struct perf_event_header, misc), &misc, sizeof(misc));
}

void perfdata_draft_put(struct perfdata_draft *d, const void *bytes, size_t size)
{
	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
}

void perfdata_draft_u32(struct perfdata_draft *d, uint32_t value)
{
	perfdata_draft_put(d, &value, sizeof(value));
}

void perfdata_draft_u64(struct perfdata_draft *d, uint64_t value)
{
	perfdata_draft_put(d, &value, sizeof(value));
}

void perfdata_draft_text(struct perfdata_draft *d, const char *text)
{
	static const char zeros[8];
	size_t len = strnlen(text, PATH_MAX);

	perfdata_draft_put(d, text, len);
	perfdata_draft_put(d, zeros, 8 - len % 8);
}

int perfdata_draft_end(struct perfdata_draft *d, struct perfdata_writer *writer)
{
	const uint16_t size = d->size;

	memcpy(d->bytes + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return perfdata_write(writer, d->bytes, d->size) ? -1 : 0;
}
