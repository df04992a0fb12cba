// SPDX-License-Identifier: GPL-2.0
/*
 * Reads Go's table of functions. The layout follows Go's src/runtime/symtab.go (pcHeader, the
 * tables of pc values) and src/runtime/runtime2.go (_func); it has no other description.
 */
#include <string.h>

#include "base/search.h"
#include "object/gotable.h"
#include "object/tables.h"

/* The beginning of a function is an address, or an offset from the beginning of the text, which
 * is one more word of the header then. */
static const struct gotable_format {
	uint32_t magic;
	unsigned int entry;		/* bytes of such a number */
	unsigned int flags;		/* offset of the flags in a function's record */
} formats[] = {
	{ 0xfffffffa, 8, 41 },		/* Go 1.16 */
	{ 0xfffffff0, 4, 37 },		/* Go 1.18 */
	{ 0xfffffff1, 4, 41 },		/* Go 1.20 */
};

/* The header: magic, 2 bytes of 0, the unit of code addresses, the size of an address, words. */
#define HEADER_WORDS		8
#define HEADER_SIZE		(8 + 8 * 8)
#define ALIGNMENT		32	/* of a header in its section */
#define HEADER_TEXT		2	/* a word of the layouts with offsets */
/* A record begins with the function's beginning. Behind that are the name and two other fields
 * before the frame sizes. */
#define RECORD_STEPS		12
#define RECORD_END		3	/* bytes from the flags to the end of the fixed part */

/* Flags of a function: it is the outermost one; it writes the stack pointer in a way that the
 * frame sizes do not show. */
#define FLAG_TOP		1
#define FLAG_OTHER_STACK	2

#define LONGEST_NAME		(1U << 14)
/* Steps of one function. A hostile table would otherwise be read from end to end for each
 * address. */
#define MOST_STEPS		(1U << 13)

static uint64_t number(const struct gotable *t, uint64_t at, unsigned int size)
{
	uint64_t value = 0;

	memcpy(&value, t->data + at, size);
	return value;
}

static uint64_t header_word(const struct gotable *t, unsigned int nth)
{
	return number(t, HEADER_WORDS + 8 * nth, 8);
}

/* The list of functions has pairs: a beginning, and the offset of the record. */
static uint64_t entry(const struct gotable *t, size_t nth)
{
	unsigned int size = t->format->entry;

	return t->text + number(t, t->functions + 2 * size * nth, size);
}

/* Returns the offset of a function's record; 0 if the record is not its own. */
static uint64_t record(const struct gotable *t, size_t nth)
{
	unsigned int size = t->format->entry;
	uint64_t at = number(t, t->functions + 2 * size * nth + size, size);
	uint64_t most = t->size - t->functions, least = t->format->flags + RECORD_END;

	if (most < least || at > most - least)
		return 0;
	at += t->functions;
	return t->text + number(t, at, size) == entry(t, nth) ? at : 0;
}

/* Returns the word at this address as the dynamic linker sets it in a program that can be loaded
 * anywhere; 0 if it sets none. */
static uint64_t relocated(Elf *elf, uint64_t address)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".rela.dyn", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == address &&
		    GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
			return rela.r_addend;
	return 0;
}

/* Whether the functions follow each other, and have flags. */
static bool take_functions(struct gotable *t)
{
	uint64_t last;

	if (__builtin_add_overflow(t->text, number(t, t->functions + 2 * t->nr * t->format->entry,
						   t->format->entry), &last))
		return false;
	for (size_t i = 0; i < t->nr; i++) {
		uint64_t at;

		if (entry(t, i) < t->text || entry(t, i) > entry(t, i + 1))
			return false;
		at = record(t, i);
		t->flagged |= at && t->data[at + t->format->flags] & FLAG_TOP;
	}
	return true;
}

/* Finds the beginning of the table in the section, of which it may be a part. */
static bool take_format(struct gotable *t)
{
	static const unsigned char x86_64[] = { 0, 0, 1, 8 };

	for (; t->size >= HEADER_SIZE; t->data += ALIGNMENT, t->size -= ALIGNMENT) {
		if (memcmp(t->data + 4, x86_64, sizeof(x86_64)))
			continue;
		for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			if (number(t, 0, 4) == formats[i].magic)
				t->format = &formats[i];
		if (t->format)
			return true;
	}
	return false;
}

