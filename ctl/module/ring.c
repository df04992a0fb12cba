// SPDX-License-Identifier: GPL-2.0
/* Reads the ring of one CPU. */
#include <ctype.h>
#include <errno.h>
#include <linux/lbrscope.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "module/ring.h"

int ring_reader_init(struct ring_reader *reader,
		     const struct lbrscope_ring *ring,
		     struct lbrscope_ring_tail *tail_page, size_t len)
{
	uint32_t offset = ring->data_offset, size = ring->data_size;

	memset(reader, 0, sizeof(*reader));
	if (ring->magic != LBRSCOPE_RING_MAGIC)
		return -EPROTO;
	if (ring->version != LBRSCOPE_RING_VERSION)
		return -ENOTSUP;
	if (!size || size & (size - 1) || offset < sizeof(*ring) ||
	    offset % 8 || offset > len || size != len - offset)
		return -EPROTO;
	reader->ring = ring;
	reader->tail_page = tail_page;
	reader->data = (const char *)ring + offset;
	reader->data_size = size;
	reader->tail = tail_page->tail;
	reader->head = reader->tail;
	return 0;
}

int ring_reader_corrupt(unsigned int cpu)
{
	return err_fail("the ring of CPU %u is corrupt: module and lbrctl are of different "
			"builds, or the module has a bug; run 'lbrctl unload', then 'lbrctl "
			"load' with the matching module",
			cpu);
}

int ring_reader_map(struct ring_reader *reader, int fd, unsigned int cpu,
		    uint32_t data_size)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t len = page + data_size;
	void *ring, *tail;
	int err;

	ring = mmap(NULL, len, PROT_READ, MAP_SHARED, fd,
		    LBRSCOPE_RING_OFF(cpu));
	if (ring == MAP_FAILED && errno == ENXIO) {
		memset(reader, 0, sizeof(*reader));
		return 0;
	}
	if (ring == MAP_FAILED)
		return err_errno("mapping the ring of CPU %u", cpu);
	tail = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    LBRSCOPE_RING_TAIL_OFF(cpu));
	if (tail == MAP_FAILED) {
		err_errno("mapping the tail of the ring of CPU %u", cpu);
		munmap(ring, len);
		return -1;
	}
	err = ring_reader_init(reader, ring, tail, len);
	if (!err)
		return 0;
	munmap(ring, len);
	munmap(tail, page);
	if (err != -ENOTSUP)
		return ring_reader_corrupt(cpu);
	return err_fail("the ring of CPU %u does not have version %u: module and lbrctl are of "
			"different versions; run 'lbrctl unload', then 'lbrctl load' with the "
			"matching module",
			cpu, LBRSCOPE_RING_VERSION);
}

void ring_reader_unmap(struct ring_reader *reader)
{
	if (!reader->ring)
		return;
	munmap((void *)reader->ring,
	       reader->data - (const char *)reader->ring + reader->data_size);
	munmap(reader->tail_page, sysconf(_SC_PAGESIZE));
	memset(reader, 0, sizeof(*reader));
}

int ring_reader_refresh(struct ring_reader *reader)
{
	uint64_t head, tail = reader->tail;

	if (!reader->ring)
		return 0;
	/* Pairs with B of <linux/lbrscope_ring.h>: records before head. */
	head = __atomic_load_n(&reader->ring->head, __ATOMIC_ACQUIRE);
	/* The oldest record of a ring that overwrites, which is frozen now; else 0. */
	if (reader->ring->oldest > tail)
		tail = reader->ring->oldest;
	if (head % 8 || tail % 8 || head < reader->head || tail > head ||
	    head - tail > reader->data_size)
		return -EPROTO;
	reader->head = head;
	reader->tail = tail;
	return 0;
}

static const struct lbrscope_record *
ring_reader_at(const struct ring_reader *reader)
{
	return (const void *)(reader->data +
			      (reader->tail & (reader->data_size - 1)));
}

