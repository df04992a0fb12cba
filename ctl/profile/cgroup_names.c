// SPDX-License-Identifier: GPL-2.0
/* The paths of cgroups by their ids. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "profile/cgroup_names.h"

/* Returns the index of the first path whose id is not smaller. */
static size_t cgroups_find(const struct cgroups *cgroups, uint64_t id)
{
	return search_front(cgroups->nr, i, cgroups->list[i].id < id);
}

/* Layout: header, u64 id, path with its NUL (<linux/perf_event.h>). */
int cgroups_record(struct cgroups *cgroups, const struct perfdata_record *r)
{
	const size_t head = sizeof(struct perf_event_header) + 8;
	struct cgroups_cgroup *new;
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
	if (room_for(&cgroups->list, cgroups->nr + 1, &cgroups->max, sizeof(*new))) {
		free(path);
		return -1;
	}
	new = &cgroups->list[at];
	memmove(new + 1, new, (cgroups->nr++ - at) * sizeof(*new));
	*new = (struct cgroups_cgroup){ id, path };
	return 0;
}

void cgroups_free(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++)
		free(cgroups->list[i].path);
	free(cgroups->list);
	memset(cgroups, 0, sizeof(*cgroups));
}

const char *cgroups_path(const struct cgroups *cgroups, uint64_t id)
{
	size_t at = cgroups_find(cgroups, id);

	return at < cgroups->nr && cgroups->list[at].id == id ?
	       cgroups->list[at].path : NULL;
}
