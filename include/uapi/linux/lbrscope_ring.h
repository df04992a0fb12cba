/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * lbrscope: the ring of records, one a CPU, mapped from LBRSCOPE_DEVICE.
 *
 * Mapping
 * =======
 *
 * Two mappings a CPU, after LBRSCOPE_CMD_SESSION_SET, each whole (its exact
 * length, from its exact offset) and MAP_SHARED:
 *
 *   offset LBRSCOPE_RING_OFF(cpu)       PROT_READ only:
 *     one page: struct lbrscope_ring, then ring_size bytes of records
 *   offset LBRSCOPE_RING_TAIL_OFF(cpu)  PROT_READ | PROT_WRITE:
 *     one page: struct lbrscope_ring_tail
 *
 * mmap() fails with ENODEV before the session is configured, with EINVAL for
 * another offset or length, with EPERM for writable records, and with ENXIO
 * for a CPU that cannot exist or takes no part (LBRSCOPE_SESSION_A_CPUS).  A CPU that is possible but offline has a ring
 * too, so a CPU that comes online later is covered.
 *
 * Reading
 * =======
 *
 * head and tail count bytes, ever, and never go back; records lie at
 * data[offset & (data_size - 1)].  They are 8-byte aligned and never wrap: a
 * LBRSCOPE_RECORD_PAD fills the end of the buffer where the next one would.
 *
 *   head = load_acquire(&ring->head);               pairs with B
 *   while (tail != head) {
 *           record = data + (tail & (data_size - 1));
 *           ... use record, of record->size bytes ...
 *           tail += record->size;
 *   }
 *   store_release(&tail_page->tail, tail);          pairs with A
 *
 * The kernel (kmod/ring.c):
 *
 *   if (size > room and
 *       size > room = data_size - (head - load_acquire(&tail_page->tail)))  A
 *           lost[LBRSCOPE_LOST_RING_FULL]++
 *   else
 *           write the record; store_release(&ring->head, head)        B
 *
 * The kernel keeps no length or position in shared memory that it reads back,
 * but for tail, and that only when the room is used up that it gave the last time;
 * a tail that is not within [head - data_size, head] then is taken for a full ring,
 * so a reader that lies loses samples and nothing else.
 *
 * poll() reports POLLIN when a quarter of some ring is full, and when the
 * session has stopped (POLLIN | POLLHUP).  A reader that wants samples sooner
 * looks at the heads whenever it likes; that costs the kernel nothing.
 *
 * A ring that overwrites
 * ======================
 *
 * With LBRSCOPE_SESSION_A_OVERWRITE the kernel waits for nobody: where a record
 * does not fit, it moves `oldest` past as many of the oldest records as need be
 * and writes over them.  Such a ring is read when nothing writes it: after
 * LBRSCOPE_CMD_SESSION_FREEZE or LBRSCOPE_CMD_SESSION_STOP has returned, as
 * above, but from
 *
 *   tail = max(tail of the last time, ring->oldest);
 *
 * Storing the tail before LBRSCOPE_CMD_SESSION_THAW is how the kernel learns
 * what has been read.  A sample that is overwritten before it is read goes over
 * from `delivered` to lost[LBRSCOPE_LOST_OVERWRITTEN].  There are no LOST
 * records.  poll() reports POLLIN when the session is frozen, by a trigger say;
 * FREEZE has to follow all the same, for it waits until no CPU writes any more.
 *
 * Versions
 * ========
 *
 * LBRSCOPE_RING_VERSION goes up when an old reader would misread the ring:
 * a field moved, or changed its meaning.  It stays when one is added that can
 * be skipped: a record type (skip by size), a format bit above those known
 * (its field comes after the known ones; skip by size), a counter at the end
 * of the page.  A reader refuses a version that it does not know.
 */
#ifndef _UAPI_LINUX_LBRSCOPE_RING_H
#define _UAPI_LINUX_LBRSCOPE_RING_H

#include <linux/types.h>

#define LBRSCOPE_RING_MAGIC	0x7262736cU	/* "lsbr" in memory */
#define LBRSCOPE_RING_VERSION	3

/* Offsets for mmap(), in bytes; cpu as in /proc/cpuinfo, from 0. */
#define LBRSCOPE_RING_OFF(cpu)		((__u64)(cpu) << 32)
#define LBRSCOPE_RING_TAIL_OFF(cpu)	(LBRSCOPE_RING_OFF(cpu) | (1ULL << 31))

