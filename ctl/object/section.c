// SPDX-License-Identifier: GPL-2.0
/* Finds a section of an ELF file by its name. */
#include <string.h>

#include "object/tables.h"

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