int ring_reader_peek(struct ring_reader *reader,
		     const struct lbrscope_record **record)
{
	const struct lbrscope_record *r;
	uint64_t left;

	while (reader->tail != reader->head) {
		r = ring_reader_at(reader);
		left = reader->data_size -
		       (reader->tail & (reader->data_size - 1));
		if (left > reader->head - reader->tail)
			left = reader->head - reader->tail;
		if (r->size < sizeof(*r) || r->size % 8 || r->size > left)
			return -EPROTO;
		if (r->type != LBRSCOPE_RECORD_PAD) {
			*record = r;
			return 1;
		}
		reader->tail += r->size;
	}
	return 0;
}

void ring_reader_consume(struct ring_reader *reader)
{
	reader->tail += ring_reader_at(reader)->size;
}

void ring_reader_release(struct ring_reader *reader)
{
	if (!reader->ring)
		return;
	/* Pairs with A: the reads are done before the kernel overwrites. */
	__atomic_store_n(&reader->tail_page->tail, reader->tail,
			 __ATOMIC_RELEASE);
}

uint64_t ring_reader_pending(const struct ring_reader *reader)
{
	return reader->head - reader->tail;
}

uint64_t ring_reader_begun(const struct ring_reader *reader)
{
	return reader->ring ? __atomic_load_n(&reader->ring->begun, __ATOMIC_RELAXED) : 0;
}

uint64_t ring_reader_time(const struct lbrscope_record *record)
{
	if ((record->type == LBRSCOPE_RECORD_SAMPLE ||
	     record->type == LBRSCOPE_RECORD_TRIGGER) &&
	    record->size >= sizeof(struct lbrscope_sample))
		return ((const struct lbrscope_sample *)record)->time;
	if (record->type == LBRSCOPE_RECORD_LOST &&
	    record->size >= sizeof(struct lbrscope_lost_record))
		return ((const struct lbrscope_lost_record *)record)->time;
	if (record->type == LBRSCOPE_RECORD_OFFCPU &&
	    record->size >= sizeof(struct lbrscope_offcpu))
		return ((const struct lbrscope_offcpu *)record)->time;
	if (record->type == LBRSCOPE_RECORD_BUDGET &&
	    record->size >= sizeof(struct lbrscope_budget))
		return ((const struct lbrscope_budget *)record)->time;
	return 0;
}

/* The words of a sample that are not parsed yet. */
struct ring_words {
	const uint64_t *at;
	uint64_t left;
	bool failed;		/* more words were taken than there are */
};

static const uint64_t *ring_take(struct ring_words *w, uint64_t nr)
{
	const uint64_t *at = w->at;

	if (w->failed || nr > w->left) {
		w->failed = true;
		return NULL;
	}
	w->at += nr;
	w->left -= nr;
	return at;
}

static uint64_t ring_take_word(struct ring_words *w)
{
	const uint64_t *word = ring_take(w, 1);

	return word ? *word : 0;
}

/* Packed addresses have 48 bits; the top bit is copied to all bits above. */
static uint64_t ring_address(uint32_t low, uint16_t high)
{
	return (uint64_t)((int64_t)((uint64_t)high << 48 | (uint64_t)low << 16) >> 16);
}

static void ring_unpack_branches(struct ring_reader *reader,
				 const struct lbrscope_branch *packed, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct lbrscope_branch *b = &packed[i];

		reader->from[i] = ring_address(b->from_low, b->from_high);
		reader->to[i] = ring_address(b->to_low, b->to_high);
		reader->info[i] = (uint64_t)b->flags << 48 | b->cycles;
	}
}

/* Reads entries of `words` words; a constant at compile time. */
static inline void ring_split_branches(struct ring_reader *reader, const uint64_t *word,
				       unsigned int nr, const unsigned int words)
{
	for (unsigned int i = 0; i < nr; i++, word += words) {
		reader->from[i] = word[0];
		if (words > 1)
			reader->to[i] = word[1];
		if (words > 2)
			reader->info[i] = word[2];
	}
}