/* Why a sample that fell due is not in the ring, and was not read from it. */
enum lbrscope_lost {
	LBRSCOPE_LOST_RING_FULL,	/* the reader was too slow */
	LBRSCOPE_LOST_THROTTLED,	/* left out to protect the host; a trigger
					 * that fired within another
					 */
	LBRSCOPE_LOST_PMU_TAKEN,	/* the session has lost the counters or the
					 * branch records: 1 on each CPU that has
					 * stopped sampling for that.  Either the
					 * module has ended the session
					 * (LBRSCOPE_STATS_A_ENDED).  Or another
					 * session tried to preempt it and failed:
					 * sampling goes on after a short gap.  Or
					 * somebody has programmed a counter without
					 * a reservation, or uses Intel PT where
					 * that excludes branch records: the CPU
					 * does not sample again until START
					 */
	LBRSCOPE_LOST_TOO_LARGE,	/* the record, were it to get all that is
					 * asked for, might be longer than half
					 * of the ring
					 */
	LBRSCOPE_LOST_STOPPED,		/* fell due while its counter was being
					 * stopped: at a context switch, the
					 * end of the session, a CPU going
					 * offline
					 */
	LBRSCOPE_LOST_OVERWRITTEN,	/* by younger ones, before it was read */
	LBRSCOPE_LOST_FROZEN,		/* fell due while the ring was frozen */
	LBRSCOPE_LOST_PMI_MISSED,	/* its PMI never came: the counter tells how
					 * many fell due until that was noticed;
					 * 1 where somebody else had stopped it
					 */
	LBRSCOPE_LOST_NR
};

/*
 * What became of a time that a task was off the CPU, when it came back on one:
 * of LBRSCOPE_SESSION_A_OFFCPU.  Each is one of these.
 */
enum lbrscope_offcpu_end {
	LBRSCOPE_OFFCPU_DELIVERED,	/* LBRSCOPE_RECORD_OFFCPU written */
	LBRSCOPE_OFFCPU_SHORT,		/* below LBRSCOPE_OFFCPU_A_MIN: not lost,
					 * nobody wanted it
					 */
	LBRSCOPE_OFFCPU_THROTTLED,	/* lost to LBRSCOPE_OFFCPU_A_RATE, or to
					 * LBRSCOPE_SESSION_A_BUDGET
					 */
	LBRSCOPE_OFFCPU_RING_FULL,	/* these as of samples, see */
	LBRSCOPE_OFFCPU_OVERWRITTEN,	/* enum lbrscope_lost */
	LBRSCOPE_OFFCPU_FROZEN,
	LBRSCOPE_OFFCPU_NR
};

/* Times off the CPU that ended alike. */
struct lbrscope_offcpu_count {
	__u64 nr;
	__u64 ns;	/* their sum */
};

/*
 * First page of the ring.  Written by the kernel, on the ring's own CPU, from
 * NMI, from the scheduler, and where the session begins; readers have it
 * read-only.  The counts are updated before head is, and exact once the session
 * is stopped: produced = delivered + the sum of lost[].  Times off the CPU are no
 * samples: they are counted in offcpu[] and nowhere else, each once.
 */
struct lbrscope_ring {
	__u32 magic;		/* LBRSCOPE_RING_MAGIC */
	__u32 version;		/* LBRSCOPE_RING_VERSION */
	__u32 cpu;
	__u32 data_offset;	/* bytes from this structure to the records */
	__u32 data_size;	/* bytes, a power of two */
	__u32 reserved0[11];	/* 0 */

	__u64 head;		/* bytes ever published (B above) */
	__u64 produced;		/* samples that fell due, triggers that fired */
	__u64 delivered;	/* LBRSCOPE_RECORD_SAMPLEs and _TRIGGERs written,
				 * but for those that were overwritten before
				 * they were read
				 */
	__u64 lost[8];		/* by enum lbrscope_lost, the rest 0 */
	__u64 oldest;		/* as head: where the oldest record begins, of a
				 * ring that overwrites; else 0
				 */
	struct lbrscope_offcpu_count offcpu[8];	/* by enum lbrscope_offcpu_end,
						 * the rest 0
						 */
	__u64 begun;		/* times that the session has begun on this CPU: at
				 * START, and when it came back from being
				 * offline, or asleep; 0 where it does not sample.
				 * By then events of perf can be opened on it
				 */
};

/* Written by the reader, read by the kernel (A above). */
struct lbrscope_ring_tail {
	__u64 tail;		/* bytes ever consumed */
};