/* Finds where the text begins. Go 1.26 no longer writes it: then it is the beginning of .text,
 * if by that a function begins at the program's entry point. */
static bool take_text(struct gotable *t, Elf *elf, uint64_t address)
{
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	size_t nr;

	t->text = header_word(t, HEADER_TEXT);
	if (!t->text)
		t->text = relocated(elf, address + HEADER_WORDS + 8 * HEADER_TEXT);
	if (t->text)
		return true;
	if (!gelf_getehdr(elf, &ehdr) || !object_section(elf, ".text", &shdr))
		return false;
	t->text = shdr.sh_addr;
	nr = search_front(t->nr, i, entry(t, i) <= ehdr.e_entry);
	return nr && entry(t, nr - 1) == ehdr.e_entry;
}

/* section: the address of the section whose contents begin at t->data. */
static bool take_header(struct gotable *t, Elf *elf, uint64_t section)
{
	const unsigned char *contents = t->data;
	unsigned int pair, offsets;

	if (!take_format(t))
		return false;
	pair = 2 * t->format->entry;
	offsets = t->format->entry == 4;
	t->nr = header_word(t, 0);
	t->names = header_word(t, 2 + offsets);
	t->steps = header_word(t, 5 + offsets);
	t->functions = header_word(t, 6 + offsets);
	if (t->names > t->size || t->steps > t->size || t->functions > t->size ||
	    t->size - t->functions < t->format->entry ||
	    t->nr > (t->size - t->functions - t->format->entry) / pair)
		return false;
	return (!offsets || take_text(t, elf, section + (t->data - contents))) &&
	       take_functions(t);
}

/* Whether Go has compiled a part of the program: its linker says so in a section since Go 1.13. */
static bool is_go(Elf *elf)
{
	GElf_Shdr shdr;

	return object_section(elf, ".go.buildinfo", &shdr);
}

/* In programs that can be loaded anywhere, the table is writable up to the relocation; a linker
 * other than Go's puts it among other such data, which may be megabytes. */
void gotable_load(struct gotable *t, Elf *elf)
{
	static const char among_others[] = ".data.rel.ro";
	static const char *const names[] = {
		".gopclntab", ".data.rel.ro.gopclntab", among_others,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = object_section(elf, names[i], &shdr);
		Elf_Data *data = NULL;

		if (scn && shdr.sh_type != SHT_NOBITS && (names[i] != among_others || is_go(elf)))
			data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		*t = (struct gotable){ .data = data->d_buf, .size = data->d_size };
		if (take_header(t, elf, shdr.sh_addr))
			return;
		*t = (struct gotable){ .data = NULL };
	}
}

bool gotable_function(const struct gotable *t, size_t nth, struct object_symbol *function)
{
	uint64_t at = record(t, nth), name, left;

	if (!at)
		return false;
	name = number(t, at + t->format->entry, 4);
	left = t->size - t->names;
	if (name >= left)
		return false;
	left -= name;
	name += t->names;
	if (!t->data[name] || !memchr(t->data + name, 0, left < LONGEST_NAME ? left : LONGEST_NAME))
		return false;
	*function = (struct object_symbol){
		.start = entry(t, nth), .end = entry(t, nth + 1), .sized = true,
		.name = (const char *)t->data + name,
	};
	return function->start < function->end;
}