/* INFO implies TO, and TO implies FROM. */
static void ring_take_branches(struct ring_reader *reader, struct ring_words *w,
			       unsigned int format, struct ring_sample *sample)
{
	const bool packed = format & LBRSCOPE_FORMAT_LBR_PACKED;
	const bool info = packed || format & LBRSCOPE_FORMAT_LBR_INFO;
	const bool to = info || format & LBRSCOPE_FORMAT_LBR_TO;
	const bool from = to || format & LBRSCOPE_FORMAT_LBR_FROM;
	const unsigned int words = packed ? 2 : from + to + info;
	const uint64_t *word = ring_take(w, sample->nr * words);

	if (!word)
		return;
	if (packed)
		ring_unpack_branches(reader, (const void *)word, sample->nr);
	else if (words == 3)
		ring_split_branches(reader, word, sample->nr, 3);
	else if (words == 2)
		ring_split_branches(reader, word, sample->nr, 2);
	else if (words == 1)
		ring_split_branches(reader, word, sample->nr, 1);
	sample->from = from ? reader->from : NULL;
	sample->to = to ? reader->to : NULL;
	sample->info = info ? reader->info : NULL;
}

static void ring_take_task(struct ring_words *w, struct ring_sample *sample)
{
	const struct lbrscope_task *task = (const void *)ring_take(w, 1);

	if (!task)
		return;
	sample->pid = task->pid;
	sample->tid = task->tid;
}

/* Fields that exist only if LBRSCOPE_SESSION_A_SAMPLE requested them. */
static void ring_take_requests(struct ring_words *w, unsigned int format,
			       struct ring_sample *sample)
{
	if (format & LBRSCOPE_FORMAT_USER_REGS)
		sample->user_regs = ring_take(w, LBRSCOPE_USER_REGS_NR);
	if (format & LBRSCOPE_FORMAT_USER_STACK) {
		sample->user_stack_size = ring_take_word(w);
		sample->user_stack = ring_take(w, sample->user_stack_size /
						  sizeof(*w->at));
	}
	if (format & LBRSCOPE_FORMAT_KERNEL_CHAIN) {
		sample->nr_chain = ring_take_word(w);
		sample->chain = ring_take(w, sample->nr_chain);
	}
	if (format & LBRSCOPE_FORMAT_CGROUP)
		sample->cgroup = ring_take_word(w);
	sample->has_depth = format & LBRSCOPE_FORMAT_USER_DEPTH;
	if (sample->has_depth)
		sample->depth = ring_take_word(w);
	if (sample->user_stack_size % sizeof(*w->at) ||
	    sample->user_stack_size > LBRSCOPE_USER_STACK_MAX ||
	    sample->nr_chain > LBRSCOPE_KERNEL_CHAIN_MAX)
		w->failed = true;
}

/* A header of one word, and as many addresses and words as it says. */
static void ring_take_callers(struct ring_words *w, struct ring_sample *sample)
{
	sample->callers = (const void *)ring_take(w, 1);
	if (!sample->callers)
		return;
	ring_take(w, sample->callers->nr + sample->callers->top);
	if (sample->callers->nr > LBRSCOPE_USER_CHAIN_MAX ||
	    (sample->callers->top && sample->callers->top != LBRSCOPE_USER_CHAIN_TOP))
		w->failed = true;
}

/* Reads the fields that the format announces, after a header of `size` bytes. */
static int ring_reader_words(struct ring_reader *reader,
			     const struct lbrscope_record *record, size_t head,
			     struct ring_sample *sample)
{
	unsigned int format = record->format;
	struct ring_words w = {
		.at = (const void *)((const char *)record + head),
		.left = (record->size - head) / sizeof(*w.at),
	};

