// SPDX-License-Identifier: GPL-2.0
/*
 * Names of PLT stubs. A stub is `jmp *slot(%rip)`, with or without an endbr64 or a bnd prefix;
 * the relocation of the slot has the name. A lazy stub of a PLT with .plt.sec is `push $n; jmp
 * PLT0`, where n indexes .rela.plt (x86-64 psABI, "Procedure Linkage Table").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/search.h"
#include "object/tables.h"

struct slot {
	uint64_t address;
	const char *name;		/* owned by the Elf; "" for IRELATIVE */
	uint64_t resolver;		/* of IRELATIVE */
};

struct slots {
	struct slot *list;
	size_t nr, max;
};

static int slot_compare(const void *x, const void *y)
{
	const struct slot *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool slot_from(Elf *elf, Elf_Data *symbols, const GElf_Shdr *symtab,
		      const GElf_Rela *rela, struct slot *slot)
{
	unsigned int type = GELF_R_TYPE(rela->r_info);
	GElf_Sym sym;

	memset(slot, 0, sizeof(*slot));
	slot->address = rela->r_offset;
	if (type == R_X86_64_IRELATIVE) {
		slot->name = "";
		slot->resolver = rela->r_addend;
		return true;
	}
	if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
		return false;
	if (!symbols || !gelf_getsym(symbols, GELF_R_SYM(rela->r_info), &sym))
		return false;
	slot->name = elf_strptr(elf, symtab->sh_link, sym.st_name);
	return slot->name && *slot->name;
}

/* Returns how many relocations of .rela.dyn, its first ones, are relative. They have no names, and are most of
 * a large library's. */
static size_t nr_relative(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".dynamic", &shdr);
	Elf_Data *data = scn && shdr.sh_type == SHT_DYNAMIC ? elf_getdata(scn, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_RELACOUNT)
			return dyn.d_un.d_val;
	return 0;
}

/* Appends the slots of one relocation section behind its first ones, in its order. */
static void slots_load(struct slots *s, Elf *elf, const char *section, size_t skipped)
{
	GElf_Shdr shdr, symtab = { 0 };
	Elf_Scn *scn = object_section(elf, section, &shdr), *symscn;
	Elf_Data *data, *symbols = NULL;
	size_t nr;

	if (!scn || shdr.sh_type != SHT_RELA || shdr.sh_entsize != sizeof(Elf64_Rela))
		return;
	nr = shdr.sh_size / shdr.sh_entsize;
	if (skipped >= nr)
		return;
	nr -= skipped;
	data = elf_getdata_rawchunk(elf, shdr.sh_offset + skipped * shdr.sh_entsize,
				    nr * shdr.sh_entsize, ELF_T_RELA);
	if (!data)
		return;
	symscn = elf_getscn(elf, shdr.sh_link);
	if (symscn && gelf_getshdr(symscn, &symtab) &&
	    (symtab.sh_type == SHT_DYNSYM || symtab.sh_type == SHT_SYMTAB))
		symbols = elf_getdata(symscn, NULL);
	if (room_for(&s->list, s->nr + nr, &s->max, sizeof(*s->list)))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Rela rela;

		if (gelf_getrela(data, i, &rela) &&
		    slot_from(elf, symbols, &symtab, &rela, &s->list[s->nr]))
			s->nr++;
	}
}

static char *slot_name(const struct slot *slot)
{
	char *name = NULL;
	int len;

	if (*slot->name)
		len = asprintf(&name, "%s@plt", slot->name);
	else
		len = asprintf(&name, "*ABS*+0x%llx@plt",
			       (unsigned long long)slot->resolver);
	if (len >= 0)
		return name;
	err_short_of_memory();
	return NULL;
}

struct plt {
	const unsigned char *code;
	uint64_t address;
	size_t size;
};