enum lbrscope_record_type {
	LBRSCOPE_RECORD_PAD = 0,	/* skip it */
	LBRSCOPE_RECORD_SAMPLE = 1,	/* struct lbrscope_sample */
	LBRSCOPE_RECORD_LOST = 2,	/* struct lbrscope_lost_record */
	LBRSCOPE_RECORD_OFFCPU = 3,	/* struct lbrscope_offcpu */
	LBRSCOPE_RECORD_BUDGET = 4,	/* struct lbrscope_budget */
	LBRSCOPE_RECORD_TRIGGER = 5,	/* struct lbrscope_trigger */
	LBRSCOPE_RECORD_TASK_COUNTS = 6,	/* struct lbrscope_task_counts */
};

/* Every record begins with this. */
struct lbrscope_record {
	__u16 size;	/* bytes of the whole record, a multiple of 8 */
	__u8 type;	/* enum lbrscope_record_type */
	__u8 event;	/* index of the event, or trigger, that it is of */
	__u16 format;	/* enum lbrscope_format: what follows; lost: 0 */
	__u8 nr;	/* branch entries; lost: causes; task counts: events */
	__u8 flags;	/* samples: enum lbrscope_sample_flag; off-CPU: enum
			 * lbrscope_offcpu_flag
			 */
};

/*
 * What follows a struct lbrscope_sample or lbrscope_offcpu, in the order of
 * these bits; but what bits LBR_... stand for comes entry by entry, nr of them, the
 * youngest first: FROM; or FROM, TO; or FROM, TO, INFO; or packed.  Branch words are
 * the registers' own, unmasked; how they are laid out LBRSCOPE_INFO_A_LBR_FORMAT says.
 *
 * With BRANCHES_CALL_STACK, an entry whose FROM is no call instruction is a signal: FROM
 * is the user address where the kernel interrupted the task, TO is the handler.  No call
 * enters a handler, but its return removes an entry from the registers; the module adds
 * this one, so that the entries of the interrupted code stay.
 */
enum lbrscope_format {
	/*
	 * struct lbrscope_task: whose the sample is.  A LBRSCOPE_RECORD_SAMPLE
	 * without it is of the same task as the LBRSCOPE_RECORD_SAMPLE before
	 * it in this ring, also where that one was read long ago; the first has
	 * it.  Triggers have it always, and samples of a ring that overwrites
	 */
	LBRSCOPE_FORMAT_TASK = 1U << 0,
	/* u64: where user mode was left; for a sample taken in the kernel */
	LBRSCOPE_FORMAT_USER_IP = 1U << 1,
	/* u64 of each entry: MSR_LASTBRANCH_x_FROM_IP */
	LBRSCOPE_FORMAT_LBR_FROM = 1U << 2,
	/* u64 of each entry: MSR_LASTBRANCH_x_TO_IP; not with BRANCH_CALLERS */
	LBRSCOPE_FORMAT_LBR_TO = 1U << 3,
	/*
	 * u64 of each entry: MSR_LBR_INFO_x; of histories, where the CPU has it and
	 * addresses may have more than 48 bits
	 */
	LBRSCOPE_FORMAT_LBR_INFO = 1U << 4,
	/*
	 * struct lbrscope_branch, of each entry: its three words in two; of
	 * histories, where the CPU has INFO and addresses have 48 bits
	 */
	LBRSCOPE_FORMAT_LBR_PACKED = 1U << 5,
	/*
	 * u64: events since the sample before it, for which this one stands;
	 * where they vary (FREQUENCY, JITTER), or were stretched
	 */
	LBRSCOPE_FORMAT_PERIOD = 1U << 6,
	/*
	 * u64 nr, u64[nr]: counts of the events of the sample's group, in the
	 * order of EVENTS, since the start: of this thread in a session with
	 * TARGET_PIDS or _TIDS, else of this CPU; where READ_GROUP asks for it
	 */
	LBRSCOPE_FORMAT_GROUP = 1U << 7,

	/*
	 * What follows is there if LBRSCOPE_SESSION_A_SAMPLE asks for it; USER_REGS and
	 * USER_STACK together, in the samples that LBRSCOPE_SESSION_A_STACK_MODE says.
	 */

