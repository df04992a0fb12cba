// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "object_tables.h"

struct candidate {
	struct object_symbol symbol;
	uint64_t limit;		/* end of its section */
	struct names_rank rank;
};

Elf_Scn *object_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, shdr))
			continue;
		found = elf_strptr(elf, strings, shdr->sh_name);
		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

static int candidate_compare(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->symbol.start != b->symbol.start)
		return a->symbol.start < b->symbol.start ? -1 : 1;
	return names_prefer(&a->rank, &b->rank);
}

/* A function, or a label in code, as hand-written assembly has them. */
static bool candidate_from(Elf *elf, const GElf_Shdr *table,
			   const GElf_Sym *sym, struct candidate *c)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr section;
	Elf_Scn *scn;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	scn = elf_getscn(elf, sym->st_shndx);
	if (!scn || !gelf_getshdr(scn, &section) ||
	    !(section.sh_flags & SHF_EXECINSTR))
		return false;
	c->symbol.name = elf_strptr(elf, table->sh_link, sym->st_name);
	if (!c->symbol.name || !*c->symbol.name ||
	    (type == STT_NOTYPE && !strncmp(c->symbol.name, ".L", 2)))
		return false;
	c->symbol.start = sym->st_value;
	if (__builtin_add_overflow(sym->st_value, sym->st_size, &c->symbol.end) ||
	    __builtin_add_overflow(section.sh_addr, section.sh_size, &c->limit))
		return false;
	c->rank.name = c->symbol.name;
	c->rank.sized = sym->st_size != 0;
	c->rank.weak = GELF_ST_BIND(sym->st_info) == STB_WEAK;
	c->rank.local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	return true;
}

/* One name a start; a symbol without a size ends where the next one begins. */
static void symbols_settle(struct object_symbols *s, struct candidate *c,
			   size_t nr)
{
	uint64_t reach = 0;

	qsort(c, nr, sizeof(*c), candidate_compare);
	for (size_t i = 0; i < nr; i++) {
		struct object_symbol *out = &s->list[s->nr];
		size_t next = i + 1;

		if (s->nr && out[-1].start == c[i].symbol.start)
			continue;
		*out = c[i].symbol;
		while (next < nr && c[next].symbol.start == out->start)
			next++;
		if (!c[i].rank.sized) {
			out->end = c[i].limit;
			if (next < nr && c[next].symbol.start < out->end)
				out->end = c[next].symbol.start;
		}
		if (out->end > reach)
			reach = out->end;
		s->reach[s->nr++] = reach;
	}
}

bool object_symbols_load(struct object_symbols *s, Elf *elf,
			 unsigned int table_type)
{
	struct candidate *list = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data = NULL;
	size_t nr = 0, max;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == table_type &&
		    shdr.sh_entsize)
			break;
	if (scn)
		data = elf_getdata(scn, NULL);
	if (!data)
		return false;
	max = data->d_size / shdr.sh_entsize;
	list = calloc(max + 1, sizeof(*list));
	s->list = calloc(max + 1, sizeof(*s->list));
	s->reach = calloc(max + 1, sizeof(*s->reach));
	for (size_t i = 0; list && s->list && s->reach && i < max; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, i, &sym) &&
		    candidate_from(elf, &shdr, &sym, &list[nr]))
			list[nr++].rank.order = i;
	}
	if (nr)
		symbols_settle(s, list, nr);
	else
		object_symbols_free(s);
	free(list);
	return nr != 0;
}

const struct object_symbol *
object_symbols_find(const struct object_symbols *s, uint64_t vaddr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->list[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Symbols may nest: go out while an earlier one reaches this far. */
	while (low-- > 0 && s->reach[low] > vaddr)
		if (vaddr < s->list[low].end)
			return &s->list[low];
	return NULL;
}

void object_symbols_free(struct object_symbols *s)
{
	free(s->list);
	free(s->reach);
	memset(s, 0, sizeof(*s));
}
