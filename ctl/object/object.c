// SPDX-License-Identifier: GPL-2.0
/* Answers questions about one ELF file. */
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "object/load.h"

size_t object_build_id(const struct object *o, const void **id)
{
	ssize_t len = dwelf_elf_gnu_build_id(o->elf, id);

	return len > 0 ? len : 0;
}

bool object_has_symtab(const struct object *o)
{
	object_load_symbols(o);
	return o->has_symtab;
}

bool object_has_gotable(const struct object *o)
{
	object_load_go((struct object *)o);
	return o->go.format;
}

bool object_is_x86_64(const struct object *o)
{
	return o->x86_64;
}

const struct object_symbol *object_symbol(const struct object *o,
					  uint64_t vaddr)
{
	return object_symbols_find(object_load_symbols(o), vaddr);
}

/* Finds the lowest function that is exported by a name; returns how many that are: 0 or 1. */
static size_t first_export(const struct object *o, const char *name, uint64_t *vaddr)
{
	size_t position = 0, nr = 0;
	uint64_t found;
	bool ifunc;

	while (object_export(o, name, &position, &found, &ifunc)) {
		if (ifunc || (nr && found >= *vaddr))
			continue;
		*vaddr = found;
		nr = 1;
	}
	return nr;
}

size_t object_named(const struct object *o, const char *name, uint64_t *vaddr)
{
	const struct object_symbols *s = object_load_symbols(o);
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (strcmp(s->list[i].name, name))
			continue;
		*vaddr = s->list[i].start;
		nr++;
	}
	/* The list has one symbol for an address with several names. */
	return nr ? nr : first_export(o, name, vaddr);
}

const char *object_plt(const struct object *o, uint64_t vaddr,
		       struct object_range *range)
{
	const struct object_stub *stub = object_stubs_find(object_load_stubs(o), vaddr);

	if (!stub)
		return NULL;
	*range = stub->range;
	return stub->name;
}

void object_prepare(const struct object *o)
{
	object_load_symbols(o);
	object_load_fdes(o);
	object_load_stubs(o);
}

bool object_export(const struct object *o, const char *name, size_t *position,
		   uint64_t *vaddr, bool *ifunc)
{
	return object_exports_find(object_load_exports(o), name, position, vaddr, ifunc);
}

bool object_is_linker(const struct object *o)
{
	return o->linker;
}

bool object_function(const struct object *o, uint64_t vaddr,
		     struct object_range *range)
{
	const struct object_range *entry;
	const struct object_symbol *symbol;
	struct object_range fde;
	bool found;

	/* One FDE covers a whole PLT section, so stubs are looked up first. */
	if (object_plt(o, vaddr, range))
		return true;
	found = object_fdes_find(object_load_fdes(o), vaddr, &fde);
	symbol = object_symbol(o, vaddr);
	/* Hand-written functions such as clone3 have several FDEs. */
	if (found && !(symbol && symbol->start <= fde.start && symbol->end >= fde.end)) {
		*range = fde;
		return true;
	}
	if (symbol) {
		*range = (struct object_range){ symbol->start, symbol->end };
		return true;
	}
	entry = object_load_entry(o);
	if (vaddr < entry->start || vaddr >= entry->end)
		return false;
	*range = *entry;
	return true;
}

bool object_is_entry(const struct object *o, uint64_t vaddr)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);
	struct object_range range;

	if (symbol && symbol->start == vaddr)
		return true;
	return vaddr == o->entry ||
	       (object_function(o, vaddr, &range) && range.start == vaddr);
}

/* Returns the beginning of the code section that contains vaddr. */
static uint64_t section_start(const struct object *o, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(o->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
		    vaddr >= shdr.sh_addr && vaddr - shdr.sh_addr < shdr.sh_size)
			return shdr.sh_addr;
	return 0;
}

/* A symbol without a size, and the function at the entry point, have a beginning and no known
 * end. */
bool object_unclaimed(const struct object *o, uint64_t vaddr, uint64_t *from)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);
	struct object_range fde, stub;
	const bool found = object_fdes_before(object_load_fdes(o), vaddr, &fde);

	if ((found && vaddr < fde.end) || object_plt(o, vaddr, &stub) ||
	    (symbol && (symbol->sized || o->has_symtab)))
		return false;
	*from = section_start(o, vaddr);
	if (found && fde.end > *from)
		*from = fde.end;
	symbol = object_symbols_before(&o->symbols, vaddr);
	if (symbol && symbol->start >= *from)
		*from = symbol->sized ? symbol->end : symbol->start + 1;
	if (o->entry && o->entry <= vaddr && o->entry >= *from)
		*from = o->entry + 1;
	return true;
}

uint64_t object_entry(const struct object *o)
{
	return o->entry;
}

bool object_is_unread(const struct object *o)
{
	if (!o->dwarf_tried)
		object_load_dwarf((struct object *)o);
	return o->dwarf_unread;
}

size_t object_inlines(const struct object *o, uint64_t vaddr, bool lines,
		      struct inlines_frame frames[INLINES_MAX])
{
	if (!o->dwarf_tried)
		object_load_dwarf((struct object *)o);
	return o->inlines ? inlines_at(o->inlines, vaddr, lines, frames) : 0;
}
