/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
/*
 * lbrscope: the ring of records of each CPU, mapped from LBRSCOPE_DEVICE.
 *
 * Mapping
 * =======
 *
 * A CPU has two mappings, after LBRSCOPE_CMD_SESSION_SET.  Each is mapped as a whole (its
 * exact length, from its exact offset) and MAP_SHARED:
 *
 *   offset LBRSCOPE_RING_OFF(cpu)       PROT_READ only:
 *     one page: struct lbrscope_ring, then ring_size bytes of records
 *   offset LBRSCOPE_RING_TAIL_OFF(cpu)  PROT_READ | PROT_WRITE:
 *     one page: struct lbrscope_ring_tail
 *
 * mmap() fails with ENODEV before the session is configured, with EINVAL for another offset
 * or length, with EPERM for writable records, and with ENXIO for a CPU that cannot exist or
 * that the session excludes (LBRSCOPE_SESSION_A_CPUS).  A possible CPU that is offline has a
 * ring as well, so that it can come online later.
 *
 * Reading
 * =======
 *
 * head and tail count bytes since the beginning and never decrease.  The record at an
 * offset is at data[offset & (data_size - 1)].  Records are aligned to 8 bytes and do not
 * wrap: if a record would, a LBRSCOPE_RECORD_PAD fills the end of the buffer.
 *
 *   head = load_acquire(&ring->head);               pairs with B
 *   while (tail != head) {
 *           record = data + (tail & (data_size - 1));
 *           ... use record, of record->size bytes ...
 *           tail += record->size;
 *   }
 *   store_release(&tail_page->tail, tail);          pairs with A
 *
 * The kernel (kmod/ring/ring.c):
 *
 *   if (size > room)
 *           room = data_size - (head - load_acquire(&tail_page->tail));     A
 *   if (size > room)
 *           lost[LBRSCOPE_LOST_RING_FULL]++;
 *   else
 *           write the record; store_release(&ring->head, head);             B
 *
 * The kernel reads only one position back from shared memory: tail, and only when the room
 * that it found the last time is used up.  If tail is not within [head - data_size, head],
 * the ring counts as full: a reader that writes a wrong tail only loses samples.
 *
 * poll() reports POLLIN when a quarter of a ring is full, and POLLIN | POLLHUP when the
 * session has stopped.  A reader may read the heads at any time, for samples before that;
 * this does not involve the kernel.
 *
 * A ring that overwrites
 * ======================
 *
 * With LBRSCOPE_SESSION_A_OVERWRITE a record that does not fit replaces the oldest ones: the
 * kernel moves `oldest` past as many of them as necessary.  Such a ring is read while nothing
 * writes it, after LBRSCOPE_CMD_SESSION_FREEZE or LBRSCOPE_CMD_SESSION_STOP has returned, as
 * above, but from
 *
 *   tail = max(tail of the last time, ring->oldest);
 *
 * The reader stores tail before LBRSCOPE_CMD_SESSION_THAW, so that the kernel knows what
 * has been read.  A sample that is overwritten before that moves from `delivered` to
 * lost[LBRSCOPE_LOST_OVERWRITTEN].  There are no LOST records.  poll() reports POLLIN when
 * the session is frozen, for example by a trigger.  The reader must call FREEZE in this case
 * as well, because only FREEZE waits until no CPU writes any more.
 *
 * Versions
 * ========
 *
 * LBRSCOPE_RING_VERSION is increased when an old reader would misread the ring: a field has
 * moved, or has another meaning.  It is not increased for additions that a reader can skip:
 * a record type (skip by size), a format bit above the known ones (its field follows the
 * known ones; skip by size), a counter at the end of the page.  A reader refuses a version
 * that it does not know.
 */
#ifndef _UAPI_LINUX_LBRSCOPE_RING_H
#define _UAPI_LINUX_LBRSCOPE_RING_H

#include <linux/types.h>

