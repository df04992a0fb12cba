// SPDX-License-Identifier: GPL-2.0
/* Reads the kernel's task events (mappings, forks, names) through perf. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "record/sideband.h"

#define SIDEBAND_DATA_SIZE	(512U << 10)
#define SIDEBAND_RECORD_MAX	65536	/* header.size is 16 bits */

static int sideband_event(const struct perf_event_attr *attr, int cpu)
{
	return syscall(SYS_perf_event_open, attr, -1, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static void sideband_attr(struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = PERF_ATTR_SIZE_VER5;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = SIDEBAND_SAMPLE_ID;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = SIDEBAND_DATA_SIZE / 4;
}

/* Returns 0, also if the CPU is offline; or -1 and errno. */
static int sideband_open_cpu(struct sideband *sideband, struct sideband_cpu *s)
{
	size_t page = sysconf(_SC_PAGESIZE);

	if (!s->record)
		s->record = malloc(SIDEBAND_RECORD_MAX);
	if (!s->record)
		return -1;
	s->fd = sideband_event(&sideband->attr, s->cpu);
	if (s->fd < 0 && errno == EINVAL && sideband->attr.build_id) {
		/* Linux before 5.12 has no build ids in mapping records. */
		sideband->attr.build_id = 0;
		s->fd = sideband_event(&sideband->attr, s->cpu);
	}
	if (s->fd < 0)
		return errno == ENODEV ? 0 : -1;
	s->page = mmap(NULL, page + sideband->data_size,
		       PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->page != MAP_FAILED)
		return 0;
	s->page = NULL;
	return -1;
}

static void sideband_close_cpu(const struct sideband *sideband, struct sideband_cpu *s)
{
	if (s->page)
		munmap(s->page, sysconf(_SC_PAGESIZE) + sideband->data_size);
	if (s->fd >= 0)
		close(s->fd);
	s->page = NULL;
	s->fd = -1;
	s->head = s->tail = 0;
}

/* Returns the errno of the failed attempt to open, or 0. */
static int sideband_probe(const struct perf_event_attr *attr, unsigned int cpu)
{
	int fd = sideband_event(attr, cpu);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool sideband_denied(const struct perf_event_attr *attr, unsigned int cpu)
{
	struct perf_event_attr probe = *attr;
	int err;

	/* Unknown to older kernels, which would hide the other error. */
	probe.build_id = 0;
	err = sideband_probe(&probe, cpu);
	return err == EACCES || err == EPERM;
}

int sideband_open(struct sideband *sideband, const struct cpulist *possible,
		  struct sideband_more more)
{
	struct sideband_cpu *s;

	memset(sideband, 0, sizeof(*sideband));
	sideband_attr(&sideband->attr);
	sideband->attr.cgroup = more.cgroups;
	sideband->attr.mmap_data = more.data;
	sideband->data_size = SIDEBAND_DATA_SIZE;
	sideband->cpus = calloc(possible->nr, sizeof(*sideband->cpus));
	if (!sideband->cpus)
		return err_fail("out of memory");
	sideband->denied = sideband_denied(&sideband->attr, possible->cpus[0]);
	while (!sideband->denied && sideband->nr < possible->nr) {
		s = &sideband->cpus[sideband->nr];
		s->cpu = possible->cpus[sideband->nr++];
		s->fd = -1;
		if (!sideband_open_cpu(sideband, s))
			continue;
		err_errno("opening perf's task events on CPU %u", s->cpu);
		sideband_close(sideband);
		return -1;
	}
	return 0;
}

void sideband_close(struct sideband *sideband)
{
	unsigned int i;

	for (i = 0; i < sideband->nr; i++) {
		sideband_close_cpu(sideband, &sideband->cpus[i]);
		free(sideband->cpus[i].record);
	}
	free(sideband->cpus);
	sideband->cpus = NULL;
	sideband->nr = 0;
}

/* Returns the time that it was enabled in ns; 0 if it cannot be read. */
static uint64_t sideband_enabled(const struct sideband_cpu *s)
{
	uint64_t read_format[2];	/* count, ns enabled */

	if (read(s->fd, read_format, sizeof(read_format)) != sizeof(read_format))
		return 0;
	return read_format[1];
}

/*
 * perf drops an event without notice when its CPU goes offline (perf_event_exit_cpu() in
 * kernel/events/core.c); but its enabled time stops then.
 */
static bool sideband_survived(const struct sideband_cpu *s)
{
	/* With an unreliable TSC, perf's clock may have the resolution of the tick. */
	const struct timespec ticks = { .tv_nsec = 20000000 };
	uint64_t before;

	if (s->fd < 0)
		return false;
	before = sideband_enabled(s);
	if (sideband_enabled(s) > before)
		return true;
	nanosleep(&ticks, NULL);
	return sideband_enabled(s) > before;
}

bool sideband_return(struct sideband *sideband, struct sideband_cpu *s)
{
	if (sideband_survived(s))
		return false;
	sideband_close_cpu(sideband, s);
	if (sideband_open_cpu(sideband, s))
		err_warn("opening perf's task events on CPU %u: %s", s->cpu, strerror(errno));
	s->returned = true;
	return s->fd >= 0;
}

/* Warns about a CPU that was offline for a part of the recording. On a CPU that never came back
 * nothing was missed. */
static void sideband_warn(const struct sideband *sideband, const struct sideband_cpu *s)
{
	if (!sideband_survived(s) && sideband_probe(&sideband->attr, s->cpu) != ENODEV)
		err_warn("CPU %u was offline: programs and libraries that were started on it "
			 "afterwards are missing from the file; their samples have the previous "
			 "name, or a number",
			 s->cpu);
	else if (s->returned)
		err_warn("CPU %u was offline: a process that started when it came back, and "
			 "ended within some tenths of a second, is missing from the file",
			 s->cpu);
}

void sideband_stop(struct sideband *sideband)
{
	unsigned int i;

	for (i = 0; i < sideband->nr; i++) {
		struct sideband_cpu *s = &sideband->cpus[i];

		sideband_warn(sideband, s);
		if (s->fd >= 0)
			ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

void sideband_refresh(struct sideband_cpu *cpu)
{
	if (!cpu->page)
		return;
	/* Barriers as in struct perf_event_mmap_page of <linux/perf_event.h>. */
	cpu->head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE);
}

static struct sideband_id *sideband_trailer(const struct perf_event_header *record)
{
	return (void *)((char *)record + record->size - sizeof(struct sideband_id));
}

int sideband_peek(struct sideband *sideband, struct sideband_cpu *cpu,
		  const struct perf_event_header **record)
{
	size_t at = cpu->tail & (sideband->data_size - 1);
	size_t room = sideband->data_size - at;
	const struct perf_event_header *header;
	const char *data;

	if (cpu->tail == cpu->head)
		return 0;
	data = (const char *)cpu->page + cpu->page->data_offset;
	header = (const void *)(data + at);
	/* Records are multiples of 8 bytes, so a header never wraps. */
	if (header->size % 8 || header->size > cpu->head - cpu->tail ||
	    header->size < sizeof(*header) + sizeof(struct sideband_id))
		return -EPROTO;
	if (room > header->size)
		room = header->size;
	/* perf's ring is read-only here. */
	memcpy(cpu->record, header, room);
	memcpy(cpu->record + room, data, header->size - room);
	*record = (const void *)cpu->record;
	sideband_trailer(*record)->id = SIDEBAND_ID;
	return 1;
}

void sideband_consume(struct sideband_cpu *cpu, size_t size)
{
	cpu->tail += size;
}

void sideband_release(struct sideband_cpu *cpu)
{
	if (cpu->page)
		__atomic_store_n(&cpu->page->data_tail, cpu->tail, __ATOMIC_RELEASE);
}

const struct sideband_id *sideband_id(const struct perf_event_header *record)
{
	return sideband_trailer(record);
}
