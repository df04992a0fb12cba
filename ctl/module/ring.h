/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the ring of one CPU. */
#ifndef LBRCTL_MODULE_RING_H
#define LBRCTL_MODULE_RING_H

#include <linux/lbrscope_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The mapped ring of one CPU; <linux/lbrscope_ring.h> describes the protocol. */
struct ring_reader {
	const struct lbrscope_ring *ring;	/* NULL: this CPU has no ring */
	struct lbrscope_ring_tail *tail_page;
	const char *data;
	uint32_t data_size;	/* bytes, a power of two; a private copy, checked once */
	uint64_t tail;		/* bytes read; the kernel learns of them only by
				 * ring_reader_release()
				 */
	uint64_t head;		/* as of ring_reader_refresh() */
	bool named;		/* a sample has named its task: */
	struct lbrscope_task task;	/* samples without a task belong to this one */
	/* The branches of the last parsed record. */
	uint64_t from[UINT8_MAX], to[UINT8_MAX], info[UINT8_MAX];
};

/* A parsed LBRSCOPE_RECORD_SAMPLE. The arrays point into the ring and its reader, and are valid
 * until the record is released or the next one is parsed. */
struct ring_sample {
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint64_t ip;
	uint32_t pid, tid;
	uint8_t flags;		/* LBRSCOPE_SAMPLE_* */
	bool has_user_ip;
	uint64_t user_ip;	/* the address in user mode */
	uint8_t nr;		/* branch entries, youngest first; raw words */
	uint64_t period;	/* number of events that it represents; 0: as configured */
	uint8_t event;		/* index of the event */
	uint64_t nr_group;
	const uint64_t *group;	/* counts of its group; NULL: not read */
	const uint64_t *from, *to, *info;	/* NULL when not recorded */
	const uint64_t *user_regs;	/* LBRSCOPE_USER_REGS_NR; NULL: unknown */
	const uint64_t *user_stack;	/* from its sp on; NULL: not recorded */
	uint64_t user_stack_size;	/* bytes */
	const uint64_t *chain;		/* return addresses in the kernel, youngest
					 * first */
	uint64_t nr_chain;
	uint64_t cgroup;		/* id; 0: not recorded */
	bool has_depth;
	int64_t depth;			/* LBRSCOPE_FORMAT_USER_DEPTH */
	const struct lbrscope_user_chain *callers;	/* of the user address; NULL: not unwound */
};

/* Returns the address in user mode, or 0 if it is not known. */
static inline uint64_t ring_sample_user_ip(const struct ring_sample *s)
{
	return s->flags & LBRSCOPE_SAMPLE_USER ? s->ip :
	       s->has_user_ip ? s->user_ip : 0;
}

/* A parsed LBRSCOPE_RECORD_OFFCPU. */
struct ring_offcpu {
	struct ring_sample at;	/* where it left the CPU; time is when it came back */
	uint64_t off;		/* ns */
	char state;		/* a letter, or '?' for an invalid one */
	bool by_interrupt;	/* an interrupt, not a task, woke it */
	uint32_t waker_pid, waker_tid;	/* 0: not known */
};

/* A parsed LBRSCOPE_RECORD_TRIGGER. */
struct ring_trigger {
	struct ring_sample at;	/* event is the trigger's index */
	uint64_t value;		/* of struct lbrscope_trigger */
};

/* A parsed LBRSCOPE_RECORD_BUDGET. */
struct ring_budget {
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint32_t stretch, share, left_out;	/* of struct lbrscope_budget */
};

/* Maps the ring of a cpu from an open LBRSCOPE_DEVICE whose session has rings of data_size
 * bytes. For a CPU that is not sampled there is no ring: its reader has no records. Returns 0,
 * or -1 with a message. */
int ring_reader_map(struct ring_reader *reader, int fd, unsigned int cpu,
		    uint32_t data_size);
void ring_reader_unmap(struct ring_reader *reader);

/* Prints that a CPU's ring has data that the module cannot have written, after -EPROTO. Returns
 * -1. */
int ring_reader_corrupt(unsigned int cpu);

/* Checks the first page of a mapping of len bytes. Returns 0, -EPROTO if it is not a ring,
 * -ENOTSUP if its version is unknown. */
int ring_reader_init(struct ring_reader *reader,
		     const struct lbrscope_ring *ring,
		     struct lbrscope_ring_tail *tail_page, size_t len);

/* Reads the positions that the kernel has published: the end of the records, and the oldest
 * one. A ring that overwrites must be frozen. Returns 0 or -EPROTO. */
int ring_reader_refresh(struct ring_reader *reader);

/* Finds the oldest record before the head last read that is not consumed yet. Returns 1 and
 * *record, 0 without a record, -EPROTO if the data is not a record. Skips padding. */
int ring_reader_peek(struct ring_reader *reader,
		     const struct lbrscope_record **record);

/* Steps over the record from ring_reader_peek(). */
void ring_reader_consume(struct ring_reader *reader);

/* Returns the space of all consumed records to the kernel. */
void ring_reader_release(struct ring_reader *reader);

/* Bytes published and not consumed, as of the last refresh. */
uint64_t ring_reader_pending(const struct ring_reader *reader);

/* Number of times that the session was begun on the CPU, which may have been offline in between. */
uint64_t ring_reader_begun(const struct ring_reader *reader);

/* Time of a record in ns; 0 for a type without one. */
uint64_t ring_reader_time(const struct lbrscope_record *record);

/* Parses a record of the type. Returns 0, or -EPROTO if it is shorter than its format requires.
 * Call it for every sample, in order: a sample without a task belongs to the task of the
 * previous one. */
int ring_reader_sample(struct ring_reader *reader,
		       const struct lbrscope_record *record,
		       struct ring_sample *sample);

int ring_reader_offcpu(struct ring_reader *reader,
		       const struct lbrscope_record *record,
		       struct ring_offcpu *offcpu);
int ring_reader_trigger(struct ring_reader *reader,
			const struct lbrscope_record *record,
			struct ring_trigger *trigger);

int ring_reader_budget(const struct lbrscope_record *record,
		       struct ring_budget *budget);

/* The sum over the causes of a LBRSCOPE_RECORD_LOST; or -EPROTO. */
int ring_reader_lost(const struct lbrscope_record *record, uint64_t *lost);

#endif
