// SPDX-License-Identifier: GPL-2.0
/* Reads encoded numbers and addresses. */
#include <dwarf.h>
#include <string.h>

#include "object/encoded.h"

uint64_t encoded_number(const unsigned char **p, const unsigned char *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *p < end; shift += 7) {
		unsigned char byte = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

int64_t encoded_signed(const unsigned char **p, const unsigned char *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *p < end;) {
		unsigned char byte = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= -1ULL << shift;
		break;
	}
	return value;
}

bool encoded_address(const unsigned char **p, const unsigned char *end, unsigned int encoding, uint64_t vaddr,
		     uint64_t *value)
{
	size_t size = (encoding & 7) == DW_EH_PE_udata2 ? 2 : (encoding & 7) == DW_EH_PE_udata4 ? 4 : 8;
	uint64_t v = 0;

	if ((encoding & 7) == DW_EH_PE_uleb128 || encoding & DW_EH_PE_indirect || (size_t)(end - *p) < size)
		return false;
	memcpy(&v, *p, size);
	*p += size;
	if (encoding & DW_EH_PE_signed && size < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		v += vaddr;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	*value = v;
	return true;
}
