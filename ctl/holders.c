// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guardian.h"
#include "holders.h"

#define HOLDERS_MAX	8	/* named at most */

struct holders {
	char *out;
	size_t size;
	unsigned int nr;
};

static void holders_add(struct holders *h, const char *format, const char *name,
			unsigned int pid)
{
	size_t len = strlen(h->out);

	if (h->nr++ >= HOLDERS_MAX)
		return;
	len += snprintf(h->out + len, h->size - len, "%s",
			h->nr > 1 ? ", " : "");
	if (len < h->size)
		snprintf(h->out + len, h->size - len, format, name, pid);
}

static void holders_comm(const char *pid, char *comm, size_t size)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, size, file))
		snprintf(comm, size, "?");
	if (file)
		fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
}

/* What of a process can hold counters, by the names of its files: NULL, or a
 * format for its name and pid. */
static const char *holders_kind(const char *pid)
{
	char path[600], target[64];
	const char *kind = NULL;
	struct dirent *entry;
	ssize_t len;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !kind && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid,
			 entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strcmp(target, "anon_inode:[perf_event]"))
			kind = "%s (pid %u, has perf events)";
		else if (!strncmp(target, "anon_inode:kvm-vcpu", 19))
			kind = "%s (pid %u, runs a virtual machine)";
	}
	if (dir)
		closedir(dir);
	return kind;
}

void holders_describe(char *out, size_t size)
{
	char list[384] = "", comm[64];
	struct holders h = { .out = list, .size = sizeof(list) };
	unsigned int self = getpid(), pid;
	struct dirent *entry;
	const char *kind;
	DIR *dir;

	if (guardian_watchdog_on())
		holders_add(&h, "%s (kernel.nmi_watchdog = %u)",
			    "the NMI watchdog", 1);
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir))) {
		pid = strtoul(entry->d_name, NULL, 10);
		if (!isdigit((unsigned char)entry->d_name[0]) || pid == self)
			continue;
		kind = holders_kind(entry->d_name);
		if (!kind)
			continue;
		holders_comm(entry->d_name, comm, sizeof(comm));
		holders_add(&h, kind, comm, pid);
	}
	if (dir)
		closedir(dir);
	if (h.nr)
		snprintf(out, size, "it may be %s%s; end it and try again", list,
			 h.nr > HOLDERS_MAX ? " or others" : "");
	else
		snprintf(out, size, "no process with perf events or virtual "
			 "machines is to be seen; it may be in the kernel, as a "
			 "BPF program or a driver is");
}