	sample->nr = record->nr;
	if (format & LBRSCOPE_FORMAT_TASK)
		ring_take_task(&w, sample);
	sample->has_user_ip = format & LBRSCOPE_FORMAT_USER_IP;
	if (sample->has_user_ip)
		sample->user_ip = ring_take_word(&w);
	ring_take_branches(reader, &w, format, sample);
	if (format & LBRSCOPE_FORMAT_PERIOD)
		sample->period = ring_take_word(&w);
	if (format & LBRSCOPE_FORMAT_GROUP) {
		sample->nr_group = ring_take_word(&w);
		sample->group = ring_take(&w, sample->nr_group);
	}
	if (format & LBRSCOPE_FORMAT_REQUESTS)
		ring_take_requests(&w, format, sample);
	if (format & LBRSCOPE_FORMAT_USER_CHAIN)
		ring_take_callers(&w, sample);
	return w.failed ? -EPROTO : 0;
}

static int ring_reader_sampled(struct ring_reader *reader,
			       const struct lbrscope_record *record, size_t head,
			       struct ring_sample *sample)
{
	const struct lbrscope_sample *s = (const void *)record;

	memset(sample, 0, sizeof(*sample));
	if (record->size < head)
		return -EPROTO;
	sample->event = record->event;
	sample->time = s->time;
	sample->ip = s->ip;
	sample->flags = record->flags;
	return ring_reader_words(reader, record, head, sample);
}

int ring_reader_sample(struct ring_reader *reader,
		       const struct lbrscope_record *record,
		       struct ring_sample *sample)
{
	if (ring_reader_sampled(reader, record, sizeof(struct lbrscope_sample),
				sample))
		return -EPROTO;
	if (record->format & LBRSCOPE_FORMAT_TASK) {
		reader->named = true;
		reader->task.pid = sample->pid;
		reader->task.tid = sample->tid;
	} else if (!reader->named) {
		return -EPROTO;
	}
	sample->pid = reader->task.pid;
	sample->tid = reader->task.tid;
	return 0;
}

int ring_reader_trigger(struct ring_reader *reader,
			const struct lbrscope_record *record,
			struct ring_trigger *trigger)
{
	const struct lbrscope_trigger *t = (const void *)record;

	if (!(record->format & LBRSCOPE_FORMAT_TASK) ||
	    ring_reader_sampled(reader, record, sizeof(*t), &trigger->at))
		return -EPROTO;
	trigger->value = t->value;
	return 0;
}

int ring_reader_offcpu(struct ring_reader *reader,
		       const struct lbrscope_record *record,
		       struct ring_offcpu *offcpu)
{
	const struct lbrscope_offcpu *o = (const void *)record;

	memset(offcpu, 0, sizeof(*offcpu));
	if (record->size < sizeof(*o))
		return -EPROTO;
	if (ring_reader_words(reader, record, sizeof(*o), &offcpu->at))
		return -EPROTO;
	offcpu->at.time = o->time;
	offcpu->at.pid = o->pid;
	offcpu->at.tid = o->tid;
	offcpu->off = o->off;
	offcpu->state = isalpha(o->state) ? o->state : '?';
	offcpu->by_interrupt = record->flags & LBRSCOPE_OFFCPU_BY_INTERRUPT;
	offcpu->waker_pid = o->waker_pid;
	offcpu->waker_tid = o->waker_tid;
	return 0;
}

int ring_reader_budget(const struct lbrscope_record *record,
		       struct ring_budget *budget)
{
	const struct lbrscope_budget *b = (const void *)record;

	if (record->size < sizeof(*b))
		return -EPROTO;
	*budget = (struct ring_budget){
		.time = b->time, .stretch = b->stretch, .share = b->share,
		.left_out = b->left_out,
	};
	return 0;
}

int ring_reader_lost(const struct lbrscope_record *record, uint64_t *lost)
{
	const struct lbrscope_lost_record *r = (const void *)record;
	unsigned int i;

	*lost = 0;
	if (record->size < sizeof(*r) + record->nr * sizeof(r->lost[0]))
		return -EPROTO;
	for (i = 0; i < record->nr; i++)
		*lost += r->lost[i];
	return 0;
}