#define LBRSCOPE_RING_MAGIC	0x7262736cU	/* "lsbr" in memory */
#define LBRSCOPE_RING_VERSION	3

/* Offsets for mmap(), in bytes; cpu as in /proc/cpuinfo, from 0. */
#define LBRSCOPE_RING_OFF(cpu)		((__u64)(cpu) << 32)
#define LBRSCOPE_RING_TAIL_OFF(cpu)	(LBRSCOPE_RING_OFF(cpu) | (1ULL << 31))

/* The reason why a sample that fell due was not delivered. */
enum lbrscope_lost {
	LBRSCOPE_LOST_RING_FULL,	/* the reader was too slow */
	LBRSCOPE_LOST_THROTTLED,	/* left out to protect the host: a trigger
					 * that fired within another one
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
	LBRSCOPE_LOST_TOO_LARGE,	/* the record with all requested fields, of
					 * the stack only the part in use, might be
					 * longer than half of the ring
					 */
	LBRSCOPE_LOST_STOPPED,		/* fell due while its counter was being
					 * stopped: at a context switch, the
					 * end of the session, a CPU going
					 * offline
					 */
	LBRSCOPE_LOST_OVERWRITTEN,	/* by a later record, before it was read */
	LBRSCOPE_LOST_FROZEN,		/* fell due while the ring was frozen */
	LBRSCOPE_LOST_PMI_MISSED,	/* its PMI did not arrive: the number of
					 * samples by the counter's value; 1 if
					 * another user had stopped the counter.
					 * Of a clock: a further period that ended
					 * while interrupts were off, or a hypervisor
					 * had the CPU
					 */
	LBRSCOPE_LOST_NR
};

/*
 * With LBRSCOPE_SESSION_A_OFFCPU: the result of a time that a task was off the CPU, when
 * it came back.  Each such time is counted as one of these.
 */
enum lbrscope_offcpu_end {
	LBRSCOPE_OFFCPU_DELIVERED,	/* LBRSCOPE_RECORD_OFFCPU written */
	LBRSCOPE_OFFCPU_SHORT,		/* below LBRSCOPE_OFFCPU_A_MIN: not
					 * requested, so not a loss
					 */
	LBRSCOPE_OFFCPU_THROTTLED,	/* lost to LBRSCOPE_OFFCPU_A_RATE, or to
					 * LBRSCOPE_SESSION_A_BUDGET
					 */
	LBRSCOPE_OFFCPU_RING_FULL,	/* as enum lbrscope_lost */
	LBRSCOPE_OFFCPU_OVERWRITTEN,
	LBRSCOPE_OFFCPU_FROZEN,
	LBRSCOPE_OFFCPU_NR
};

/* The times off the CPU with the same result. */
struct lbrscope_offcpu_count {
	__u64 nr;
	__u64 ns;	/* their sum */
};

/*
 * The first page of the ring.  The kernel writes it, on the ring's own CPU, from the NMI,
 * from the scheduler, and when the session begins; readers map it read-only.  The counts are
 * updated before head, and are exact when the session has stopped: produced = delivered +
 * the sum of lost[].  Times off the CPU are no samples: each is counted once in offcpu[] and
 * in no other count.
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
				 * without those that were overwritten before
				 * they were read
				 */
	__u64 lost[8];		/* by enum lbrscope_lost, the rest 0 */
	__u64 oldest;		/* of a ring that overwrites: the offset of the
				 * oldest record, as head; else 0
				 */
	struct lbrscope_offcpu_count offcpu[8];	/* by enum lbrscope_offcpu_end,
						 * the rest 0
						 */
	__u64 begun;		/* the number of times that the session has begun on
				 * this CPU: at START, and after the CPU was offline
				 * or suspended; 0: it is not sampled.  When it grows
				 * the CPU is online: a reader that follows tasks by
				 * perf events opens them there
				 */
	__u64 unwanted;		/* samples left out by LBRSCOPE_EVENT_A_ONLY_OVER
				 * and its like; in no other count
				 */
	__u64 branches_off;	/* samples with LBRSCOPE_SAMPLE_LBR_OFF; they are in
				 * the other counts as well
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
	__u8 event;	/* index of the event or trigger */
	__u16 format;	/* enum lbrscope_format: the fields behind it; lost: 0 */
	__u8 nr;	/* branch entries; lost: causes; task counts: events */
	__u8 flags;	/* samples: enum lbrscope_sample_flag; off-CPU: enum
			 * lbrscope_offcpu_flag
			 */
};

