// SPDX-License-Identifier: GPL-2.0
/* Checks whether functions will have names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/checks.h"
#include "object/kallsyms.h"
#include "object/object.h"

void checks_kernel_names(struct checks *c)
{
	const char *why;
	struct kernel *kernel = kernel_open(NULL, NULL, 0, NULL, 0, &why);

	if (kernel)
		checks_add(c, "kernel names", CHECKS_OK, "the kernel's functions have names");
	else
		checks_mend(checks_add(c, "kernel names", CHECKS_NOTE, "the kernel's functions "
				       "have no names: %s", why),
			    "sysctl kernel.kptr_restrict=0");
	kernel_close(kernel);
}

/* pid: the process whose view of the path is used; 0: lbrctl's. */
static void checks_object(struct checks *c, const char *path, uint32_t pid)
{
	enum object_state state;
	struct object *object = object_open(NULL, pid, path, NULL, 0, &state);
	struct checks_finding *f;

	if (!object) {
		checks_add(c, "symbols", CHECKS_NOTE, "%s: %s", path,
			   state == OBJECT_MISSING ? "cannot be read" :
						     "is not an ELF file");
		return;
	}
	if (object_has_symtab(object)) {
		checks_add(c, "symbols", CHECKS_OK, "%s has symbols", path);
	} else if (object_has_gotable(object)) {
		checks_add(c, "symbols", CHECKS_OK, "%s has no symbols, but Go's table of its "
			   "functions", path);
	} else {
		f = checks_add(c, "symbols", CHECKS_NOTE, "%s has no symbols and no debug file: "
			       "call stacks are not affected, but only exported functions have "
			       "names", path);
		checks_mend(f, "let lbrctl report --debuginfod fetch its debug file, or "
			    "find-dbgsym-packages --install %s (of debian-goodies)", path);
	}
	object_close(object);
}

void checks_file_names(struct checks *c, const char *path)
{
	checks_object(c, path, 0);
}

/* Finds the next executable mapping of a file, "/..." in path, other than last. */
static char *checks_mapped(FILE *maps, char **line, size_t *size, const char *last)
{
	char *path, access[5];

	while (getline(line, size, maps) > 0) {
		path = strchr(*line, '/');
		if (!path || sscanf(*line, "%*s %4s", access) != 1 || access[2] != 'x')
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (strcmp(path, last))
			return path;
	}
	return NULL;
}

void checks_process_names(struct checks *c, uint32_t pid)
{
	char name[32], last[4096] = "", *line = NULL, *path;
	size_t size = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	maps = fopen(name, "re");
	if (!maps) {
		checks_mend(checks_add(c, "symbols", CHECKS_NOTE, "process %u: %s", pid,
				       strerror(errno)),
			    errno == EACCES ? "run lbrctl doctor as root" : "ps -e");
		return;
	}
	while ((path = checks_mapped(maps, &line, &size, last))) {
		checks_object(c, path, pid);
		snprintf(last, sizeof(last), "%s", path);
	}
	free(line);
	fclose(maps);
}
