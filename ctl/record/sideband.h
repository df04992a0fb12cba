/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the kernel's task events (mappings, forks, names) through perf. */
#ifndef LBRCTL_RECORD_SIDEBAND_H
#define LBRCTL_RECORD_SIDEBAND_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"

/*
 * The kernel's records of tasks and mappings: MMAP2 (with build ids if the kernel can read
 * them), COMM, FORK, EXIT. They come from a perf software event on each CPU that counts
 * nothing, so the PMU is not touched.
 */
struct sideband_cpu {
	unsigned int cpu;
	int fd;			/* -1: not open, for example because the CPU is offline */
	bool returned;		/* it was opened again */
	struct perf_event_mmap_page *page;	/* NULL: none */
	uint64_t tail;		/* bytes read */
	uint64_t head;		/* as of sideband_refresh() */
	char *record;		/* the record that was last peeked at */
};

struct sideband {
	struct perf_event_attr attr;	/* as opened */
	struct sideband_cpu *cpus;
	unsigned int nr;
	bool denied;			/* by kernel.perf_event_paranoid, and we lack the
					 * privilege
					 */
	size_t data_size;		/* bytes of each ring, a power of two */
};

/* The PERF_SAMPLE_* fields at the end of every record, in the kernel's order;
 * SIDEBAND_SAMPLE_ID requests them. */
struct sideband_id {
	uint32_t pid, tid;
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint32_t cpu, reserved;
	uint64_t id;
};
/* The id of its records from all CPUs: perf's own ids change when an event is opened again
 * because a CPU came back. */
#define SIDEBAND_ID		(1ULL << 58)
#define SIDEBAND_SAMPLE_ID	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
				 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Additional records. */
struct sideband_more {
	bool cgroups;		/* CGROUP, for each new cgroup */
	bool data;		/* MMAP2 for mappings that are not code, too */
};

/* Opens the event on those of these CPUs that are online; from here on nothing is missed.
 * Returns 0, or -1 with a message; 0 with denied set, and without CPUs, if we lack the
 * privilege. */
int sideband_open(struct sideband *sideband, const struct cpulist *possible,
		  struct sideband_more more);
void sideband_close(struct sideband *sideband);

/* Opens the event if the CPU has come online again. Returns whether it did so. Read the
 * records of the old event before. */
bool sideband_return(struct sideband *sideband, struct sideband_cpu *cpu);

/* Stops the records; those that exist can still be read. Warns about CPUs that were offline
 * meanwhile, whose records are incomplete. */
void sideband_stop(struct sideband *sideband);

/* As in module/ring.h: refresh, peek at the oldest record, consume it, release the space. peek
 * returns 1 and *record; 0 without a record; -EPROTO if the data is not a record. *record is
 * valid until the next peek. */
void sideband_refresh(struct sideband_cpu *cpu);
int sideband_peek(struct sideband *sideband, struct sideband_cpu *cpu,
		  const struct perf_event_header **record);
void sideband_consume(struct sideband_cpu *cpu, size_t size);
void sideband_release(struct sideband_cpu *cpu);

/* The fields at the end of a record from sideband_peek(). */
const struct sideband_id *sideband_id(const struct perf_event_header *record);

#endif
