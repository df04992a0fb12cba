// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile.proto (github.com/google/pprof/proto), compressed as its readers expect.
 * Values are samples and events (or nanoseconds). The thread is a label. A location is a
 * function, because the profile has no addresses.
 *
 * Field numbers are those of the .proto; string 0 is "".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/grow.h"
#include "export/format.h"

enum {
	PPROF_SAMPLE_TYPE = 1, PPROF_SAMPLE = 2, PPROF_MAPPING = 3,
	PPROF_LOCATION = 4, PPROF_FUNCTION = 5, PPROF_STRING = 6,
	PPROF_DURATION = 10,
};

enum { PPROF_EMPTY, PPROF_SAMPLES, PPROF_COUNT, PPROF_EVENT, PPROF_UNIT,
       PPROF_THREAD, PPROF_NR_STRINGS };

struct pprof_message {
	uint8_t *bytes;
	size_t nr, max;
	bool failed;		/* memory was short */
};

static void pprof_byte(struct pprof_message *m, uint8_t byte)
{
	if (room_for(&m->bytes, m->nr + 1, &m->max, 1))
		m->failed = true;
	else
		m->bytes[m->nr++] = byte;
}

static void pprof_varint(struct pprof_message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		pprof_byte(m, value | 0x80);
	pprof_byte(m, value);
}

/* Fields that are 0 are left out, as in proto3. */
static void pprof_number(struct pprof_message *m, int field, uint64_t value)
{
	if (!value)
		return;
	pprof_varint(m, field << 3);
	pprof_varint(m, value);
}

static void pprof_bytes(struct pprof_message *m, int field, const void *bytes,
			size_t nr)
{
	pprof_varint(m, field << 3 | 2);
	pprof_varint(m, nr);
	for (size_t i = 0; i < nr; i++)
		pprof_byte(m, ((const uint8_t *)bytes)[i]);
}

/* Appends a message to the outer one; the inner one is empty again. */
static void pprof_end(struct pprof_message *outer, int field,
		      struct pprof_message *inner)
{
	pprof_bytes(outer, field, inner->bytes, inner->nr);
	outer->failed |= inner->failed;
	inner->nr = 0;
}

struct pprof {
	const struct profile *profile;
	struct pprof_message whole, part, numbers;
};

/* An entry's location and function. Strings: name, then object. */
static uint64_t pprof_id(uint32_t entry)
{
	return entry + 1;
}

static uint64_t pprof_name(uint32_t entry)
{
	return PPROF_NR_STRINGS + 2 * (uint64_t)entry;
}

static int pprof_stack(void *ctx, const struct profile_stack *stack)
{
	struct pprof *p = ctx;
	const struct profile_node *nodes = p->profile->nodes;

	for (size_t i = stack->nr; i-- > 1;)	/* leaf first, without the thread */
		pprof_varint(&p->numbers, pprof_id(nodes[stack->nodes[i]].entry));
	pprof_end(&p->part, 1, &p->numbers);
	pprof_varint(&p->numbers, stack->samples);
	pprof_varint(&p->numbers, stack->period);
	pprof_end(&p->part, 2, &p->numbers);
	pprof_number(&p->numbers, 1, PPROF_THREAD);
	pprof_number(&p->numbers, 2, pprof_name(nodes[stack->nodes[0]].entry));
	pprof_end(&p->part, 3, &p->numbers);
	pprof_end(&p->whole, PPROF_SAMPLE, &p->part);
	return 0;
}

static void pprof_value_type(struct pprof *p, int type, int unit)
{
	pprof_number(&p->part, 1, type);
	pprof_number(&p->part, 2, unit);
	pprof_end(&p->whole, PPROF_SAMPLE_TYPE, &p->part);
}

static void pprof_string(struct pprof *p, const char *text)
{
	pprof_bytes(&p->whole, PPROF_STRING, text, strlen(text));
}

/* Writes one mapping for each object, at the first entry that has it; its id is that of this
 * entry. The names exist already. */
static uint64_t pprof_mapping(struct pprof *p, uint32_t entry)
{
	const struct profile_entry *entries = p->profile->entries;
	uint32_t i = 0;

	while (strcmp(entries[i].object, entries[entry].object))
		i++;
	if (i == entry) {
		pprof_number(&p->part, 1, pprof_id(i));
		pprof_number(&p->part, 5, pprof_name(i) + 1);
		pprof_number(&p->part, 7, true);
		pprof_end(&p->whole, PPROF_MAPPING, &p->part);
	}
	return pprof_id(i);
}

static void pprof_entry(struct pprof *p, uint32_t entry)
{
	uint64_t mapping = pprof_mapping(p, entry);

	pprof_number(&p->numbers, 1, pprof_id(entry));
	pprof_number(&p->part, 1, pprof_id(entry));
	pprof_number(&p->part, 2, mapping);
	pprof_end(&p->part, 4, &p->numbers);
	pprof_end(&p->whole, PPROF_LOCATION, &p->part);
	pprof_number(&p->part, 1, pprof_id(entry));
	pprof_number(&p->part, 2, pprof_name(entry));
	pprof_number(&p->part, 3, pprof_name(entry));
	pprof_number(&p->part, 4, pprof_name(entry) + 1);
	pprof_end(&p->whole, PPROF_FUNCTION, &p->part);
}

static int pprof_compress(const struct pprof_message *m, FILE *out)
{
	z_stream z = { .next_in = m->bytes, .avail_in = m->nr };
	uint8_t buffer[1 << 16];
	int ret;

	/* 16: with a gzip header */
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16,
			 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	do {
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		ret = deflate(&z, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, out);
	} while (ret == Z_OK || ret == Z_BUF_ERROR);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : -1;
}

static int pprof_write(const struct analysis *a, FILE *out)
{
	struct pprof p = { .profile = a->profile };
	int ret;

	pprof_value_type(&p, PPROF_SAMPLES, PPROF_COUNT);
	pprof_value_type(&p, PPROF_EVENT, PPROF_UNIT);
	ret = profile_walk(a->profile, 0, pprof_stack, &p);
	for (size_t i = 0; i < a->profile->nr_entries; i++)
		pprof_entry(&p, i);
	pprof_string(&p, "");
	pprof_string(&p, "samples");
	pprof_string(&p, "count");
	pprof_string(&p, a->event);
	pprof_string(&p, a->offcpu ? "nanoseconds" : "count");
	pprof_string(&p, "thread");
	for (size_t i = 0; i < a->profile->nr_entries; i++) {
		pprof_string(&p, a->profile->entries[i].name);
		pprof_string(&p, a->profile->entries[i].object);
	}
	pprof_number(&p.whole, PPROF_DURATION, a->last_time - a->first_time);
	if (!ret && !p.whole.failed)
		ret = pprof_compress(&p.whole, out);
	else
		ret = -1;
	free(p.whole.bytes);
	free(p.part.bytes);
	free(p.numbers.bytes);
	return ret;
}

const struct out_format out_pprof = {
	.name = "pprof", .description = "a compressed profile.proto, for pprof",
	.binary = true, .one_event = "pprof", .write = pprof_write,
};