/*
 * The fields that follow a struct lbrscope_sample or lbrscope_offcpu, in the order of these
 * bits.  The fields of the LBR_ bits are stored entry by entry, nr entries, the youngest
 * first: FROM; or FROM, TO; or FROM, TO, INFO; or packed.  Branch words are the content of
 * the registers, unmasked; LBRSCOPE_INFO_A_LBR_FORMAT tells their layout.
 *
 * With BRANCHES_CALL_STACK, an entry whose FROM is no call instruction is a signal: FROM
 * is the user address where the kernel interrupted the task, TO is the handler.  No call
 * enters a handler, but its return removes an entry from the registers; the module adds
 * this one, so that the entries of the interrupted code stay.
 */
enum lbrscope_format {
	/*
	 * struct lbrscope_task: the task of the sample.  A LBRSCOPE_RECORD_SAMPLE
	 * without it has the same task as the LBRSCOPE_RECORD_SAMPLE before it in
	 * this ring, even if that one was read long ago; the first one has it.
	 * Triggers always have it, and so have samples of a ring that overwrites
	 */
	LBRSCOPE_FORMAT_TASK = 1U << 0,
	/* u64: for a sample in the kernel: the address where user mode was left */
	LBRSCOPE_FORMAT_USER_IP = 1U << 1,
	/* u64 of each entry: MSR_LASTBRANCH_x_FROM_IP */
	LBRSCOPE_FORMAT_LBR_FROM = 1U << 2,
	/* u64 of each entry: MSR_LASTBRANCH_x_TO_IP; not with BRANCH_CALLERS */
	LBRSCOPE_FORMAT_LBR_TO = 1U << 3,
	/*
	 * u64 of each entry: MSR_LBR_INFO_x; in histories, if the CPU has it and
	 * addresses may have more than 48 bits
	 */
	LBRSCOPE_FORMAT_LBR_INFO = 1U << 4,
	/*
	 * struct lbrscope_branch of each entry: its three words in two; in
	 * histories, if the CPU has INFO and addresses have 48 bits
	 */
	LBRSCOPE_FORMAT_LBR_PACKED = 1U << 5,
	/*
	 * u64: the number of events since the previous sample, which this one
	 * represents; if it varies (FREQUENCY, JITTER) or was stretched
	 */
	LBRSCOPE_FORMAT_PERIOD = 1U << 6,
	/*
	 * u64 nr, u64[nr]: the counts since START of the events of the sample's
	 * group, in the order of EVENTS: of this thread in a session with
	 * TARGET_PIDS or _TIDS, else of this CPU; with READ_GROUP
	 */
	LBRSCOPE_FORMAT_GROUP = 1U << 7,

	/*
	 * The fields below are present if LBRSCOPE_SESSION_A_SAMPLE requests them; USER_REGS
	 * and USER_STACK only in the samples that LBRSCOPE_SESSION_A_STACK_MODE chooses.
	 */

