// SPDX-License-Identifier: GPL-2.0
/* The function symbols of an ELF file, one for each start. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/radix.h"
#include "base/search.h"
#include "object/demangle.h"
#include "object/tables.h"

struct candidate {
	struct object_symbol symbol;
	uint64_t limit;		/* end of its section */
	struct names_rank rank;
};

/* Whether the symbol is a function, or a label in code, as hand-written assembly has them. */
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
	c->rank.sized = c->symbol.sized = sym->st_size != 0;
	c->rank.weak = GELF_ST_BIND(sym->st_info) == STB_WEAK;
	c->rank.local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	return true;
}

/* Returns the candidate of the best name among those of one start; *next: the first key of another start. */
static const struct candidate *best_of(const struct candidate *c, const struct radix_key *keys, size_t nr, size_t *next)
{
	const uint64_t start = keys[*next].key;
	const struct candidate *best = &c[keys[*next].index];

	while (++*next < nr && keys[*next].key == start)
		if (names_prefer(&c[keys[*next].index].rank, &best->rank) < 0)
			best = &c[keys[*next].index];
	return best;
}

/* Keeps one name for each start; a symbol without a size ends where the next one begins. */
static void symbols_settle(struct object_symbols *s, const struct candidate *c, const struct radix_key *keys, size_t nr)
{
	uint64_t reach = 0;

	for (size_t next = 0; next < nr;) {
		const struct candidate *best = best_of(c, keys, nr, &next);
		struct object_symbol *out = &s->list[s->nr];

		*out = best->symbol;
		if (!best->rank.sized) {
			out->end = best->limit;
			if (next < nr && keys[next].key < out->end)
				out->end = keys[next].key;
		}
		if (out->end > reach)
			reach = out->end;
		s->reach[s->nr++] = reach;
	}
}

struct candidates {
	struct candidate *list;
	size_t nr, max;
	bool failed;		/* memory was short */
};

/* The names of Go's table are those that the source text has, so an exported name of the same
 * address is preferred. */
static void candidates_add_go(struct candidates *c, const struct gotable *go)
{
	if (room_for(&c->list, c->nr + go->nr, &c->max, sizeof(*c->list))) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < go->nr; i++) {
		struct candidate *next = &c->list[c->nr];

		memset(next, 0, sizeof(*next));
		if (!gotable_function(go, i, &next->symbol))
			continue;
		next->rank = (struct names_rank){ .name = next->symbol.name, .sized = true,
						  .local = true, .order = c->nr++ };
	}
}

static void candidates_add(struct candidates *c,
			   const struct object_symbols_source *source)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data = NULL;
	GElf_Shdr shdr;
	size_t nr;

	while ((scn = elf_nextscn(source->elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    shdr.sh_type == source->table_type && shdr.sh_entsize)
			break;
	if (scn)
		data = elf_getdata(scn, NULL);
	if (!data)
		return;
	nr = data->d_size / shdr.sh_entsize;
	if (room_for(&c->list, c->nr + nr, &c->max, sizeof(*c->list))) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		struct candidate *next = &c->list[c->nr];
		GElf_Sym sym;

		memset(next, 0, sizeof(*next));
		if (gelf_getsym(data, i, &sym) &&
		    candidate_from(source->elf, &shdr, &sym, next))
			next->rank.order = c->nr++;
	}
}

/* Returns the candidates by their starts, for free(); NULL when memory is short. */
static struct radix_key *keys_of(const struct candidates *c)
{
	struct radix_key *keys = malloc((c->nr + 1) * sizeof(*keys));

	for (size_t i = 0; keys && i < c->nr; i++)
		keys[i] = (struct radix_key){ c->list[i].symbol.start, i };
	if (keys && radix_sort(keys, c->nr)) {
		free(keys);
		return NULL;
	}
	return keys;
}

bool object_symbols_load(struct object_symbols *s,
			 const struct object_symbols_source *sources, size_t nr)
{
	struct candidates c = { 0 };
	struct radix_key *keys;

	for (size_t i = 0; i < nr && !c.failed; i++) {
		if (sources[i].go)
			candidates_add_go(&c, sources[i].go);
		else if (sources[i].elf)
			candidates_add(&c, &sources[i]);
	}
	keys = c.failed ? NULL : keys_of(&c);
	s->list = calloc(c.nr + 1, sizeof(*s->list));
	s->reach = calloc(c.nr + 1, sizeof(*s->reach));
	if (!keys || !s->list || !s->reach)
		err_short_of_memory();
	if (c.nr && keys && s->list && s->reach)
		symbols_settle(s, c.list, keys, c.nr);
	else
		object_symbols_free(s);
	free(keys);
	free(c.list);
	return s->nr != 0;
}

void object_symbols_trim(struct object_symbols *s, const struct object_fdes *f)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct object_symbol *symbol = &s->list[i];
		uint64_t next = symbol->sized ? symbol->end : object_fdes_next(f, symbol->start);

		if (next < symbol->end)
			symbol->end = next;
		if (symbol->end > reach)
			reach = symbol->end;
		s->reach[i] = reach;
	}
}

/* Returns the number of symbols that begin at vaddr or before. */
static size_t nr_until(const struct object_symbols *s, uint64_t vaddr)
{
	return search_front(s->nr, i, s->list[i].start <= vaddr);
}

const struct object_symbol *
object_symbols_before(const struct object_symbols *s, uint64_t vaddr)
{
	size_t nr = nr_until(s, vaddr);

	return nr ? &s->list[nr - 1] : NULL;
}

const struct object_symbol *
object_symbols_find(const struct object_symbols *s, uint64_t vaddr)
{
	size_t low = nr_until(s, vaddr);

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