/* Returns the name of the stub at code[at..at+size), or NULL for PLT0 and the like. */
static char *stub_name(const struct plt *plt, size_t at, size_t size,
		       const struct slots *by_address, const struct slots *lazy)
{
	const unsigned char *code = plt->code + at;
	struct slot key = { 0 }, *slot;
	uint32_t n;
	int32_t rel;
	size_t i;

	if (at == 0 && size >= 12 && code[0] == 0xff && code[1] == 0x35)
		return NULL;	/* PLT0: push the link map, jump on */
	for (i = 0; i + 6 <= size && i <= 5; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&rel, code + i + 2, 4);
		key.address = plt->address + at + i + 6 + (int64_t)rel;
		slot = by_address->nr ?
		       bsearch(&key, by_address->list, by_address->nr,
			       sizeof(key), slot_compare) : NULL;
		return slot ? slot_name(slot) : NULL;
	}
	for (i = 0; i + 5 <= size && i <= 4; i += 4) {
		if (code[i] != 0x68)
			continue;
		memcpy(&n, code + i + 1, 4);
		return n < lazy->nr ? slot_name(&lazy->list[n]) : NULL;
	}
	return NULL;
}

/* sh_entsize is 8 or 16, or 0: the linker sets 0 in static programs, whose stubs are 8 bytes
 * apart. */
static size_t stub_size(const GElf_Shdr *shdr, const struct plt *plt)
{
	static const unsigned char jump[2] = { 0xff, 0x25 };

	if (shdr->sh_entsize == 8 || shdr->sh_entsize == 16)
		return shdr->sh_entsize;
	return plt->size >= 16 && !memcmp(plt->code, jump, 2) &&
	       !memcmp(plt->code + 8, jump, 2) ? 8 : 16;
}

static void stubs_scan(struct object_stubs *stubs, const struct plt *plt,
		       size_t each, const struct slots *by_address,
		       const struct slots *lazy)
{
	size_t nr = plt->size / each;

	if (room_for(&stubs->list, stubs->nr + nr, &stubs->max, sizeof(*stubs->list)))
		return;
	for (size_t i = 0; i < nr; i++) {
		struct object_stub *stub = &stubs->list[stubs->nr];
		uint64_t start = plt->address + i * each;

		stub->name = stub_name(plt, i * each, each, by_address, lazy);
		if (!stub->name && !(stub->name = strdup("[plt]"))) {
			err_short_of_memory();
			return;
		}
		stub->range = (struct object_range){ start, start + each };
		stubs->nr++;
	}
}

static int stub_compare(const void *x, const void *y)
{
	const struct object_stub *a = x, *b = y;

	return a->range.start < b->range.start ? -1 :
	       a->range.start > b->range.start;
}

void object_stubs_load(struct object_stubs *stubs, Elf *elf)
{
	static const char *const sections[] = {
		".plt", ".plt.sec", ".plt.got", ".iplt",
	};
	struct slots by_address = { 0 }, lazy = { 0 };
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return;
	slots_load(&lazy, elf, ".rela.plt", 0);
	slots_load(&by_address, elf, ".rela.plt", 0);
	slots_load(&by_address, elf, ".rela.dyn", nr_relative(elf));
	if (by_address.nr)
		qsort(by_address.list, by_address.nr, sizeof(struct slot),
		      slot_compare);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = object_section(elf, sections[i], &shdr);
		Elf_Data *data;
		struct plt plt;

		if (!scn || shdr.sh_type == SHT_NOBITS ||
		    !(data = elf_rawdata(scn, NULL)) || !data->d_buf)
			continue;
		plt = (struct plt){ data->d_buf, shdr.sh_addr, data->d_size };
		stubs_scan(stubs, &plt, stub_size(&shdr, &plt), &by_address,
			   &lazy);
	}
	if (stubs->nr)
		qsort(stubs->list, stubs->nr, sizeof(*stubs->list), stub_compare);
	free(by_address.list);
	free(lazy.list);
}

const struct object_stub *object_stubs_find(const struct object_stubs *s,
					    uint64_t vaddr)
{
	size_t nr = search_front(s->nr, i, s->list[i].range.start <= vaddr);

	return nr && vaddr < s->list[nr - 1].range.end ? &s->list[nr - 1] : NULL;
}

void object_stubs_free(struct object_stubs *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->list[i].name);
	free(s->list);
	memset(s, 0, sizeof(*s));
}
