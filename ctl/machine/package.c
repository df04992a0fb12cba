// SPDX-License-Identifier: GPL-2.0
/* Finds the package of a file in dpkg's lists, which dpkg -S reads as well. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/package.h"

#define PACKAGE_LISTS	"/var/lib/dpkg/info"
#define PACKAGE_LARGEST	(16 << 20)	/* bytes of a list */

#define USR		"/usr"

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
	DIR *lists = contents ? opendir(PACKAGE_LISTS) : NULL;
	struct dirent *entry;
	bool found = false;

	while (lists && !found && (entry = readdir(lists))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".list"))
			continue;
		found = list_has(entry->d_name, path, contents);
		if (found)
			snprintf(package, size, "%.*s", (int)strcspn(entry->d_name, ":."),
				 entry->d_name);
	}
	if (lists)
		closedir(lists);
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
