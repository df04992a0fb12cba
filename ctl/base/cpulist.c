// SPDX-License-Identifier: GPL-2.0
/* Lists of CPUs, as the kernel and options write them ("0-3,8"). */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/grow.h"

/* More than any x86 kernel can be built for (CONFIG_NR_CPUS is 8192). */
#define CPULIST_MAX	65536

void cpulist_free(struct cpulist *list)
{
	free(list->cpus);
	*list = (struct cpulist){ 0 };
}

static int cpulist_add(struct cpulist *list, unsigned long first,
		       unsigned long last)
{
	if (last < first || last >= CPULIST_MAX ||
	    (list->nr && first <= list->cpus[list->nr - 1]))
		return -EINVAL;
	if (room_for(&list->cpus, list->nr + last - first + 1, &list->max,
		     sizeof(*list->cpus)))
		return -ENOMEM;
	for (; first <= last; first++)
		list->cpus[list->nr++] = first;
	return 0;
}

static int cpulist_parse(struct cpulist *list, const char *text)
{
	unsigned long first, last;
	char *end;
	int err;

	memset(list, 0, sizeof(*list));
	do {
		err = -EINVAL;
		if (!isdigit((unsigned char)*text))
			goto fail;
		first = last = strtoul(text, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		err = cpulist_add(list, first, last);
		if (err)
			goto fail;
		text = end + 1;
	} while (*end == ',');
	if (!*end || *end == '\n')
		return 0;
	err = -EINVAL;
fail:
	cpulist_free(list);
	return err;
}

#define CPULIST_FOLDER	"/sys/devices/system/cpu/"

int cpulist_text(const char *which, char *text, size_t size)
{
	char path[64];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), CPULIST_FOLDER "%s", which);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	got = fgets(text, size, file);
	fclose(file);
	if (!got || !isdigit((unsigned char)text[0]))
		return -EINVAL;
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int cpulist_read(struct cpulist *list, const char *which)
{
	char text[4096];
	int err = cpulist_text(which, text, sizeof(text));

	if (err && err != -EINVAL) {
		errno = -err;
		return err_errno("reading " CPULIST_FOLDER "%s", which);
	}
	if (!err)
		err = cpulist_parse(list, text);
	if (err == -ENOMEM)
		return err_fail("out of memory");
	return err ? err_fail(CPULIST_FOLDER "%s is not a list of CPUs", which) : 0;
}

int cpulist_option(const char *verb, struct cpulist *list, const char *text)
{
	int err;

	cpulist_free(list);
	err = cpulist_parse(list, text);
	if (err == -ENOMEM) {
		err_fail("-C %s: out of memory", text);
		return ERR_EXIT_FAILED;
	}
	return err ? err_usage(verb, "-C %s: expected a list of CPUs in the kernel's format, "
			       "such as 0-3,8",
			       text) : 0;
}
