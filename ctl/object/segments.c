// SPDX-License-Identifier: GPL-2.0
/* The executable segments of a file: addresses, offsets, and the code there. */
#include <string.h>
#include <unistd.h>

#include "object/load.h"

bool object_vaddr(const struct object *o, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct object_segment *s = &o->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool object_offset(const struct object *o, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct object_segment *s = &o->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size) {
			*offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

uint64_t object_begin(const struct object *o)
{
	return o->begin;
}

uint64_t object_code_begin(const struct object *o)
{
	return o->nr_segments ? o->segments[0].vaddr & ~0xfffULL : 0;
}

size_t object_read(const struct object *o, uint64_t vaddr, void *buf,
		   size_t size)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct object_segment *s = &o->segments[i];
		uint64_t at = vaddr - s->vaddr;
		ssize_t got;

		if (vaddr < s->vaddr || at >= s->size)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		at += s->offset;
		if (!o->image) {
			got = pread(o->fd, buf, size, at);
			return got > 0 ? got : 0;
		}
		if (at >= o->image_size)
			return 0;
		if (size > o->image_size - at)
			size = o->image_size - at;
		memcpy(buf, o->image + at, size);
		return size;
	}
	return 0;
}
