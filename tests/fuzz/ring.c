// SPDX-License-Identifier: GPL-2.0
/* A ring of the module: the first input bytes are its head page, the others its records. */
#include <linux/lbrscope_ring.h>

#include "fuzz.h"
#include "module/ring.h"

enum { PAGE = 4096, LEN = 2 * PAGE };

static void take(struct ring_reader *reader, const struct lbrscope_record *record)
{
	struct ring_trigger trigger;
	struct ring_sample sample;
	struct ring_offcpu offcpu;
	struct ring_budget budget;
	uint64_t lost;

	ring_reader_time(record);
	switch (record->type) {
	case LBRSCOPE_RECORD_SAMPLE:
		ring_reader_sample(reader, record, &sample);
		break;
	case LBRSCOPE_RECORD_OFFCPU:
		ring_reader_offcpu(reader, record, &offcpu);
		break;
	case LBRSCOPE_RECORD_TRIGGER:
		ring_reader_trigger(reader, record, &trigger);
		break;
	case LBRSCOPE_RECORD_BUDGET:
		ring_reader_budget(record, &budget);
		break;
	case LBRSCOPE_RECORD_LOST:
		ring_reader_lost(record, &lost);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t head = sizeof(struct lbrscope_ring);
	struct lbrscope_ring_tail tail = {};
	const struct lbrscope_record *record;
	struct ring_reader reader = {};
	struct lbrscope_ring *ring;
	char *memory = aligned_alloc(PAGE, LEN);

	if (!memory)
		abort();
	memset(memory, 0, LEN);
	ring = (struct lbrscope_ring *)memory;
	memcpy(memory, data, size < head ? size : head);
	if (size > head)
		memcpy(memory + PAGE, data + head, size - head < PAGE ? size - head : PAGE);
	/* The fields that the module writes when the ring is mapped; the input has the others. */
	ring->magic = LBRSCOPE_RING_MAGIC;
	ring->version = LBRSCOPE_RING_VERSION;
	ring->data_offset = PAGE;
	ring->data_size = PAGE;
	if (!ring_reader_init(&reader, ring, &tail, LEN) && !ring_reader_refresh(&reader))
		for (int i = 0; i < PAGE && ring_reader_peek(&reader, &record) == 1; i++) {
			take(&reader, record);
			ring_reader_consume(&reader);
		}
	free(memory);
	return 0;
}
