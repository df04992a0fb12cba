// SPDX-License-Identifier: GPL-2.0
/* The paths of cgroups by their ids. */
#include <stdlib.h>
#include <string.h>

#include "profile/cgroup_names.h"

/* The first whose id is not smaller. */
static size_t cgroups_find(const struct cgroups *cgroups, uint64_t id)
{
	size_t low = 0, high = cgroups->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cgroups->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Layout: header, u64 id, path with its NUL (<linux/perf_event.h>). */
int cgroups_record(struct cgroups *cgroups, const struct perfdata_record *r)
{
	const size_t head = sizeof(struct perf_event_header) + 8;
	struct cgroups_cgroup *list;
	uint64_t id;
	size_t at;
	char *path;

	if (r->body_size <= head)
		return 0;
	id = perfdata_u64(r->data + head - 8);
	at = cgroups_find(cgroups, id);
	path = strndup((const char *)r->data + head, r->body_size - head);
	if (!path)
		return -1;
	if (at < cgroups->nr && cgroups->list[at].id == id) {
		free(cgroups->list[at].path);
		cgroups->list[at].path = path;
		return 0;
	}
	list = realloc(cgroups->list, (cgroups->nr + 1) * sizeof(*list));
	if (!list) {
		free(path);
		return -1;
	}
	memmove(list + at + 1, list + at, (cgroups->nr++ - at) * sizeof(*list));
	list[at] = (struct cgroups_cgroup){ id, path };
	cgroups->list = list;
	return 0;
}

void cgroups_free(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++)
		free(cgroups->list[i].path);
	free(cgroups->list);
	cgroups->list = NULL;
	cgroups->nr = 0;
}

const char *cgroups_path(const struct cgroups *cgroups, uint64_t id)
{
	size_t at = cgroups_find(cgroups, id);

	return at < cgroups->nr && cgroups->list[at].id == id ?
	       cgroups->list[at].path : NULL;
}