	/*
	 * u64[LBRSCOPE_USER_REGS_NR]: ax bx cx dx si di bp sp ip flags cs ss r8
	 * to r15 of user mode, which is the order of PERF_REG_X86_*.  For a
	 * sample in the kernel: the registers at the moment when user mode was
	 * left.  Absent if these are unknown: in kernel threads, and while the
	 * kernel's entry code is storing them.
	 */
	LBRSCOPE_FORMAT_USER_REGS = 1U << 8,
	/*
	 * u64 size, a multiple of 8, and size bytes of user memory from that
	 * sp on.  They end at the stack pointer that the thread began with (see
	 * USER_DEPTH), at the requested size, or at the first page that is not
	 * in memory, whichever comes first.  Present if USER_REGS could be.  The
	 * stack continues above these bytes if USER_DEPTH, as an unsigned number,
	 * is larger than size.
	 */
	LBRSCOPE_FORMAT_USER_STACK = 1U << 9,
	/*
	 * u64 nr, up to LBRSCOPE_KERNEL_CHAIN_MAX, and u64[nr]: return addresses
	 * in the kernel, youngest first; for a sample in the kernel.  Records of
	 * times off the CPU always have it; its nr is 0 while a kretprobe waits for
	 * the return of one of the task's functions.
	 */
	LBRSCOPE_FORMAT_KERNEL_CHAIN = 1U << 10,
	/*
	 * u64: id of the task's cgroup in the v2 hierarchy, which is the inode
	 * number of its directory
	 */
	LBRSCOPE_FORMAT_CGROUP = 1U << 11,
	/*
	 * u64: the depth of the user stack: bytes from the stack pointer up to the
	 * one that the thread began with.  A thread begins at its exec, or where
	 * clone() put its stack; after fork() and vfork() it continues on its
	 * parent's.  On another stack (sigaltstack(), a coroutine's) the number has
	 * no meaning, and is negative if that stack is at higher addresses.  If the
	 * beginning is unknown (a thread that existed before the session and is not
	 * the first of its process) it is minus the stack pointer.  Present if
	 * USER_REGS could be; in records of times off the CPU, with USER_IP.
	 */
	LBRSCOPE_FORMAT_USER_DEPTH = 1U << 12,

	/*
	 * struct lbrscope_user_chain, its nr addresses and top words: the callers of the user
	 * address, by the tables of unwinding rules of its process; in records of
	 * times off the CPU with LBRSCOPE_OFFCPU_A_CALLERS, if the process had
	 * tables and the budget was not exceeded when the task left.  If
	 * LBRSCOPE_SESSION_A_SAMPLE requests it, a sample that would have USER_STACK
	 * has this instead of it and of USER_REGS, provided that the chain reaches
	 * LBRSCOPE_CHAIN_ENTRY; triggers and audits have the stack in any case
	 */
	LBRSCOPE_FORMAT_USER_CHAIN = 1U << 13,
};

/* Why a call chain ends. */
enum lbrscope_user_chain_end {
	LBRSCOPE_CHAIN_ENTRY,	/* nobody calls the last function */
	LBRSCOPE_CHAIN_NO_TABLE,	/* the last address is in no range of a table */
	LBRSCOPE_CHAIN_NO_RULE,	/* its table has no usable rules there, or they lead nowhere */
	LBRSCOPE_CHAIN_MEMORY,	/* they need memory that was not present, or is not of
				 * the thread's stack
				 */
	LBRSCOPE_CHAIN_FULL,	/* LBRSCOPE_USER_CHAIN_MAX addresses */
	LBRSCOPE_CHAIN_TIME,	/* it took too long */
};

/* The field of LBRSCOPE_FORMAT_USER_CHAIN; u64[nr] follow: return addresses, youngest first. */
struct lbrscope_user_chain {
	__u16 nr;
	__u8 end;		/* enum lbrscope_user_chain_end */
	__u8 top;		/* words of the stack behind the addresses, from its
				 * pointer on: LBRSCOPE_USER_CHAIN_TOP if the innermost
				 * function was left by LBRSCOPE_UNWIND_POINTER, else 0
				 */
	__u32 generation;	/* of the tables: LBRSCOPE_UNWIND_A_GENERATION */
};

#define LBRSCOPE_USER_CHAIN_MAX		500	/* addresses */
#define LBRSCOPE_USER_CHAIN_TOP		2	/* words */

