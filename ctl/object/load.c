// SPDX-License-Identifier: GPL-2.0
/* Opens an ELF file, and loads its tables when they are first asked for. */
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "machine/archive.h"
#include "machine/machine.h"
#include "object/buildid.h"
#include "object/load.h"
#include "object/perfcache.h"

/* Bytes that the function at an entry point has at most. */
#define LONGEST_START	256

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2	/* glibc 2.36 and older do not have it */
#endif

static bool load_segments(struct object *o)
{
	bool first = true;
	size_t nr;

	if (elf_getphdrnum(o->elf, &nr) || nr > 4096)
		return false;
	o->segments = calloc(nr + 1, sizeof(*o->segments));
	if (!o->segments) {
		err_short_of_memory();
		return false;
	}
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(o->elf, i, &p) || p.p_type != PT_LOAD)
			continue;
		if (first)
			o->begin = p.p_vaddr;
		first = false;
		if (!(p.p_flags & PF_X) || !p.p_filesz ||
		    p.p_offset + p.p_filesz < p.p_offset ||
		    p.p_vaddr + p.p_filesz < p.p_vaddr)
			continue;
		o->segments[o->nr_segments++] = (struct object_segment){
			p.p_offset, p.p_vaddr, p.p_filesz };
	}
	return true;
}

/* Whether the kernel starts this file. A library has an entry point too, which may be any of
 * its functions. Programs have an interpreter, a fixed address or the mark of a static PIE;
 * the dynamic linker is known by its name. */
static bool is_started(Elf *elf, const GElf_Ehdr *ehdr, bool *linker)
{
	GElf_Shdr shdr = { 0 };
	Elf_Scn *scn = object_section(elf, ".dynamic", &shdr);
	Elf_Data *data;
	GElf_Dyn dyn;

	if (ehdr->e_type == ET_EXEC)
		return true;
	data = scn && shdr.sh_type == SHT_DYNAMIC ? elf_getdata(scn, NULL) : NULL;
	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		const char *name;

		if (dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE)
			return true;
		if (dyn.d_tag != DT_SONAME)
			continue;
		name = elf_strptr(elf, shdr.sh_link, dyn.d_un.d_val);
		*linker = name && (!strncmp(name, "ld-", 3) ||
				   !strncmp(name, "libc.musl", 9));
		return *linker;
	}
	return object_section(elf, ".interp", &shdr) != NULL;
}

static bool same_build_id(Elf *elf, const uint8_t *id, size_t size)
{
	const void *own;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &own);

	return len >= 0 && buildid_same(own, len, id, size);
}

void object_load_go(struct object *o)
{
	if (!o->go_tried && o->x86_64)
		gotable_load(&o->go, o->elf);
	o->go_tried = true;
}

/* Returns the separate debug file, or NULL if the object has no such file. */
static Elf *separate(struct object *o)
{
	if (!o->separate_tried)
		o->separate = debugfile_find(o->elf, o->machine, o->pid, o->path);
	o->separate_tried = true;
	return o->separate.elf;
}

/* Loads function symbols from the first that has any: the file; its separate debug file; else
 * its exports, and besides these .gnu_debugdata and Go's table. */
static void load_symbols(struct object *o)
{
	struct object_symbols_source sources[3] = { { .elf = o->elf, .table_type = SHT_SYMTAB } };

	o->has_symtab = object_symbols_load(&o->symbols, sources, 1);
	if (o->has_symtab)
		return;
	sources[0].elf = separate(o);
	o->has_symtab = o->separate.elf &&
			object_symbols_load(&o->symbols, sources, 1);
	if (o->has_symtab)
		return;
	o->embedded = debugfile_embedded(o->elf);
	object_load_go(o);
	sources[0] = (struct object_symbols_source){ .elf = o->elf, .table_type = SHT_DYNSYM };
	sources[1] = (struct object_symbols_source){ .elf = o->embedded.elf,
						     .table_type = SHT_SYMTAB };
	sources[2].go = &o->go;
	object_symbols_load(&o->symbols, sources, 3);
}

const struct object_symbols *object_load_symbols(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (o->symbols_tried)
		return &o->symbols;
	o->symbols_tried = true;
	load_symbols(o);
	if (!o->has_symtab)
		object_symbols_trim(&o->symbols, object_load_fdes(o));
	return &o->symbols;
}

const struct object_exports *object_load_exports(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (!o->exports_tried)
		object_exports_load(&o->exports, o->elf);
	o->exports_tried = true;
	return &o->exports;
}

const struct object_stubs *object_load_stubs(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (!o->stubs_tried)
		object_stubs_load(&o->stubs, o->elf);
	o->stubs_tried = true;
	return &o->stubs;
}

struct object_fdes *object_load_fdes(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (!o->fdes_tried)
		object_fdes_load(&o->fdes, o->elf, o->image ? -1 : o->fd);
	o->fdes_tried = true;
	return &o->fdes;
}

