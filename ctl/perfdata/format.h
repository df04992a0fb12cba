/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The perf.data file, version 2, as its writer and its reader need it.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of Linux. All integers are in the byte order
 * of the machine that wrote the file; the magic tells which.
 *
 *   perfdata_header
 *   attrs section: perfdata_attr, one an event, each attr_size bytes
 *   ids of the events (u64 each), where the perfdata_attr say
 *   in files of lbrctl, right behind the attrs: perfdata_early
 *   data section: records, each beginning with struct perf_event_header
 *   one perfdata_section a set feature bit, in the order of the bits, right
 *   behind the data section; and what they point to
 *
 * Into a pipe perf writes the magic, a size of PERFDATA_PIPE_SIZE, and records.
 */
#ifndef LBRCTL_PERFDATA_FORMAT_H
#define LBRCTL_PERFDATA_FORMAT_H

#include <linux/perf_event.h>
#include <linux/types.h>

#define PERFDATA_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define PERFDATA_MAGIC_SWAPPED	0x50455246494c4532ULL

#define PERFDATA_PIPE_SIZE	16

struct perfdata_section {
	__u64 offset;		/* bytes from the start of the file */
	__u64 size;		/* bytes */
};

struct perfdata_header {
	__u64 magic;
	__u64 size;		/* of this structure: 104 */
	__u64 attr_size;	/* of one entry of the attrs section */
	struct perfdata_section attrs;
	struct perfdata_section data;
	struct perfdata_section event_types;	/* unused since Linux 3.x: 0 */
	__u64 features[4];	/* bit n: PERFDATA_FEATURE n is present */
};

/* attr is attr_size - 16 bytes long in the file. Readers of Linux 6.1 refuse
 * more than the 128 bytes they know, so write PERF_ATTR_SIZE_VER5 (112). */
struct perfdata_attr {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

/*
 * Only in files of lbrctl, in a gap that other readers skip: the features that were known
 * when recording began. The feature sections proper lie behind the records, so that a capture
 * has none if its recorder was killed or the file was truncated. Behind this structure, up to
 * size: of each feature u64 perfdata_feature, u64 bytes, its contents, zeros up to a multiple
 * of 8.
 */
struct perfdata_early {
	__u64 magic;		/* PERFDATA_EARLY_MAGIC */
	__u64 size;		/* bytes, of this and all features behind it */
};
#define PERFDATA_EARLY_MAGIC	0x594c52414552424cULL	/* "LBREARLY" */

/*
 * A string is u32 length, then that many bytes, NUL-terminated and NUL-padded
 * (perf pads to 64 bytes).
 */
enum perfdata_feature {
	PERFDATA_TRACING_DATA = 1,
	PERFDATA_BUILD_ID = 2,		/* perfdata_build_id records */
	PERFDATA_HOSTNAME = 3,		/* string */
	PERFDATA_OSRELEASE = 4,		/* string */
	PERFDATA_VERSION = 5,		/* string */
	PERFDATA_ARCH = 6,		/* string */
	PERFDATA_NRCPUS = 7,		/* u32 available, u32 online */
	PERFDATA_CPUDESC = 8,		/* string */
	PERFDATA_CPUID = 9,		/* string */
	PERFDATA_TOTAL_MEM = 10,	/* u64 kB */
	PERFDATA_CMDLINE = 11,		/* u32 count, then strings */
	PERFDATA_EVENT_DESC = 12,	/* u32 events, u32 attr size; per event:
					 * attr, u32 ids, string, u64 id[] */
	PERFDATA_BRANCH_STACK = 15,	/* empty; not for call-stack captures */
	PERFDATA_GROUP_DESC = 17,	/* u32 groups; of each a string, u32 index of
					 * its leader, u32 members */
	PERFDATA_SAMPLE_TIME = 21,	/* u64 first, u64 last, ns */
	PERFDATA_CLOCKID = 23,		/* u64 resolution, ns */
	PERFDATA_COMPRESSED = 27,
	PERFDATA_CPU_PMU_CAPS = 28,	/* u32 count, then pairs of strings, name and value;
					 * "branches" is the number of LBR entries, by which a
					 * reader recognizes a full LBR */
	PERFDATA_CLOCK_DATA = 29,	/* u32 version 1, u32 clockid, u64 CLOCK_REALTIME in ns,
					 * u64 that clock in ns at the same time */
	PERFDATA_OWN = 63,		/* of lbrctl: an array of perfdata_own. perf's readers skip
					 * it. Its writer of pipes looks a feature up in a table
					 * without a check, and other numbers make perf 6.1 crash */
};

/*
 * The audit of one process: stacks that the LBR called complete and that were compared with
 * the user stack, and the number that differed. In a process with disagreements, stacks that
 * only the LBR proves are not to be trusted.
 */
struct perfdata_audit {
	__u32 pid;
	__u32 kind;			/* PERFDATA_OWN_AUDIT */
	__u64 checked, disagreed;	/* samples */
};

/* A fact of PERFDATA_OWN; readers skip kinds that they do not know. Without any fact, samples were to be
 * audited and none could be compared. */
enum perfdata_own_kind {
	PERFDATA_OWN_AUDIT,		/* struct perfdata_audit */
	PERFDATA_OWN_LOSS,		/* id: enum losses_cause; first: samples. A capture has each
					 * cause or none: not the files of a rotation, nor those of
					 * a recording that was killed */
	PERFDATA_OWN_AUDITED,		/* samples were to be audited; the rest is 0 */
};

struct perfdata_own {
	__u32 id, kind;
	__u64 first, second;
};

/* One entry of the PERFDATA_BUILD_ID feature. header.size covers all of it with
 * the file name, NUL-padded to a multiple of 8; header.misc is
 * PERF_RECORD_MISC_USER or _KERNEL, plus PERFDATA_MISC_BUILD_ID_SIZE when size
 * is valid. pid is -1 for the host. */
struct perfdata_build_id {
	struct perf_event_header header;
	__s32 pid;
	__u8 build_id[20];
	__u8 size;		/* bytes of build_id used */
	__u8 reserved[3];
	char filename[];
};
#define PERFDATA_MISC_BUILD_ID_SIZE	(1 << 15)

/* Records that perf's user space writes, not the kernel. */
enum perfdata_user_record {
	PERFDATA_RECORD_USER_START = 64,
	PERFDATA_RECORD_HEADER_ATTR = 64,	/* in a pipe: attr, then u64 ids */
	PERFDATA_RECORD_TRACING_DATA = 66,	/* in a pipe: u32 bytes that follow,
						 * padded to 8, not in header.size;
						 * in newer perf u32 0 behind it */
	PERFDATA_RECORD_FINISHED_ROUND = 68,	/* header only: all later records are younger
						 * than the round before this one */
	PERFDATA_RECORD_AUXTRACE = 71,		/* u64 bytes that follow and are not
						 * in header.size */
	PERFDATA_RECORD_HEADER_FEATURE = 80,	/* in a pipe: u64 perfdata_feature, then the
						 * contents of that section in a file */
	PERFDATA_RECORD_COMPRESSED = 81,
	PERFDATA_RECORD_FINISHED_INIT = 82,
	PERFDATA_RECORD_COMPRESSED2 = 83,
};

#endif
