/* SPDX-License-Identifier: GPL-2.0 */
/* A ring as the module lays it out, in memory that the test writes: one page
 * of head, then the records. */
#ifndef MEMORY_RING_H
#define MEMORY_RING_H

#include <linux/lbrscope_ring.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_RING_PAGE = 4096, MEMORY_RING_SIZE = 4096,
       MEMORY_RING_LEN = MEMORY_RING_PAGE + MEMORY_RING_SIZE };

struct memory_ring {
	struct lbrscope_ring *ring;
	struct lbrscope_ring_tail tail;
};

static inline void memory_ring_init(struct memory_ring *m)
{
	memset(m, 0, sizeof(*m));
	/* Exactly as long as its size, so that the sanitizer notices a read beyond it. */
	m->ring = calloc(1, MEMORY_RING_LEN);
	m->ring->magic = LBRSCOPE_RING_MAGIC;
	m->ring->version = LBRSCOPE_RING_VERSION;
	m->ring->data_offset = MEMORY_RING_PAGE;
	m->ring->data_size = MEMORY_RING_SIZE;
}

static inline void memory_ring_free(struct memory_ring *m)
{
	free(m->ring);
}

static inline void *memory_ring_at(struct memory_ring *m, uint64_t offset)
{
	return (char *)m->ring + MEMORY_RING_PAGE + offset % MEMORY_RING_SIZE;
}

/* Publishes a record of that many bytes, all 0 except its header. */
static inline void *memory_ring_put(struct memory_ring *m,
				    struct lbrscope_record head)
{
	struct lbrscope_record *record = memory_ring_at(m, m->ring->head);

	memset(record, 0, head.size);
	*record = head;
	m->ring->head += head.size;
	return record;
}

/* A user-mode sample of process 12, thread 13, with nr branches, from[i] = 1000 + i,
 * to[i] = 2000 + i. */
static inline struct lbrscope_sample *
memory_ring_sample(struct memory_ring *m, uint64_t time, uint64_t ip, int nr)
{
	struct lbrscope_sample *sample = memory_ring_put(m,
		(struct lbrscope_record){
			.size = sizeof(*sample) + sizeof(struct lbrscope_task) +
				16 * nr,
			.type = LBRSCOPE_RECORD_SAMPLE, .nr = nr,
			.format = LBRSCOPE_FORMAT_TASK |
				  LBRSCOPE_FORMAT_LBR_FROM |
				  LBRSCOPE_FORMAT_LBR_TO,
			.flags = LBRSCOPE_SAMPLE_USER });
	struct lbrscope_task *task = (struct lbrscope_task *)(sample + 1);
	uint64_t *words = (uint64_t *)(task + 1);
	int i;

	sample->time = time;
	sample->ip = ip;
	task->pid = 12;
	task->tid = 13;
	for (i = 0; i < nr; i++) {
		words[2 * i] = 1000 + i;
		words[2 * i + 1] = 2000 + i;
	}
	return sample;
}

#endif