/* The field of LBRSCOPE_FORMAT_TASK. */
struct lbrscope_task {
	__u32 tid;	/* thread, in the pid namespace of the task that
			 * configured the session; 0 for the idle task
			 */
	__u32 pid;	/* process, in the same namespace */
};

/*
 * The field of LBRSCOPE_FORMAT_LBR_PACKED: the bits of the three registers that have a
 * meaning.  FROM and TO are these 48 bits, sign-extended from bit 47; INFO consists of
 * cycles, and of flags from bit 48 on.
 */
struct lbrscope_branch {
	__u32 from_low;		/* FROM[31:0] */
	__u16 from_high;	/* FROM[47:32] */
	__u16 cycles;		/* INFO[15:0] */
	__u32 to_low;		/* TO[31:0] */
	__u16 to_high;		/* TO[47:32] */
	__u16 flags;		/* INFO[63:48] */
};

/* The fields that LBRSCOPE_SESSION_A_SAMPLE can request. */
#define LBRSCOPE_FORMAT_REQUESTS \
	(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK | \
	 LBRSCOPE_FORMAT_KERNEL_CHAIN | LBRSCOPE_FORMAT_CGROUP | \
	 LBRSCOPE_FORMAT_USER_DEPTH | LBRSCOPE_FORMAT_USER_CHAIN)

#define LBRSCOPE_USER_REGS_NR		20
#define LBRSCOPE_KERNEL_CHAIN_MAX	127	/* addresses */

enum lbrscope_sample_flag {
	LBRSCOPE_SAMPLE_USER = 1U << 0,		/* ip is a user-mode address */
	LBRSCOPE_SAMPLE_GUEST = 1U << 1,	/* a virtual CPU ran: ip is the
						 * host's; no branches
						 */
	LBRSCOPE_SAMPLE_LBR_BUSY = 1U << 2,	/* no branches: the registers held
						 * those of another task (at a
						 * context switch, or the task is
						 * untracked)
						 */
	LBRSCOPE_SAMPLE_AUDIT = 1U << 3,	/* LBRSCOPE_SESSION_A_STACK_AUDIT chose
						 * it: its process is not selected
						 */
	LBRSCOPE_SAMPLE_LBR_OFF = 1U << 4,	/* no branches: somebody else had
						 * switched their recording off (a
						 * watchpoint of perf or a debugger,
						 * bpf_get_branch_snapshot()); it is on
						 * again, and the next call stack
						 * begins anew
						 */
	LBRSCOPE_SAMPLE_CROWDED = 1U << 5,	/* its process is selected
						 * (LBRSCOPE_CMD_TASK_STACK); it has no stack,
						 * since more than half of the ring waited for
						 * its reader
						 */
};

struct lbrscope_sample {
	struct lbrscope_record rec;
	__u64 time;	/* ns, CLOCK_MONOTONIC */
	__u64 ip;	/* the interrupted instruction */
};

/*
 * A trigger has fired: the fields of a sample at that moment, without those of an event
 * (PERIOD, GROUP).  It counts as a sample.  ip is the instruction of a UPROBE, the function
 * of a KPROBE, the return address of a KRETPROBE, and the address after the instruction for
 * a WATCHPOINT; for other kinds, the address where user mode was left.  The fields of
 * rec.format begin behind value.
 */
struct lbrscope_trigger {
	struct lbrscope_sample sample;
	__u64 value;	/* KRETPROBE: the returned value; EXIT: the thread's status, as
			 * of wait(); SIGNAL: its number; else 0
			 */
};

/*
 * The samples that were lost since the previous LOST record.  It is written as soon as there
 * is room again: at the next sample, or at the next switch of a sampled task.  Losses after
 * the last such record are only in the counts of the ring's first page.
 */
