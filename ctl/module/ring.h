/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the ring of one CPU. */
#ifndef LBRCTL_MODULE_RING_H
#define LBRCTL_MODULE_RING_H

#include <linux/lbrscope_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ring of one CPU, mapped; the protocol stands in <linux/lbrscope_ring.h>. */
struct ring_reader {
	const struct lbrscope_ring *ring;	/* NULL: there is none */
	struct lbrscope_ring_tail *tail_page;
	const char *data;
	uint32_t data_size;	/* bytes, a power of two; checked once, then ours */
	uint64_t tail;		/* bytes read; the kernel knows of them only
				 * after ring_reader_release() */
	uint64_t head;		/* as of ring_reader_refresh() */
	bool named;		/* a sample has said whose it is: */
	struct lbrscope_task task;	/* and so those are that do not */
	/* The branches of the record taken apart last. */
	uint64_t from[UINT8_MAX], to[UINT8_MAX], info[UINT8_MAX];
};

/* A LBRSCOPE_RECORD_SAMPLE taken apart. The arrays point into the ring and its
 * reader, and are valid until the record is released or the next one taken apart. */
struct ring_sample {
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint64_t ip;
	uint32_t pid, tid;
	uint8_t flags;		/* LBRSCOPE_SAMPLE_* */
	bool has_user_ip;
	uint64_t user_ip;	/* where user mode was left */
	uint8_t nr;		/* branch entries, youngest first; raw words */
	uint64_t period;	/* events it stands for; 0: as configured */
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
};

/* A LBRSCOPE_RECORD_OFFCPU likewise. */
struct ring_offcpu {
	struct ring_sample at;	/* where it left; time is when it came back */
	uint64_t off;		/* ns */
	char state;		/* a letter, '?' for one that is none */
	bool by_interrupt;	/* woken by no task */
	uint32_t waker_pid, waker_tid;	/* 0: not known */
};

/* A LBRSCOPE_RECORD_TRIGGER likewise. */
struct ring_trigger {
	struct ring_sample at;	/* event is the trigger's index */
	uint64_t value;		/* of struct lbrscope_trigger */
};

/* A LBRSCOPE_RECORD_BUDGET likewise. */
struct ring_budget {
	uint64_t time;		/* ns, CLOCK_MONOTONIC */
	uint32_t stretch, share, left_out;	/* of struct lbrscope_budget */
};

/* Maps the ring of a cpu from an open LBRSCOPE_DEVICE whose session was set up
 * with rings of data_size bytes. A CPU that takes no part has none: its reader has
 * no records. Returns 0 or -1 with a message. */
int ring_reader_map(struct ring_reader *reader, int fd, unsigned int cpu,
		    uint32_t data_size);
void ring_reader_unmap(struct ring_reader *reader);

/* Says of a cpu's ring that there is something in it which the module cannot have
 * written there, as -EPROTO tells. Returns -1. */
int ring_reader_corrupt(unsigned int cpu);

/* Checks the first page of a mapping of len bytes. Returns 0, -EPROTO when it
 * is no ring, -ENOTSUP for a version of the ring that we do not know. */
int ring_reader_init(struct ring_reader *reader,
		     const struct lbrscope_ring *ring,
		     struct lbrscope_ring_tail *tail_page, size_t len);

/* Sees what the kernel has published by now, and not overwritten. Of a ring that
 * overwrites only while it is frozen. Returns 0 or -EPROTO. */
int ring_reader_refresh(struct ring_reader *reader);

/* The oldest record up to the head last seen, which is not consumed yet: 1 and
 * *record, 0 when there is none, -EPROTO when what lies there is no record.
 * Padding is skipped. */
int ring_reader_peek(struct ring_reader *reader,
		     const struct lbrscope_record **record);

/* Steps over the record that ring_reader_peek() gave. */
void ring_reader_consume(struct ring_reader *reader);

/* Lets the kernel have the room of everything consumed. */
void ring_reader_release(struct ring_reader *reader);

/* Bytes published and not consumed, as of the last refresh. */
uint64_t ring_reader_pending(const struct ring_reader *reader);

/* Times that the session has begun on the CPU, which may have gone and come back. */
uint64_t ring_reader_begun(const struct ring_reader *reader);

/* Time of a record in ns; 0 for a type without one. */
uint64_t ring_reader_time(const struct lbrscope_record *record);

/* Takes a record of the type apart. Returns 0, or -EPROTO when its size does
 * not hold what its format announces. Every sample has to be, in their order: one
 * that does not say whose it is is of the same task as the last. */
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

/* Sum over the causes of a LBRSCOPE_RECORD_LOST; -EPROTO likewise. */
int ring_reader_lost(const struct lbrscope_record *record, uint64_t *lost);

#endif
