// SPDX-License-Identifier: GPL-2.0
/* Finds the package of a file in dpkg's lists, which dpkg -S reads as well. */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "machine/machine.h"
#include "machine/package.h"

#define PACKAGE_LISTS	"/var/lib/dpkg/info"
#define PACKAGE_LARGEST	(16 << 20)	/* bytes of a list */

#define USR		"/usr"

/* Returns how long a beginning the names of a file and of a list have in common, marks apart:
 * "libstdc++.so.6" and "libstdc++6:amd64.list" have 9 letters and digits of it. */
static size_t likeness(const char *file, const char *list)
{
	size_t nr = 0;

	for (;;) {
		while (*file && !isalnum((unsigned char)*file))
			file++;
		while (*list && !isalnum((unsigned char)*list))
			list++;
		if (!*file || tolower((unsigned char)*file++) != tolower((unsigned char)*list++))
			return nr;
		nr++;
	}
}

struct list {
	char *name;
	size_t likeness;
};

/* Most like first. */
static int list_compare(const void *x, const void *y)
{
	const struct list *a = x, *b = y;

	return (a->likeness < b->likeness) - (a->likeness > b->likeness);
}

/* Returns the lists, those first that are most likely to have the path; NULL when memory is short. */
static struct list *lists_of(const char *path, size_t *nr)
{
	DIR *dir = opendir(PACKAGE_LISTS);
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	struct list *lists = NULL;
	struct dirent *entry;
	size_t max = 0;

	for (*nr = 0; dir && (entry = readdir(dir));) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".list"))
			continue;
		if (room_for(&lists, *nr + 1, &max, sizeof(*lists)))
			break;
		lists[*nr].name = strdup(entry->d_name);
		if (!lists[*nr].name)
			break;
		lists[(*nr)++].likeness = likeness(file, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (*nr)
		qsort(lists, *nr, sizeof(*lists), list_compare);
	return lists;
}

/* Whether a list has the path, or /usr and the path, as one of its lines; contents: room for them. */
static bool list_has(const char *name, const char *path, char *contents)
{
	char file[512];
	FILE *in;
	size_t size, length = strlen(path);
	const char *at = contents;

	snprintf(file, sizeof(file), "%s/%s", PACKAGE_LISTS, name);
	in = fopen(file, "re");
	if (!in)
		return false;
	size = fread(contents, 1, PACKAGE_LARGEST, in);
	fclose(in);
	contents[size] = '\0';
	while ((at = strstr(at, path))) {
		const bool usr = at - contents >= (int)strlen(USR) && !memcmp(at - strlen(USR), USR, strlen(USR));
		const char *line = usr ? at - strlen(USR) : at;

		if ((line == contents || line[-1] == '\n') && at[length] == '\n')
			return true;
		at += length;
	}
	return false;
}

/* The name of the package, without its architecture; false: none has the path. */
static bool package_of(const char *path, char *package, size_t size)
{
	char *contents = malloc(PACKAGE_LARGEST + 1);
	size_t nr;
	struct list *lists = lists_of(path, &nr);
	bool found = false;

	for (size_t i = 0; i < nr; i++) {
		if (!found && contents && list_has(lists[i].name, path, contents)) {
			snprintf(package, size, "%.*s", (int)strcspn(lists[i].name, ":."), lists[i].name);
			found = true;
		}
		free(lists[i].name);
	}
	free(lists);
	free(contents);
	return found;
}

void package_debug(const struct machine *machine, const char *path, char *command, size_t size)
{
	char package[256];

	snprintf(command, size, "install its debug symbols");
	if (machine_is_other(machine))
		return;
	if (!access("/usr/bin/dnf", X_OK)) {
		snprintf(command, size, "dnf debuginfo-install %s", path);
		return;
	}
	/* /lib is a link to /usr/lib; lists have either. */
	if (!strncmp(path, USR "/", strlen(USR "/")))
		path += strlen(USR);
	if (!package_of(path, package, sizeof(package)))
		return;
	/* Debian has them in packages of this name, all but a few in its debug archive. */
	snprintf(command, size, !strcmp(package, "libc6") ? "apt install %s-dbg" :
		 "apt install %s-dbgsym (from the debug archive)", package);
}
