// SPDX-License-Identifier: GPL-2.0
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"
#include "object_cfi.h"
#include "object_tables.h"

struct segment {
	uint64_t offset, vaddr, size;	/* size: bytes that are in the file */
};

struct object {
	int fd;
	const unsigned char *image;	/* or, without a file */
	size_t image_size;
	Elf *elf;
	int debug_fd;
	Elf *debug;			/* the separate file with .symtab */
	bool x86_64, linker;
	uint64_t entry;
	struct object_range entry_range;
	struct segment *segments;	/* executable ones */
	size_t nr_segments;
	struct object_symbols symbols;
	struct object_symbols exported;	/* where symbols is .symtab: empty */
	struct object_exports exports;
	struct object_stubs stubs;
	struct object_fdes fdes;
	Dwarf_CFI *cfi;
	bool cfi_tried;
};

static bool load_segments(struct object *o)
{
	size_t nr;

	if (elf_getphdrnum(o->elf, &nr) || nr > 4096)
		return false;
	o->segments = calloc(nr + 1, sizeof(*o->segments));
	if (!o->segments)
		return false;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(o->elf, i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X) || !p.p_filesz ||
		    p.p_offset + p.p_filesz < p.p_offset ||
		    p.p_vaddr + p.p_filesz < p.p_vaddr)
			continue;
		o->segments[o->nr_segments++] = (struct segment){
			p.p_offset, p.p_vaddr, p.p_filesz };
	}
	return true;
}

/* Does the kernel start this file? A library has an entry point too, which may be
 * any function of it. Programs have an interpreter, a fixed address or the mark of
 * a static PIE; the dynamic linker is known by its name. */
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

/* The function at the ELF entry point. The dynamic linker's has neither a symbol
 * nor call frame information once it is stripped; then it reaches to the next
 * function that has, and no further than start code can be long. */
static void find_entry(struct object *o)
{
	const uint64_t longest = 256;
	const struct object_range *fde = object_fdes_find(&o->fdes, o->entry);
	const struct object_symbol *symbol = object_symbol(o, o->entry);

	if (!o->entry)
		return;
	o->entry_range = (struct object_range){ o->entry, o->entry + longest };
	if (fde) {
		o->entry_range = *fde;
		return;
	}
	if (symbol && symbol->end - symbol->start <= longest)
		o->entry_range.end = symbol->end;
	for (size_t i = 0; i < o->fdes.nr; i++)
		if (o->fdes.list[i].start > o->entry &&
		    o->fdes.list[i].start < o->entry_range.end)
			o->entry_range.end = o->fdes.list[i].start;
}

static bool same_build_id(Elf *elf, const uint8_t *id, size_t size)
{
	const void *own;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &own);

	return len >= 0 && (size_t)len == size && !memcmp(own, id, size);
}

/* Debian's -dbgsym packages and others put .symtab here. */
static void load_debug_file(struct object *o)
{
	const unsigned char *id;
	ssize_t len = dwelf_elf_gnu_build_id(o->elf, (const void **)&id);
	char path[160];
	int at;

	if (len < 2 || len > 32)
		return;
	at = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (ssize_t i = 1; i < len; i++)
		at += snprintf(path + at, sizeof(path) - at, "%02x", id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	o->debug_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (o->debug_fd < 0)
		return;
	o->debug = elf_begin(o->debug_fd, ELF_C_READ, NULL);
	if (o->debug && same_build_id(o->debug, id, len) &&
	    object_symbols_load(&o->symbols, o->debug, SHT_SYMTAB))
		return;
	elf_end(o->debug);
	close(o->debug_fd);
	o->debug = NULL;
	o->debug_fd = -1;
}

static bool load_tables(struct object *o)
{
	GElf_Ehdr ehdr;

	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF ||
	    !gelf_getehdr(o->elf, &ehdr) || !load_segments(o))
		return false;
	o->x86_64 = ehdr.e_machine == EM_X86_64;
	o->entry = is_started(o->elf, &ehdr, &o->linker) ?
		 ehdr.e_entry : 0;
	if (!object_symbols_load(&o->symbols, o->elf, SHT_SYMTAB))
		load_debug_file(o);
	if (!o->symbols.nr)
		object_symbols_load(&o->exported, o->elf, SHT_DYNSYM);
	object_exports_load(&o->exports, o->elf);
	object_stubs_load(&o->stubs, o->elf);
	object_fdes_load(&o->fdes, o->elf);
	find_entry(o);
	return true;
}

static struct object *object_new(void)
{
	struct object *o = calloc(1, sizeof(*o));

	elf_version(EV_CURRENT);
	if (o)
		o->fd = o->debug_fd = -1;
	return o;
}

struct object *object_open(const char *path, const uint8_t *build_id,
			   size_t id_size, enum object_state *state)
{
	struct object *o = object_new();
	struct stat st;

	*state = OBJECT_MISSING;
	if (!o)
		return NULL;
	/* A device or a pipe could block us or have effects. */
	o->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (o->fd < 0 || fstat(o->fd, &st) || !S_ISREG(st.st_mode))
		goto err;
	*state = OBJECT_NOT_ELF;
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF)
		goto err;
	*state = OBJECT_MISMATCH;
	if (id_size && !same_build_id(o->elf, build_id, id_size))
		goto err;
	*state = OBJECT_NOT_ELF;
	if (!load_tables(o))
		goto err;
	*state = OBJECT_OK;
	return o;
err:
	object_close(o);
	return NULL;
}

struct object *object_from_memory(const void *image, size_t size)
{
	struct object *o = object_new();

	if (!o)
		return NULL;
	o->image = image;
	o->image_size = size;
	o->elf = elf_memory((char *)image, size);
	if (!load_tables(o)) {
		object_close(o);
		return NULL;
	}
	return o;
}

