/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads perf.data files of lbrctl and of Linux perf, in bounded memory.
 *
 * Nothing in the file is trusted: every length is checked before use. A file whose records
 * have an unknown layout is refused with a message before any of it is used.
 */
#ifndef LBRCTL_PERFDATA_READ_H
#define LBRCTL_PERFDATA_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <string.h>

#include "perfdata/event.h"
#include "perfdata/format.h"

struct machine;
#include "perfdata/losses.h"

struct perfdata_file;

/* A build id that the file lists for a file name; owned by the file. */
struct perfdata_known_id {
	char *filename;
	uint8_t build_id[20];
	uint8_t size;
	bool kernel;
};

/* The header features of the file; strings are NULL if missing. */
struct perfdata_info {
	struct machine *machine;	/* whose files it names */
	char *hostname;
	char *osrelease;
	char *arch;
	char *version;
	char *cmdline;			/* arguments joined by blanks */
	struct perfdata_known_id *known_ids;
	size_t nr_known_ids, max_known_ids;
	bool named;			/* the file named its events */
	unsigned int lbr_depth;		/* entries; 0: not known */
	/* Time of day in ns of clock wall_clockid's 0, modulo 2^64, if wall_known. */
	uint64_t wall;
	uint32_t wall_clockid;
	bool wall_known;
	time_t written;			/* time of the file's last writing; 0: of a pipe */
	/* Why the end is missing: "killed" (the recorder was killed or is still running),
	 * "truncated", or NULL if it is not. For a pipe this is known at the end. */
	const char *cut;
	struct perfdata_audit *audits;	/* by pid, ascending */
	size_t nr_audits;		/* number of audited processes */
	bool audited;			/* samples were to be audited */
	struct losses losses;
	bool traced;			/* it has AUX data, which are not decoded; known at the end */
};

/* Arrays point into the record and may be unaligned: use perfdata_u64(). */
struct perfdata_sample {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	bool has_cpu, has_time;
	const unsigned char *chain;	/* u64 each; NULL if not sampled */
	uint64_t chain_nr;
	const unsigned char *branches;	/* struct perf_branch_entry each,
					 * newest first; NULL if not sampled */
	uint64_t branches_nr;
	uint64_t regs_abi;		/* PERF_SAMPLE_REGS_ABI_* */
	const unsigned char *regs;	/* of user mode, u64 each, those of the event's
					 * sample_regs_user; NULL if not sampled */
	const unsigned char *stack;	/* user memory from the stack pointer on;
					 * NULL if not sampled */
	uint64_t stack_size;		/* bytes that could be read */
	uint64_t cgroup;		/* id; 0 if not sampled */
	const unsigned char *raw;	/* bytes; NULL if not sampled */
	uint32_t raw_size;
	const unsigned char *text;	/* the raw data, or what lbrctl has put behind those of
					 * an off-CPU time; NULL if there are none */
	uint32_t text_size;
	const unsigned char *read;	/* of a group's events, read_nr of read_size bytes:
					 * u64 count and the other fields of its read_format;
					 * NULL if not sampled */
	uint64_t read_nr;
	size_t read_size;
};

/* One record of the data section. The pointers are valid until the next perfdata_next(). */
struct perfdata_record {
	const unsigned char *data;	/* with its struct perf_event_header */
	size_t size;			/* bytes, header included */
	size_t body_size;		/* as size, without the sample_id trailer */
	uint64_t offset;		/* in the file, for messages */
	uint32_t type;
	uint16_t misc;
	const struct perfdata_event *event;	/* NULL for user-space records */
	uint64_t time;			/* ns; the previous record's if it has none */
	uint32_t pid, tid;		/* of the trailer or sample, else 0 */
	struct perfdata_sample sample;	/* only for a PERF_RECORD_SAMPLE */
};

static inline uint64_t perfdata_u64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t perfdata_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Opens a capture, the folder of one (folder.h), or the archive with one. Returns NULL, with the reason printed, when the file cannot be read. */
struct perfdata_file *perfdata_open(const char *path);
void perfdata_close(struct perfdata_file *file);

/* The bytes of the whole file, valid until perfdata_close(). NULL with a message if it is a folder of several. */
const unsigned char *perfdata_contents(const struct perfdata_file *file, uint64_t *size);

const struct perfdata_info *perfdata_info(const struct perfdata_file *file);
const struct perfdata_event *perfdata_events(const struct perfdata_file *file,
					     size_t *nr);

/* Returns kernel records (type < PERFDATA_RECORD_USER_START) in order of time, and in the
 * file's order at equal times. 1: *record is filled; 0: the end; -1: the file is damaged,
 * printed. */
int perfdata_next(struct perfdata_file *file, struct perfdata_record *record);

#endif
