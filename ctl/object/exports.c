// SPDX-License-Identifier: GPL-2.0
/* The functions that an ELF file exports, by name. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/search.h"
#include "object/tables.h"

/* The order by hash saves most comparisons of names, which have long beginnings in common. */
static int name_order(const struct object_exported *a, const struct object_exported *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int exported_compare(const void *x, const void *y)
{
	const struct object_exported *a = x, *b = y;
	int order = name_order(a, b);

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
	if (!e->name || !*e->name)
		return false;
	e->hash = elf_gnu_hash(e->name);
	return true;
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
	const struct object_exported key = { .name = name, .hash = elf_gnu_hash(name) };
	size_t first = search_front(x->nr, i, name_order(&x->list[i], &key) < 0);

	if (nth >= x->nr - first || name_order(&x->list[first + nth], &key))
		return NULL;
	return &x->list[first + nth];
}

void object_exports_free(struct object_exports *x)
{
	free(x->list);
	memset(x, 0, sizeof(*x));
}
