/* SPDX-License-Identifier: GPL-2.0 */
/* Debug files: the symbols and DWARF that were stripped off another file. */
#ifndef LBRCTL_OBJECT_DEBUGFILE_H
#define LBRCTL_OBJECT_DEBUGFILE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct machine;

struct debugfile {
	int fd;
	void *image;		/* or, without a file */
	Elf *elf;		/* NULL: not found */
};

/* Finds the debug file of the file at path (NULL: it has no name), as process pid of the machine
 * sees it (0: as lbrctl does): by build id below /usr/lib/debug, by .gnu_debuglink if its checksum is
 * right, from a debuginfod server if debugfile_ask() allowed that. */
struct debugfile debugfile_find(Elf *elf, const struct machine *machine, uint32_t pid, const char *path);

/* Unpacks .gnu_debugdata: function symbols that .dynsym does not have. */
struct debugfile debugfile_embedded(Elf *elf);

/* Opens the file that several debug files share, by .gnu_debugaltlink. False: the Dwarf names
 * such a file and it is missing, so names would be incomplete. */
bool debugfile_supplement(Dwarf *dwarf, const struct machine *machine, uint32_t pid,
			  struct debugfile *file, Dwarf **supplement);

void debugfile_close(struct debugfile *file);

/* Allows debuginfod servers from now on, for debug files that are not on this machine. urls
 * NULL: those of the environment's DEBUGINFOD_URLS. Returns 0, or -1 with a message. */
int debugfile_ask(const char *urls);

/* Whether debugfile_ask() was called. */
bool debugfile_asks(void);

/* Whether the file has a section of that name with contents. */
bool debugfile_has(Elf *elf, const char *section);

#endif