	/*
	 * u64[LBRSCOPE_USER_REGS_NR]: ax bx cx dx si di bp sp ip flags cs ss r8
	 * to r15 of user mode, which is the order of PERF_REG_X86_*.  Of a
	 * sample taken in the kernel those that user mode was left with; not
	 * there where these are not known: in kernel threads, and while the
	 * kernel's entry code is storing them.
	 */
	LBRSCOPE_FORMAT_USER_REGS = 1U << 8,
	/*
	 * u64 size, a multiple of 8, and so many bytes of user memory from
	 * that sp on: up to the stack pointer that the thread began with (see
	 * USER_DEPTH), what was asked for, or the first page that is not in
	 * memory, whichever comes first.  There where USER_REGS would be.  The
	 * stack goes on above these bytes if USER_DEPTH, as an unsigned number,
	 * is larger than size.
	 */
	LBRSCOPE_FORMAT_USER_STACK = 1U << 9,
	/*
	 * u64 nr, up to LBRSCOPE_KERNEL_CHAIN_MAX, and u64[nr]: return addresses
	 * in the kernel, youngest first; of a sample taken there.  Records of
	 * times off the CPU have it unasked; nr is 0 there while a kretprobe waits
	 * for one of the task's functions to return.
	 */
	LBRSCOPE_FORMAT_KERNEL_CHAIN = 1U << 10,
	/*
	 * u64: id of the task's cgroup in the v2 hierarchy, which is the inode
	 * number of its directory
	 */
	LBRSCOPE_FORMAT_CGROUP = 1U << 11,
	/*
	 * u64: bytes from the user stack pointer up to the one that the thread
	 * began with: how deep its stack is.  The thread began at its exec, or
	 * where clone() put its stack; after fork() and vfork() it goes on in its
	 * parent's.  Of another stack (sigaltstack(), a coroutine's) the number
	 * means nothing, and is negative where that one is at higher addresses.
	 * Where the begin is not known (a thread that is not its process' first,
	 * and was there before the session) it is minus the stack pointer.
	 * There where USER_REGS would be; of times off the CPU where USER_IP is.
	 */
	LBRSCOPE_FORMAT_USER_DEPTH = 1U << 12,
};

/* Of LBRSCOPE_FORMAT_TASK. */
struct lbrscope_task {
	__u32 tid;	/* thread, in the pid namespace of the task that
			 * configured the session; 0 for the idle task
			 */
	__u32 pid;	/* process, likewise */
};

/*
 * Of LBRSCOPE_FORMAT_LBR_PACKED: the bits of the three registers that have a
 * meaning.  FROM and TO are the 48 bits, with bit 47 in all bits above; INFO is
 * cycles, and flags from bit 48 on.
 */
struct lbrscope_branch {
	__u32 from_low;		/* FROM[31:0] */
	__u16 from_high;	/* FROM[47:32] */
	__u16 cycles;		/* INFO[15:0] */
	__u32 to_low;		/* TO[31:0] */
	__u16 to_high;		/* TO[47:32] */
	__u16 flags;		/* INFO[63:48] */
};

/* What LBRSCOPE_SESSION_A_SAMPLE can ask for. */
#define LBRSCOPE_FORMAT_REQUESTS \
	(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK | \
	 LBRSCOPE_FORMAT_KERNEL_CHAIN | LBRSCOPE_FORMAT_CGROUP | \
	 LBRSCOPE_FORMAT_USER_DEPTH)

#define LBRSCOPE_USER_REGS_NR		20
#define LBRSCOPE_KERNEL_CHAIN_MAX	127	/* addresses */

enum lbrscope_sample_flag {
	LBRSCOPE_SAMPLE_USER = 1U << 0,		/* ip is a user-mode address */
	LBRSCOPE_SAMPLE_GUEST = 1U << 1,	/* a virtual CPU ran: ip is the
						 * host's, branches left out
						 */
	LBRSCOPE_SAMPLE_LBR_BUSY = 1U << 2,	/* the registers did not hold this
						 * task's branches (at a context
						 * switch, or it is untracked):
						 * left out
						 */
	LBRSCOPE_SAMPLE_AUDIT = 1U << 3,	/* LBRSCOPE_SESSION_A_STACK_AUDIT chose
						 * it: its process is not selected
						 */
};

struct lbrscope_sample {
	struct lbrscope_record rec;
	__u64 time;	/* ns, CLOCK_MONOTONIC */
	__u64 ip;	/* the interrupted instruction */
};

/*
 * A trigger has fired: all that a sample says of that moment, but for what is
 * of an event (PERIOD, GROUP).  It counts as a sample.  ip is the instruction
 * of a UPROBE, the function of a KPROBE, where a KRETPROBE returned to, and what
 * comes after the instruction for a WATCHPOINT; else where user mode was left.
 * What follows begins behind value.
 */
