// SPDX-License-Identifier: GPL-2.0
/*
 * Finds exported functions by name, as the dynamic linker does: the file's own .gnu.hash has for each symbol of .dynsym,
 * from the first exported one on, the hash of its name without bit 0, which ends a chain. A file without it is searched
 * from end to end; musl's are small. Format: https://sourceware.org/gnu-gabi/program-loading-and-dynamic-linking.txt
 */
#include <string.h>

#include "object/tables.h"

/* Whether the words of .gnu.hash are in the section: a head of 4, a filter, buckets, and the chains. */
static bool load_hashes(struct object_exports *x, const Elf_Data *data)
{
	const uint64_t nr = data && data->d_buf ? data->d_size / sizeof(uint32_t) : 0;
	const uint32_t *words = nr ? data->d_buf : NULL;
	uint64_t buckets;

	if (nr < 4)
		return false;
	buckets = 4 + (uint64_t)words[2] * (gelf_getclass(x->elf) == ELFCLASS64 ? 2 : 1);
	if (!words[0] || buckets + words[0] > nr)
		return false;
	x->nr_buckets = words[0];
	x->buckets = words + buckets;
	x->first = words[1];
	x->hashes = x->buckets + x->nr_buckets;
	x->nr_hashes = nr - buckets - x->nr_buckets;
	return true;
}

void object_exports_load(struct object_exports *x, Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".dynsym", &shdr);

	x->elf = elf;
	if (!scn || shdr.sh_type != SHT_DYNSYM || !shdr.sh_entsize)
		return;
	x->symbols = elf_getdata(scn, NULL);
	x->names = shdr.sh_link;
	x->nr = x->symbols ? x->symbols->d_size / shdr.sh_entsize : 0;
	scn = object_section(elf, ".gnu.hash", &shdr);
	if (scn && shdr.sh_type == SHT_GNU_HASH)
		load_hashes(x, elf_rawdata(scn, NULL));
}

/* Whether symbol number i is a function of this name that others can call. */
static bool is_export(const struct object_exports *x, size_t i, const char *name, GElf_Sym *sym)
{
	const char *own;
	unsigned int type;

	if (!gelf_getsym(x->symbols, i, sym))
		return false;
	type = GELF_ST_TYPE(sym->st_info);
	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || sym->st_shndx == SHN_UNDEF ||
	    GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return false;
	own = elf_strptr(x->elf, x->names, sym->st_name);
	return own && !strcmp(own, name);
}

/* Returns the number of the first symbol in the chain of a hash; x->nr if the table has no such chain. */
static size_t chain_begin(const struct object_exports *x, uint32_t hash)
{
	const uint32_t i = x->buckets[hash % x->nr_buckets];

	return i && i >= x->first ? i : x->nr;
}

static bool find_in_chain(const struct object_exports *x, const char *name, size_t *position, GElf_Sym *sym)
{
	const uint32_t hash = elf_gnu_hash(name);
	bool found = false;

	for (size_t i = *position ? *position : chain_begin(x, hash);
	     !found && i < x->nr && i - x->first < x->nr_hashes; i = *position) {
		const uint32_t own = x->hashes[i - x->first];

		*position = own & 1 ? x->nr : i + 1;
		found = !((own ^ hash) >> 1) && is_export(x, i, name, sym);
	}
	return found;
}

static bool find_in_all(const struct object_exports *x, const char *name, size_t *position, GElf_Sym *sym)
{
	while (*position < x->nr)
		if (is_export(x, (*position)++, name, sym))
			return true;
	return false;
}

bool object_exports_find(const struct object_exports *x, const char *name, size_t *position, uint64_t *vaddr,
			 bool *ifunc)
{
	GElf_Sym sym;

	if (!*name || !(x->nr_buckets ? find_in_chain(x, name, position, &sym) : find_in_all(x, name, position, &sym)))
		return false;
	*vaddr = sym.st_value;
	*ifunc = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
	return true;
}
