// SPDX-License-Identifier: GPL-2.0
/* The functions that an ELF file exports, by name. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/search.h"
#include "object/tables.h"

static int exported_compare(const void *x, const void *y)
{
	const struct object_exported *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static bool exported_from(Elf *elf, const GElf_Shdr *table, const GElf_Sym *sym,
			  struct object_exported *e)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
	    sym->st_shndx == SHN_UNDEF ||
	    GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return false;
	e->name = elf_strptr(elf, table->sh_link, sym->st_name);
	e->vaddr = sym->st_value;
	e->ifunc = type == STT_GNU_IFUNC;
	return e->name && *e->name;
}

void object_exports_load(struct object_exports *x, Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".dynsym", &shdr);
	Elf_Data *data = NULL;
	size_t max;

	if (scn && shdr.sh_type == SHT_DYNSYM && shdr.sh_entsize)
		data = elf_getdata(scn, NULL);
	if (!data)
		return;
	max = data->d_size / shdr.sh_entsize;
	x->list = calloc(max + 1, sizeof(*x->list));
	if (!x->list)
		err_short_of_memory();
	for (size_t i = 0; x->list && i < max; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, i, &sym) &&
		    exported_from(elf, &shdr, &sym, &x->list[x->nr]))
			x->nr++;
	}
	if (x->nr)
		qsort(x->list, x->nr, sizeof(*x->list), exported_compare);
}

const struct object_exported *
object_exports_find(const struct object_exports *x, const char *name, size_t nth)
{
	size_t first = search_front(x->nr, i, strcmp(x->list[i].name, name) < 0);

	if (nth >= x->nr - first || strcmp(x->list[first + nth].name, name))
		return NULL;
	return &x->list[first + nth];
}

void object_exports_free(struct object_exports *x)
{
	free(x->list);
	memset(x, 0, sizeof(*x));
}