struct lbrscope_trigger {
	struct lbrscope_sample sample;
	__u64 value;	/* KRETPROBE: what was returned; EXIT: the thread's status, as
			 * of wait(); SIGNAL: its number; else 0
			 */
};

/*
 * Samples lost since the LOST record before it, written as soon as there is
 * room again: at the next sample or switch of a task that is sampled.  Losses after the last
 * such record are in the counts of the ring's first page only.
 */
struct lbrscope_lost_record {
	struct lbrscope_record rec;	/* nr = number of elements of lost */
	__u64 time;			/* ns, CLOCK_MONOTONIC, of this record */
	__u64 lost[];			/* by enum lbrscope_lost */
};

/*
 * What this CPU does to keep to the session's budget; each tenth of a second, or
 * what it was longer until the next sample or context switch, where something
 * has changed.  Periods are longer from here on, or shorter again; stretched
 * samples say so (LBRSCOPE_FORMAT_PERIOD).  And context switches have had their
 * share, so that for the rest of that time nothing was done at them but what
 * counting needs: no record of a time off the CPU (LBRSCOPE_OFFCPU_THROTTLED),
 * and the branches of the task that came were not followed.  Its samples have none
 * (LBRSCOPE_SAMPLE_LBR_BUSY) until it comes back, and no outer frames then.
 */
struct lbrscope_budget {
	struct lbrscope_record rec;
	__u64 time;		/* ns, CLOCK_MONOTONIC */
	__u32 stretch;		/* thousandths: 1000 is none */
	__u32 share;		/* thousandths of the CPU's time that sampling
				 * took in that time
				 */
	__u32 left_out;		/* such switches since the record before */
	__u32 reserved;		/* 0 */
};

enum lbrscope_offcpu_flag {
	LBRSCOPE_OFFCPU_BY_INTERRUPT = 1U << 0,	/* no task has woken it, but
						 * an interrupt: a timer, a
						 * device
						 */
};

/*
 * A task has come back on a CPU that it had left while the session saw it.
 * What follows is of the moment when it left, which is time - off: USER_IP and
 * the branch words, with BRANCHES_CALL_STACK its open calls (else there are
 * none, nr is 0); and the kernel's chain, which begins in the scheduler.
 */
struct lbrscope_offcpu {
	struct lbrscope_record rec;	/* event is 0 */
	__u64 time;	/* ns, CLOCK_MONOTONIC: when it came back */
	__u64 off;	/* ns that it was off, at least LBRSCOPE_OFFCPU_A_MIN */
	__u32 pid;	/* as in struct lbrscope_task */
	__u32 tid;
	__u32 waker_pid;	/* who made it ready to run, where that was asked
				 * for; 0 if it was not, if it is outside of the
				 * pid namespace, if it was an interrupt (then
				 * flags say so), and in state 'R'
				 */
	__u32 waker_tid;
	/*
	 * What it was in when it left, a letter as in /proc/PID/stat: 'R' it
	 * could have gone on (preempted, or sched_yield()), 'S' and 'D' asleep
	 * with and without signals, 'T' and 't' stopped, 'I' idle, ...; '?' it
	 * was being woken already, so that nobody can tell
	 */
	__u8 state;
	__u8 reserved[7];	/* 0 */
};

#define LBRSCOPE_COMM_LEN	16

/*
 * What a task has counted, of a session with TASK_COUNTS: as a record when it has
 * ended, and by LBRSCOPE_CMD_TASK_COUNTS_GET.  The record is in the ring of the CPU on
 * which the task has ended, also where that one is not sampled.
 */
struct lbrscope_task_counts {
	struct lbrscope_record rec;	/* event is 0; nr = elements of counts */
	__u64 time;	/* ns, CLOCK_MONOTONIC, of these counts */
	__u64 id;	/* of the task, from 1, not given to another in this run of the
			 * session; the smaller was there earlier
			 */
	__u32 tid;	/* as in struct lbrscope_task */
	__u32 pid;
	char comm[LBRSCOPE_COMM_LEN];	/* its name, ends with a NUL; empty of a task
					 * that came to be hidden (see Rights)
					 */
	__u64 enabled;	/* ns that the CPU counted for it */
	struct {	/* by event, see struct lbrscope_count */
		__u64 value, running;
	} counts[];
};

#endif /* _UAPI_LINUX_LBRSCOPE_RING_H */
