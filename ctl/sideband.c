// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "sideband.h"

#define SIDEBAND_DATA_SIZE	(512U << 10)
#define SIDEBAND_RECORD_MAX	65536	/* header.size is 16 bits */
/* A CPU does not go offline and come back within this. */
#define SIDEBAND_SLACK_NS	20000000ULL

static int sideband_event(struct perf_event_attr *attr, int cpu)
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

static int sideband_open_cpu(struct sideband *sideband, unsigned int cpu,
			     struct sideband_cpu *s)
{
	size_t page = sysconf(_SC_PAGESIZE);

	s->cpu = cpu;
	s->fd = sideband_event(&sideband->attr, cpu);
	if (s->fd < 0 && errno == EINVAL && sideband->attr.build_id) {
		/* Linux before 5.12 gives no build ids with mappings. */
		sideband->attr.build_id = 0;
		s->fd = sideband_event(&sideband->attr, cpu);
	}
	if (s->fd < 0)
		return err_errno("opening perf's task events on CPU %u", cpu);
	if (ioctl(s->fd, PERF_EVENT_IOC_ID, &s->id))
		return err_errno("opening perf's task events on CPU %u", cpu);
	s->page = mmap(NULL, page + sideband->data_size,
		       PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->page == MAP_FAILED) {
		s->page = NULL;
		return err_errno("mapping perf's task events of CPU %u", cpu);
	}
	s->whole = malloc(SIDEBAND_RECORD_MAX);
	if (!s->whole)
		return err_fail("out of memory");
	return 0;
}

static bool sideband_denied(const struct perf_event_attr *attr, unsigned int cpu)
{
	struct perf_event_attr probe = *attr;
	int fd;

	/* Not known everywhere, which would be said first. */
	probe.build_id = 0;
	fd = sideband_event(&probe, cpu);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EACCES || errno == EPERM);
}

static uint64_t sideband_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int sideband_open(struct sideband *sideband, const struct cpulist *online,
		  struct sideband_more more)
{
	unsigned int i;

	memset(sideband, 0, sizeof(*sideband));
	sideband_attr(&sideband->attr);
	sideband->attr.cgroup = more.cgroups;
	sideband->attr.mmap_data = more.data;
	sideband->data_size = SIDEBAND_DATA_SIZE;
	sideband->cpus = calloc(online->nr, sizeof(*sideband->cpus));
	if (!sideband->cpus)
		return err_fail("out of memory");
	sideband->denied = sideband_denied(&sideband->attr, online->cpus[0]);
	for (i = 0; !sideband->denied && i < online->nr; i++) {
		sideband->nr++;
		if (sideband_open_cpu(sideband, online->cpus[i],
				      &sideband->cpus[i])) {
			sideband_close(sideband);
			return -1;
		}
	}
	sideband->opened = sideband_now();
	return 0;
}

void sideband_close(struct sideband *sideband)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int i;

	for (i = 0; i < sideband->nr; i++) {
		struct sideband_cpu *s = &sideband->cpus[i];

		if (s->page)
			munmap(s->page, page + sideband->data_size);
		if (s->fd >= 0)
			close(s->fd);
		free(s->whole);
	}
	free(sideband->cpus);
	sideband->cpus = NULL;
	sideband->nr = 0;
}

/*
 * perf drops an event for good when its CPU goes offline, and says so to
 * nobody (perf_event_exit_cpu() in kernel/events/core.c); but the time that it
 * was enabled stands still from then on.
 */
static bool sideband_survived(const struct sideband *sideband,
			      const struct sideband_cpu *s)
{
	uint64_t read_format[2];	/* count, ns enabled */
	uint64_t since = sideband_now() - sideband->opened;

	if (read(s->fd, read_format, sizeof(read_format)) !=
	    sizeof(read_format))
		return false;
	/* The two clocks differ by what NTP corrects, 500 ppm at most. */
	return since - since / 1000 < read_format[1] + SIDEBAND_SLACK_NS;
}

void sideband_stop(struct sideband *sideband)
{
	unsigned int i;

	for (i = 0; i < sideband->nr; i++) {
		struct sideband_cpu *s = &sideband->cpus[i];

		if (!sideband_survived(sideband, s))
			err_warn("CPU %u was offline: programs and libraries that were started on it afterwards are missing from the file, and their samples go by their parent's name",
				 s->cpu);
		ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

void sideband_refresh(struct sideband_cpu *cpu)
{
	/* The barriers are those of struct perf_event_mmap_page in
	 * <linux/perf_event.h>. */
	cpu->head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE);
}

int sideband_peek(struct sideband *sideband, struct sideband_cpu *cpu,
		  const struct perf_event_header **record)
{
	const char *data = (const char *)cpu->page + cpu->page->data_offset;
	size_t at = cpu->tail & (sideband->data_size - 1);
	size_t room = sideband->data_size - at;
	const struct perf_event_header *header = (const void *)(data + at);

	if (cpu->tail == cpu->head)
		return 0;
	/* Records are multiples of 8 bytes, so a header never wraps. */
	if (header->size % 8 || header->size > cpu->head - cpu->tail ||
	    header->size < sizeof(*header) + sizeof(struct sideband_id))
		return -EPROTO;
	if (header->size > room) {
		memcpy(cpu->whole, header, room);
		memcpy(cpu->whole + room, data, header->size - room);
		header = (const void *)cpu->whole;
	}
	*record = header;
	return 1;
}

void sideband_consume(struct sideband_cpu *cpu, size_t size)
{
	cpu->tail += size;
}

void sideband_release(struct sideband_cpu *cpu)
{
	__atomic_store_n(&cpu->page->data_tail, cpu->tail, __ATOMIC_RELEASE);
}

const struct sideband_id *sideband_id(const struct perf_event_header *record)
{
	return (const void *)((const char *)record + record->size -
			      sizeof(struct sideband_id));
}