/* A number in pieces of 7 bits, the lowest first. */
static bool next_number(const struct gotable *t, uint64_t *at, uint32_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; shift < 32 && *at < t->size; shift += 7) {
		unsigned char byte = t->data[(*at)++];

		*value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Reads the next step, which says for how many bytes of code the number of bytes holds that it changes. The first one
 * begins at -1. */
static bool next_step(const struct gotable *t, uint64_t *at, uint32_t *value, uint32_t *length)
{
	uint32_t change;

	if (!next_number(t, at, &change) || !change || !next_number(t, at, length) || !*length)
		return false;
	*value += change & 1 ? ~(change >> 1) : change >> 1;
	return true;
}

static bool follow_steps(const struct gotable *t, uint64_t at, uint64_t pc, uint64_t vaddr,
			 uint64_t *bytes)
{
	uint32_t value = -1, length;

	for (unsigned int i = 0; i < MOST_STEPS; i++) {
		if (!next_step(t, &at, &value, &length))
			return false;
		pc += length;
		if (vaddr >= pc)
			continue;
		*bytes = value;
		return (int32_t)value >= 0;
	}
	return false;
}

static const char sigreturn[] = "runtime.sigreturn";

/* Whether the address is the last one before the function that a signal handler returns to. The
 * kernel, no call, makes that return address. */
static bool is_before_sigreturn(const struct gotable *t, size_t nth, uint64_t vaddr)
{
	struct object_symbol next;

	return nth + 1 < t->nr && vaddr + 1 == entry(t, nth + 1) &&
	       gotable_function(t, nth + 1, &next) &&
	       !strncmp(next.name, sigreturn, sizeof(sigreturn) - 1);
}

bool gotable_frame(const struct gotable *t, uint64_t vaddr, uint64_t *bytes)
{
	size_t nr = t->flagged ? search_front(t->nr, i, entry(t, i) <= vaddr) : 0;
	uint64_t at;
	uint32_t steps;

	if (!nr || vaddr >= entry(t, nr) || !(at = record(t, nr - 1)) ||
	    t->data[at + t->format->flags] & (FLAG_TOP | FLAG_OTHER_STACK) ||
	    is_before_sigreturn(t, nr - 1, vaddr))
		return false;
	steps = number(t, at + t->format->entry + RECORD_STEPS, 4);
	return steps && follow_steps(t, t->steps + steps, entry(t, nr - 1), vaddr, bytes);
}

/* The function that a signal handler returns to. */
static bool is_sigreturn(const struct gotable *t, size_t nth)
{
	struct object_symbol function;

	return gotable_function(t, nth, &function) && !strncmp(function.name, sigreturn, sizeof(sigreturn) - 1);
}

static bool rows_of_steps(const struct gotable *t, uint64_t at, struct object_range code, gotable_row *row, void *ctx)
{
	uint32_t value = -1, length;

	for (unsigned int i = 0; code.start < code.end; i++) {
		if (i == MOST_STEPS || !next_step(t, &at, &value, &length) || (int32_t)value < 0)
			return row(ctx, code.start, GOTABLE_UNKNOWN, 0);
		if (!row(ctx, code.start, GOTABLE_FRAME, value))
			return false;
		code.start += length;
	}
	return true;
}

static bool rows_of_function(const struct gotable *t, size_t nth, gotable_row *row, void *ctx)
{
	const struct object_range code = { entry(t, nth), entry(t, nth + 1) };
	const uint64_t at = record(t, nth);
	const unsigned char flags = at ? t->data[at + t->format->flags] : FLAG_OTHER_STACK;
	uint32_t steps;

	/* The return address is looked up one byte before. */
	if (at && is_sigreturn(t, nth))
		return row(ctx, code.start - 1, GOTABLE_SIGNAL, 0);
	if (flags & (FLAG_TOP | FLAG_OTHER_STACK))
		return row(ctx, code.start, flags & FLAG_TOP ? GOTABLE_TOP : GOTABLE_UNKNOWN, 0);
	steps = number(t, at + t->format->entry + RECORD_STEPS, 4);
	return steps ? rows_of_steps(t, t->steps + steps, code, row, ctx) : row(ctx, code.start, GOTABLE_UNKNOWN, 0);
}

bool gotable_rows(const struct gotable *t, struct object_range *code, gotable_row *row, void *ctx)
{
	*code = (struct object_range){ t->nr ? entry(t, 0) : 0, t->nr ? entry(t, t->nr) : 0 };
	/* Without flags, the layout of the records is not known. */
	for (size_t i = 0; t->flagged && i < t->nr; i++)
		if (!rows_of_function(t, i, row, ctx))
			return false;
	return true;
}