void object_close(struct object *o)
{
	if (!o)
		return;
	if (o->cfi)
		dwarf_cfi_end(o->cfi);
	object_symbols_free(&o->symbols);
	object_symbols_free(&o->exported);
	object_exports_free(&o->exports);
	object_stubs_free(&o->stubs);
	object_fdes_free(&o->fdes);
	free(o->segments);
	elf_end(o->debug);
	elf_end(o->elf);
	if (o->debug_fd >= 0)
		close(o->debug_fd);
	if (o->fd >= 0)
		close(o->fd);
	free(o);
}

size_t object_build_id(const struct object *o, const void **id)
{
	ssize_t len = dwelf_elf_gnu_build_id(o->elf, id);

	return len > 0 ? len : 0;
}

bool object_vaddr(const struct object *o, uint64_t offset, uint64_t *vaddr)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct segment *s = &o->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool object_offset(const struct object *o, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct segment *s = &o->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->size) {
			*offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

size_t object_read(const struct object *o, uint64_t vaddr, void *buf,
		   size_t size)
{
	for (size_t i = 0; i < o->nr_segments; i++) {
		const struct segment *s = &o->segments[i];
		uint64_t at = vaddr - s->vaddr;
		ssize_t got;

		if (vaddr < s->vaddr || at >= s->size)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		at += s->offset;
		if (!o->image) {
			got = pread(o->fd, buf, size, at);
			return got > 0 ? got : 0;
		}
		if (at >= o->image_size)
			return 0;
		if (size > o->image_size - at)
			size = o->image_size - at;
		memcpy(buf, o->image + at, size);
		return size;
	}
	return 0;
}

bool object_is_x86_64(const struct object *o)
{
	return o->x86_64;
}

const struct object_symbol *object_symbol(const struct object *o,
					  uint64_t vaddr)
{
	return object_symbols_find(o->symbols.nr ? &o->symbols : &o->exported,
				   vaddr);
}

size_t object_named(const struct object *o, const char *name, uint64_t *vaddr)
{
	const struct object_symbols *s = o->symbols.nr ? &o->symbols :
							 &o->exported;
	const struct object_exported *e;
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (strcmp(s->list[i].name, name))
			continue;
		*vaddr = s->list[i].start;
		nr++;
	}
	/* Of an address with several names the list has one. */
	for (size_t nth = 0; !nr && (e = object_exports_find(&o->exports, name,
							     nth)); nth++) {
		if (!e->ifunc) {
			*vaddr = e->vaddr;
			return 1;
		}
	}
	return nr;
}

const char *object_plt(const struct object *o, uint64_t vaddr,
		       struct object_range *range)
{
	const struct object_stub *stub = object_stubs_find(&o->stubs, vaddr);

	if (!stub)
		return NULL;
	*range = stub->range;
	return stub->name;
}

bool object_export(const struct object *o, const char *name, size_t nth,
		   uint64_t *vaddr, bool *ifunc)
{
	const struct object_exported *e =
		object_exports_find(&o->exports, name, nth);

	if (!e)
		return false;
	*vaddr = e->vaddr;
	*ifunc = e->ifunc;
	return true;
}

bool object_is_linker(const struct object *o)
{
	return o->linker;
}

bool object_function(const struct object *o, uint64_t vaddr,
		     struct object_range *range)
{
	const struct object_range *fde;
	const struct object_symbol *symbol;

	/* One FDE covers a whole PLT section: the stubs come first. */
	if (object_plt(o, vaddr, range))
		return true;
	fde = object_fdes_find(&o->fdes, vaddr);
	symbol = object_symbol(o, vaddr);
	/* Hand-written functions such as clone3 have several FDEs. */
	if (fde && !(symbol && symbol->start <= fde->start &&
		     symbol->end >= fde->end)) {
		*range = *fde;
		return true;
	}
	if (symbol) {
		*range = (struct object_range){ symbol->start, symbol->end };
		return true;
	}
	if (vaddr >= o->entry_range.start && vaddr < o->entry_range.end) {
		*range = o->entry_range;
		return true;
	}
	return false;
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

bool object_cfi(const struct object *o, uint64_t vaddr, struct object_cfi *cfi)
{
	/* libdw builds the index on first use: the only thing that changes. */
	struct object *mutable = (struct object *)o;
	Dwarf_Frame *frame;
	bool known;

	if (!o->x86_64)
		return false;
	if (!o->cfi_tried) {
		mutable->cfi = dwarf_getcfi_elf(o->elf);
		mutable->cfi_tried = true;
	}
	if (!o->cfi || dwarf_cfi_addrframe(o->cfi, vaddr, &frame))
		return false;
	known = object_cfi_take(frame, cfi);
	free(frame);
	return known;
}

bool object_is_outermost(const struct object *o, uint64_t vaddr)
{
	struct object_cfi cfi;

	if (vaddr >= o->entry_range.start && vaddr < o->entry_range.end)
		return true;
	return object_cfi(o, vaddr, &cfi) &&
	       cfi.registers[OBJECT_CFI_RETURN_ADDRESS].kind ==
	       OBJECT_CFI_UNDEFINED;
}

bool object_is_fragment(const struct object *o, uint64_t vaddr)
{
	struct object_cfi cfi;

	if (!object_cfi(o, vaddr, &cfi))
		return false;
	/* At the first instruction of a function the frame address is rsp + 8. */
	return cfi.cfa.kind == OBJECT_CFI_EXPRESSION ||
	       (cfi.cfa.kind == OBJECT_CFI_REGISTER &&
		!(cfi.cfa.reg == OBJECT_CFI_STACK_POINTER && cfi.cfa.value == 8));
}