static void load_debug_fdes(struct object *o)
{
	Elf *elf = o->elf;

	if (!debugfile_has(elf, ".debug_frame") && !debugfile_has(elf, ".zdebug_frame"))
		elf = separate(o);
	if (elf)
		object_fdes_load_debug(&o->debug_fdes, elf);
}

struct object_fdes *object_load_rules(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (object_load_fdes(o)->nr)
		return &o->fdes;
	if (!o->debug_fdes_tried)
		load_debug_fdes(o);
	o->debug_fdes_tried = true;
	return &o->debug_fdes;
}

/* Returns the end of the first call in the code of a range: `call rel32` to code of the file, or
 * `call *slot(%rip)` (SDM vol. 2, CALL); 0: none. An operand that looks like a call makes the range
 * shorter than it is, which nobody takes for proof. */
static uint64_t first_call(const struct object *o, const struct object_range *range)
{
	unsigned char bytes[LONGEST_START];
	size_t nr = object_read(o, range->start, bytes, range->end - range->start);

	for (size_t i = 0; i + 6 <= nr; i++) {
		uint64_t offset, end = range->start + i + 5;
		int32_t relative;

		memcpy(&relative, bytes + i + 1, sizeof(relative));
		if (bytes[i] == 0xe8 && object_offset(o, end + relative, &offset))
			return end;
		if (bytes[i] == 0xff && bytes[i + 1] == 0x15)
			return end + 1;
	}
	return 0;
}

/* Whether the start function returns to `back`: glibc's dynamic linker continues there with
 * `mov %rax, %r12`, and later jumps to the program (RTLD_START in sysdeps/x86_64/dl-machine.h). */
static bool returns(const struct object *o, uint64_t back)
{
	static const unsigned char keeps[] = { 0x49, 0x89, 0xc4 };
	unsigned char bytes[sizeof(keeps)];

	return o->linker && object_read(o, back, bytes, sizeof(bytes)) == sizeof(bytes) &&
	       !memcmp(bytes, keeps, sizeof(keeps));
}

/* Finds the function at the ELF entry point. If neither call frame information nor a symbol tells
 * its end, it is the call of the start function, behind which anything may be: musl's start code
 * has no end of its own. Only if that returns, it goes on to the next function that is known. */
static struct object_range find_entry(const struct object *o)
{
	struct object_fdes *fdes = object_load_fdes(o);
	struct object_range range;
	const struct object_symbol *symbol;
	uint64_t call, next;

	if (object_fdes_find(fdes, o->entry, &range))
		return range;
	next = object_fdes_next(fdes, o->entry);
	range = (struct object_range){ o->entry, o->entry + LONGEST_START };
	symbol = object_symbols_find(object_load_symbols(o), o->entry);
	if (symbol && symbol->end - symbol->start <= LONGEST_START)
		range.end = symbol->end;
	if (next < range.end)
		range.end = next;
	call = symbol ? 0 : first_call(o, &range);
	if (call && !returns(o, call))
		range.end = call;
	return range;
}

const struct object_range *object_load_entry(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (!o->entry_tried && o->entry)
		o->entry_range = find_entry(o);
	o->entry_tried = true;
	return &o->entry_range;
}

static bool load_head(struct object *o)
{
	GElf_Ehdr ehdr;

	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF ||
	    !gelf_getehdr(o->elf, &ehdr) || !load_segments(o))
		return false;
	o->x86_64 = ehdr.e_machine == EM_X86_64;
	o->entry = is_started(o->elf, &ehdr, &o->linker) ?
		 ehdr.e_entry : 0;
	return true;
}

/* libdw (0.188) assumes that strings in these sections end with 0. So the last byte of each
 * section is set to 0: it is 0 already, or belongs to data that is not used here. */
static void end_strings(Elf *elf)
{
	static const char *const names[] = {
		".debug_info", ".zdebug_info", ".debug_types", ".zdebug_types",
		".debug_str", ".zdebug_str", ".debug_line_str", ".zdebug_line_str",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = object_section(elf, names[i], &shdr);
		Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

		/* A file that was read from a descriptor, or unpacked, is in memory of our
		 * own. */
		if (data && data->d_buf && data->d_size)
			((char *)data->d_buf)[data->d_size - 1] = '\0';
	}
}

/* libdw unpacks all sections that it knows when it opens a file. In our copy of the headers,
 * large sections that are not used here are marked as having no content. */
static void leave_out(Elf *elf)
{
	static const char *const names[] = {
		".debug_loc", ".debug_loclists", ".debug_macro",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = object_section(elf, names[i], &shdr);

		if (!scn)
			continue;
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr);
	}
}

/* Whether elfutils here cannot read the debug information: before 0.189 it knows no zstd. */
static bool is_unread(Elf *elf, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	Elf_Scn *scn = object_section(elf, ".debug_info", &shdr);

	return scn && shdr.sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &chdr) &&
	       chdr.ch_type == ELFCOMPRESS_ZSTD &&
	       (!dwarf || dwarf_get_units(dwarf, NULL, &cu, NULL, NULL, NULL, NULL));
}