struct lbrscope_lost_record {
	struct lbrscope_record rec;	/* nr = number of elements of lost */
	__u64 time;			/* ns, CLOCK_MONOTONIC, of this record */
	__u64 lost[];			/* by enum lbrscope_lost */
};

/*
 * A change that keeps this CPU within the session's budget.  Such a record is written at the
 * first sample or context switch after the end of a window of a tenth of a second, if
 * something has changed in it.  stretch: periods are longer from here on, or shorter again;
 * stretched samples state their period (LBRSCOPE_FORMAT_PERIOD).  left_out: context switches
 * had spent their share, so that for the rest of the window only what counting needs was
 * done.  There was no record of a time off the CPU (LBRSCOPE_OFFCPU_THROTTLED), and the
 * branches of the next task were not followed: its samples have none
 * (LBRSCOPE_SAMPLE_LBR_BUSY) until its next switch, and no outer frames after that.
 */
struct lbrscope_budget {
	struct lbrscope_record rec;
	__u64 time;		/* ns, CLOCK_MONOTONIC */
	__u32 stretch;		/* factor of periods in thousandths; 1000: unchanged */
	__u32 share;		/* thousandths of the window's time that sampling
				 * took
				 */
	__u32 left_out;		/* such switches since the previous record */
	__u32 reserved;		/* 0 */
};

enum lbrscope_offcpu_flag {
	LBRSCOPE_OFFCPU_BY_INTERRUPT = 1U << 0,	/* an interrupt (a timer, a device)
						 * has woken it, not a task
						 */
};

/*
 * A task has come back to a CPU after it left one while the session sampled there.  The
 * fields that follow describe the moment when it left, which is time - off: USER_IP; the
 * branch words, which are its open calls with BRANCHES_CALL_STACK (else nr is 0); and the
 * kernel's call chain, which begins in the scheduler.
 */
struct lbrscope_offcpu {
	struct lbrscope_record rec;	/* event is 0 */
	__u64 time;	/* ns, CLOCK_MONOTONIC: when it came back */
	__u64 off;	/* ns off the CPU, at least LBRSCOPE_OFFCPU_A_MIN */
	__u32 pid;	/* as in struct lbrscope_task */
	__u32 tid;
	__u32 waker_pid;	/* the process that made it ready to run, with
				 * LBRSCOPE_OFFCPU_A_WAKER.  0: not requested, outside
				 * of the pid namespace, an interrupt (see flags), or
				 * state 'R'
				 */
	__u32 waker_tid;
	/*
	 * Its state when it left, a letter as in /proc/PID/stat: 'R' ready to
	 * run (preempted, or sched_yield()), 'S' and 'D' asleep with and without
	 * signals, 'T' and 't' stopped, 'I' idle, ...; '?' unknown, because it
	 * was already being woken
	 */
	__u8 state;
	__u8 reserved[7];	/* 0 */
};

#define LBRSCOPE_COMM_LEN	16

/*
 * The counts of a task, in a session with TASK_COUNTS: as a record when the task has ended,
 * and by LBRSCOPE_CMD_TASK_COUNTS_GET before.  The record is in the ring of the CPU where the
 * task has ended, even if that CPU is not sampled.
 */
struct lbrscope_task_counts {
	struct lbrscope_record rec;	/* event is 0; nr = elements of counts */
	__u64 time;	/* ns, CLOCK_MONOTONIC, of these counts */
	__u64 id;	/* of the task, from 1, unique in this run of the session; older
			 * tasks have smaller ones
			 */
	__u32 tid;	/* as in struct lbrscope_task */
	__u32 pid;
	char comm[LBRSCOPE_COMM_LEN];	/* its name, ends with a NUL; empty if the task
					 * is hidden (see Rights)
					 */
	__u64 enabled;	/* ns that the CPU counted for it */
	struct {	/* by event, see struct lbrscope_count */
		__u64 value, running;
	} counts[];
};

#endif /* _UAPI_LINUX_LBRSCOPE_RING_H */
