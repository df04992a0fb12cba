// SPDX-License-Identifier: GPL-2.0
/* Finds the processes that hold the PMU through perf events. */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numbered.h"
#include "module/holders.h"
#include "module/netlink.h"
#include "module/watchdog.h"

#define HOLDERS_MAX	8	/* at most this many are named */

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

static void holders_comm(uint32_t pid, char *comm, size_t size)
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, size, file))
		snprintf(comm, size, "?");
	if (file)
		fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
}

static const struct {
	const char *file;	/* the name of an open file, as readlink() returns it; '#'
				 * stands for a number
				 */
	enum holders_kind kind;
	const char *format;	/* for its name and pid */
} holders_files[] = {
	{ "anon_inode:[perf_event]", HOLDERS_PERF, "%s (pid %u, has perf events)" },
	{ "anon_inode:kvm-vcpu", HOLDERS_KVM, "%s (pid %u, runs a virtual machine)" },
	{ "/dev/cpu/#/msr", HOLDERS_MSR, "%s (pid %u, has /dev/cpu/*/msr open)" },
};

/* Whether text begins with the pattern. */
static bool holders_match(const char *text, const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*text++ != *pattern)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return false;
		text += strspn(text, "0123456789");
	}
	return true;
}

/* Returns a format for the process's name and pid if one of its files is of these kinds, else
 * NULL. */
static const char *holders_format(uint32_t pid, unsigned int kinds)
{
	char path[48], target[64];
	const char *format = NULL;
	uint32_t number;
	ssize_t len;
	size_t i;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	while (dir && !format && numbered_next(dir, &number)) {
		snprintf(path, sizeof(path), "/proc/%u/fd/%u", pid, number);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		for (i = 0; i < sizeof(holders_files) / sizeof(*holders_files); i++)
			if (kinds & holders_files[i].kind &&
			    holders_match(target, holders_files[i].file))
				format = holders_files[i].format;
	}
	if (dir)
		closedir(dir);
	return format;
}

static void holders_processes(struct holders *h, unsigned int kinds)
{
	const uint32_t self = getpid();
	DIR *dir = opendir("/proc");
	const char *format;
	char comm[64];
	uint32_t pid;

	while (dir && numbered_next(dir, &pid)) {
		format = pid == self ? NULL : holders_format(pid, kinds);
		if (!format)
			continue;
		holders_comm(pid, comm, sizeof(comm));
		holders_add(h, format, comm, pid);
	}
	if (dir)
		closedir(dir);
}

unsigned int holders_list(unsigned int kinds, char *out, size_t size)
{
	struct holders h = { .out = out, .size = size };

	*out = '\0';
	holders_processes(&h, kinds);
	return h.nr;
}

void holders_describe(char *out, size_t size)
{
	char list[384] = "";
	struct holders h = { .out = list, .size = sizeof(list) };

	if (guardian_watchdog_on())
		holders_add(&h, "%s (kernel.nmi_watchdog = %u)",
			    "the NMI watchdog", 1);
	holders_processes(&h, HOLDERS_PERF | HOLDERS_KVM);
	if (h.nr)
		snprintf(out, size, "perhaps %s%s; end it and try again", list,
			 h.nr > HOLDERS_MAX ? " or others" : "");
	else
		snprintf(out, size, "no process with perf events or virtual machines is "
			 "visible; perhaps a BPF program or a driver in the kernel");
}

const char *control_owner(const struct control_info *info, char *buffer, size_t size)
{
	if (info->owner_pid)
		snprintf(buffer, size, "%s, pid %u", info->owner_comm, info->owner_pid);
	else if (info->owner_comm[0])
		snprintf(buffer, size, "%s, in another pid namespace", info->owner_comm);
	else
		snprintf(buffer, size, "a process of another user");
	return buffer;
}
