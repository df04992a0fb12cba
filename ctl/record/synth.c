// SPDX-License-Identifier: GPL-2.0
/* Writes side records for the processes that are already running. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/err.h"
#include "base/numbered.h"
#include "record/callers.h"
#include "record/sideband.h"
#include "record/synth.h"

/* Bodies of the records, as in enum perf_event_type of <linux/perf_event.h>. */
struct synth_mmap_body {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
};

struct synth_mmap2_body {
	struct synth_mmap_body mmap;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t size, reserved[3];
			uint8_t bytes[BUILDID_MAX];
		} build_id;
	};
	uint32_t prot, flags;
};

struct synth_fork_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct synth_comm_body {
	uint32_t pid, tid;
};

/* Writes header, body, name (NULL: none) padded to 8 bytes, sample id. */
static int synth_record(struct synth *synth, struct perf_event_header header,
			const void *body, size_t body_size, const char *name,
			const struct sideband_id *id)
{
	char record[sizeof(header) + sizeof(struct synth_mmap2_body) +
		    PATH_MAX + 8 + sizeof(*id)] __attribute__((aligned(8)));
	size_t at = sizeof(header), len = name ? strnlen(name, PATH_MAX - 1) : 0;

	memcpy(record + at, body, body_size);
	at += body_size;
	if (name) {
		memset(record + at + len, 0, 8);
		memcpy(record + at, name, len);
		at += (len + 8) & ~7UL;
	}
	memcpy(record + at, id, sizeof(*id));
	header.size = at + sizeof(*id);
	memcpy(record, &header, sizeof(header));
	if (callers_record(synth->callers, (const struct perf_event_header *)record))
		return -1;
	return perfdata_write(synth->writer, record, header.size);
}

int synth_mmap(struct synth *synth, uint64_t addr, uint64_t len, uint64_t pgoff,
	       const char *name)
{
	struct synth_mmap_body body = { -1U, 0, addr, len, pgoff };
	struct perf_event_header header = {
		.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL,
	};
	struct sideband_id id = { .pid = -1U };

	return synth_record(synth, header, &body, sizeof(body), name, &id);
}

int synth_cgroup(struct synth *synth, uint64_t id, const char *path)
{
	struct perf_event_header header = { .type = PERF_RECORD_CGROUP };
	struct sideband_id trailer = {};

	return synth_record(synth, header, &id, sizeof(id), path, &trailer);
}

static int synth_thread(struct synth *synth, uint32_t pid, uint32_t tid)
{
	struct synth_fork_body fork = { pid, pid, tid, pid, synth->time };
	struct synth_comm_body comm = { pid, tid };
	struct sideband_id id = { .pid = pid, .tid = tid, .time = synth->time };
	struct perf_event_header header = { .type = PERF_RECORD_FORK };
	char path[64], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';

	if (pid != tid && synth_record(synth, header, &fork, sizeof(fork), NULL,
				       &id))
		return -1;
	header.type = PERF_RECORD_COMM;
	return synth_record(synth, header, &comm, sizeof(comm), name, &id);
}

/* Returns the build id of a mapped file: through map_files, which finds the file even if its
 * name is gone or is in another mount namespace, but needs privilege; else by its name, if that
 * is still the same file. */
static struct buildid synth_buildid(const struct synth_mmap2_body *body,
				    uint64_t inode, const char *name)
{
	const struct synth_mmap_body *m = &body->mmap;
	struct buildid id = {};
	struct stat status;
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", m->pid,
		 (unsigned long long)m->addr,
		 (unsigned long long)(m->addr + m->len));
	if (!access(path, R_OK))
		id = buildid_file(path);
	else if (!stat(name, &status) && status.st_ino == inode &&
		 status.st_dev == makedev(body->major, body->minor))
		id = buildid_file(name);
	return id;
}

/* One line of /proc/PID/maps. */
static int synth_mapping(struct synth *synth, uint32_t pid, char *line)
{
	struct synth_mmap2_body body = { .mmap = { .pid = pid, .tid = pid } };
	struct perf_event_header header = {
		.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER,
	};
	struct sideband_id id = { .pid = pid, .tid = pid, .time = synth->time };
	unsigned long long start, end, pgoff, inode;
	struct buildid build;
	const char *name;
	char perms[5];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms,
		   &pgoff, &body.major, &body.minor, &inode, &at) < 7 || !at ||
	    (perms[2] != 'x' && (!synth->data || perms[0] != 'r')))
		return 0;
	if (perms[2] != 'x')
		header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	name = line + at;
	line[strcspn(line, "\n")] = '\0';

	body.mmap.addr = start;
	body.mmap.len = end - start;
	body.mmap.pgoff = pgoff;
	body.inode = inode;
	body.prot = (perms[0] == 'r' ? PROT_READ : 0) |
		    (perms[1] == 'w' ? PROT_WRITE : 0) |
		    (perms[2] == 'x' ? PROT_EXEC : 0);
	body.flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (inode) {
		build = synth_buildid(&body, inode, name);
		if (build.size) {
			memset(&body.build_id, 0, sizeof(body.build_id));
			body.build_id.size = build.size;
			memcpy(body.build_id.bytes, build.bytes, build.size);
			header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		}
		if (buildid_table_add(synth->buildids, &build,
				      PERF_RECORD_MISC_USER, name))
			return -1;
	}
	/* "//anon" is the kernel's name for anonymous memory in these records. */
	return synth_record(synth, header, &body, sizeof(body),
			    *name ? name : "//anon", &id);
}

static int synth_mappings(struct synth *synth, uint32_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *file;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!err && getline(&line, &size, file) > 0)
		err = synth_mapping(synth, pid, line);
	free(line);
	fclose(file);
	return err;
}

/* Calls fn for each entry of a directory of /proc whose name is a number. */
static int synth_numbers(const char *path, struct synth *synth, uint32_t pid,
			 int (*fn)(struct synth *synth, uint32_t pid,
				   uint32_t number))
{
	DIR *dir = opendir(path);
	uint32_t number;
	int err = 0;

	while (dir && !err && numbered_next(dir, &number))
		err = fn(synth, pid, number);
	if (dir)
		closedir(dir);
	return err;
}

int synth_process(struct synth *synth, uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	if (synth_numbers(path, synth, pid, synth_thread))
		return -1;
	return synth_mappings(synth, pid);
}

static int synth_any(struct synth *synth,
		     uint32_t none __attribute__((unused)), uint32_t pid)
{
	return synth->only && !pidset_has(synth->only, pid) ? 0 :
	       synth_process(synth, pid);
}

int synth_all(struct synth *synth)
{
	return synth_numbers("/proc", synth, 0, synth_any);
}
