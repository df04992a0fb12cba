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
 * What the kernel itself tells of tasks and their mappings: MMAP2 (with build
 * ids where it can read them), COMM, FORK, EXIT. Comes from a perf software
 * event that counts nothing, on each CPU, so that the PMU is not touched.
 */
struct sideband_cpu {
	unsigned int cpu;
	int fd;			/* -1: there is none, as of a CPU that is offline */
	bool returned;		/* it was opened anew */
	struct perf_event_mmap_page *page;	/* NULL: there is none */
	uint64_t tail;		/* bytes read */
	uint64_t head;		/* as of sideband_refresh() */
	char *record;		/* that was peeked at last */
};

struct sideband {
	struct perf_event_attr attr;	/* as opened */
	struct sideband_cpu *cpus;
	unsigned int nr;
	bool denied;			/* kernel.perf_event_paranoid and no right */
	size_t data_size;		/* bytes of each ring, a power of two */
};

/* The fields of PERF_SAMPLE_* that end every record, in the kernel's order;
 * they are those that SIDEBAND_SAMPLE_ID asks for. */
struct sideband_id {
	uint32_t pid, tid;
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint32_t cpu, reserved;
	uint64_t id;
};
/* What its records have as id, whatever CPU they come from: perf's own are of an event
 * that is opened anew where a CPU comes back. */
#define SIDEBAND_ID		(1ULL << 58)
#define SIDEBAND_SAMPLE_ID	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
				 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* What else it is to tell. */
struct sideband_more {
	bool cgroups;		/* CGROUP, of each that is made */
	bool data;		/* MMAP2 of what is not code, too */
};

/* Opens it on those of these CPUs that are online; from here on nothing is missed.
 * Returns 0 or -1 with a message; 0 with denied set, and no CPU, where we have no
 * right to it. */
int sideband_open(struct sideband *sideband, const struct cpulist *possible,
		  struct sideband_more more);
void sideband_close(struct sideband *sideband);

/* The CPU has come online, or has not been away at all: opens it there unless it is
 * open, and says whether it was opened. What the old one had has to be read before. */
bool sideband_return(struct sideband *sideband, struct sideband_cpu *cpu);

/* No more records come, those there can still be read. Warns of CPUs that were
 * offline meanwhile: of what began on them records are missing. */
void sideband_stop(struct sideband *sideband);

/* As in ring_reader.h: see what is new, look at the oldest, step over it, give
 * the room back. peek returns 1 and *record, 0 when there is none, -EPROTO when
 * what lies there is no record; *record is valid until the next peek. */
void sideband_refresh(struct sideband_cpu *cpu);
int sideband_peek(struct sideband *sideband, struct sideband_cpu *cpu,
		  const struct perf_event_header **record);
void sideband_consume(struct sideband_cpu *cpu, size_t size);
void sideband_release(struct sideband_cpu *cpu);

/* The end of a record that sideband_peek() gave. */
const struct sideband_id *sideband_id(const struct perf_event_header *record);

#endif