/* Whether the file may name other files that are opened. To open some has effects (devices), and root may look at
 * anybody's program. */
static bool is_trusted(const struct object *o, const Elf *elf)
{
	struct stat status = o->opened;

	if (elf != o->elf && (o->separate.fd < 0 || fstat(o->separate.fd, &status)))
		return false;
	return geteuid() || (!status.st_uid && !(status.st_mode & (S_IWGRP | S_IWOTH)));
}

void object_load_dwarf(struct object *o)
{
	Elf *elf = o->elf;

	o->dwarf_tried = true;
	if (!debugfile_has(elf, ".debug_info") && !debugfile_has(elf, ".zdebug_info"))
		elf = separate(o);
	if (elf)
		leave_out(elf);
	o->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	o->dwarf_unread = elf && is_unread(elf, o->dwarf);
	if (o->dwarf)
		end_strings(elf);
	if (o->dwarf && debugfile_supplement(o->dwarf, o->machine, o->pid, &o->supplement,
					     &o->supplement_dwarf))
		o->inlines = inlines_new(o->dwarf, is_trusted(o, elf));
}

static struct object *object_new(void)
{
	struct object *o = calloc(1, sizeof(*o));

	elf_version(EV_CURRENT);
	if (o)
		o->fd = o->separate.fd = o->embedded.fd = o->supplement.fd = -1;
	else
		err_short_of_memory();
	return o;
}

/* Opens the file, or its copy in an archive. */
static int open_file(const struct object *o, const uint8_t *id, size_t size)
{
	int fd = machine_file_by_id(o->machine, id, size, ARCHIVE_ELF);

	if (fd < 0)
		fd = machine_file_by_id(o->machine, id, size, ARCHIVE_VDSO);
	return fd < 0 ? machine_file(o->machine, o->pid, o->path) : fd;
}

/* Takes the descriptor, if it is the file that was recorded; else closes it. */
static enum object_state take_file(struct object *o, int fd, const uint8_t *id, size_t size)
{
	enum object_state state = OBJECT_NOT_ELF;

	if (fd < 0)
		return OBJECT_MISSING;
	o->elf = fstat(fd, &o->opened) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (o->elf && elf_kind(o->elf) == ELF_K_ELF)
		state = size && !same_build_id(o->elf, id, size) ? OBJECT_MISMATCH :
			load_head(o) ? OBJECT_OK : OBJECT_NOT_ELF;
	if (state == OBJECT_OK) {
		o->fd = fd;
		return state;
	}
	elf_end(o->elf);
	o->elf = NULL;
	close(fd);
	return state;
}

struct object *object_open(struct machine *machine, uint32_t pid, const char *path,
			   const uint8_t *build_id, size_t id_size,
			   enum object_state *state)
{
	struct object *o = object_new();

	*state = OBJECT_MISSING;
	if (!o)
		return NULL;
	o->machine = machine_hold(machine);
	o->pid = pid;
	o->path = strdup(path);
	if (!o->path)
		err_short_of_memory();
	else
		*state = take_file(o, open_file(o, build_id, id_size), build_id, id_size);
	/* The program was built anew, or removed, since perf kept a copy of it. */
	if ((*state == OBJECT_MISSING || *state == OBJECT_MISMATCH) && o->path && id_size &&
	    take_file(o, perfcache_open(build_id, id_size), build_id, id_size) == OBJECT_OK)
		*state = OBJECT_OK;
	if (*state == OBJECT_OK)
		return o;
	object_close(o);
	return NULL;
}

const struct stat *object_status(const struct object *o)
{
	return &o->opened;
}

bool object_is_current(const struct object *o)
{
	const struct stat *then = &o->opened;
	struct stat now;
	int fd = o->image ? -1 : machine_file(o->machine, o->pid, o->path);
	bool same = fd >= 0 && !fstat(fd, &now) && now.st_dev == then->st_dev &&
		    now.st_ino == then->st_ino && now.st_size == then->st_size &&
		    now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
		    now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;

	if (fd >= 0)
		close(fd);
	return same || o->image;
}

struct object *object_from_memory(const void *image, size_t size)
{
	struct object *o = object_new();

	if (!o)
		return NULL;
	o->image = image;
	o->image_size = size;
	o->elf = elf_memory((char *)image, size);
	if (!load_head(o)) {
		object_close(o);
		return NULL;
	}
	return o;
}

void object_close(struct object *o)
{
	if (!o)
		return;
	machine_drop(o->machine);
	inlines_free(o->inlines);
	/* The Dwarf still uses its supplement: close it first. */
	dwarf_end(o->dwarf);
	dwarf_end(o->supplement_dwarf);
	object_symbols_free(&o->symbols);
	object_stubs_free(&o->stubs);
	object_fdes_free(&o->fdes);
	object_fdes_free(&o->debug_fdes);
	free(o->segments);
	debugfile_close(&o->supplement);
	debugfile_close(&o->embedded);
	debugfile_close(&o->separate);
	elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o);
}
