// SPDX-License-Identifier: GPL-2.0
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sysroot.h"
#include "object/cfi.h"
#include "object/debugfile.h"
#include "object/object.h"
#include "object/tables.h"

struct segment {
	uint64_t offset, vaddr, size;	/* size: bytes that are in the file */
};

struct object {
	int fd;
	const unsigned char *image;	/* or, without a file */
	size_t image_size;
	Elf *elf;
	uint32_t pid;			/* as who sees it the path holds; 0: we do */
	char *path;			/* NULL: it has none */
	struct debugfile separate;	/* stripped off it */
	bool separate_tried;
	struct debugfile embedded;	/* symbols besides the exported ones */
	bool x86_64, linker;
	uint64_t entry;
	struct object_range entry_range;
	struct segment *segments;	/* executable ones */
	size_t nr_segments;
	bool loaded;			/* what follows */
	bool has_symtab;
	struct object_symbols symbols;
	struct object_exports exports;
	struct object_stubs stubs;
	struct object_fdes fdes;
	Dwarf_CFI *cfi;
	bool cfi_tried, cfi_is_dwarfs;
	Dwarf *dwarf, *supplement_dwarf;
	struct debugfile supplement;	/* what its DWARF has in common with others */
	struct inlines *inlines;
	bool dwarf_tried;
};

static bool load_segments(struct object *o)
{
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
	const struct object_symbol *symbol =
		object_symbols_find(&o->symbols, o->entry);

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

/* By whatever has function symbols: the file, else its separate debug file, else what
 * it exports, and beside that what it has for debuggers in .gnu_debugdata. */
static void load_symbols(struct object *o)
{
	struct object_symbols_source sources[2] = {
		{ o->elf, SHT_SYMTAB }, { NULL, SHT_SYMTAB },
	};

	o->has_symtab = object_symbols_load(&o->symbols, sources, 1);
	if (o->has_symtab)
		return;
	o->separate = debugfile_find(o->elf, o->pid, o->path);
	o->separate_tried = true;
	sources[0].elf = o->separate.elf;
	o->has_symtab = o->separate.elf &&
			object_symbols_load(&o->symbols, sources, 1);
	if (o->has_symtab)
		return;
	o->embedded = debugfile_embedded(o->elf);
	sources[0] = (struct object_symbols_source){ o->elf, SHT_DYNSYM };
	sources[1].elf = o->embedded.elf;
	object_symbols_load(&o->symbols, sources, o->embedded.elf ? 2 : 1);
}

/* All that is made of the file only when something is asked about its functions: of
 * most files that are mapped, nothing is. That changes nothing to be seen. */
static const struct object *tables(const struct object *object)
{
	struct object *o = (struct object *)object;

	if (o->loaded)
		return o;
	o->loaded = true;
	load_symbols(o);
	object_exports_load(&o->exports, o->elf);
	object_stubs_load(&o->stubs, o->elf);
	object_fdes_load(&o->fdes, o->elf);
	if (!o->has_symtab)
		object_symbols_trim(&o->symbols, &o->fdes);
	find_entry(o);
	return o;
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

/* libdw (0.188) takes it that strings in these sections end: let none run off the end of
 * its section, whose last byte is 0, or belongs to nothing that we ask for. */
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

		/* Read from a descriptor, or unpacked, the bytes are our own. */
		if (data && data->d_buf && data->d_size)
			((char *)data->d_buf)[data->d_size - 1] = '\0';
	}
}

/* libdw unpacks all sections that it knows when it opens a file. Those that nothing here
 * asks for, and that are large, it is told to have no content: in our copy of the headers. */
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

/* DWARF of the file, or else of its separate debug file. */
static void load_dwarf(struct object *o)
{
	Elf *elf = o->elf;

	o->dwarf_tried = true;
	if (!debugfile_has(elf, ".debug_info") &&
	    !debugfile_has(elf, ".zdebug_info")) {
		if (!o->separate_tried)
			o->separate = debugfile_find(elf, o->pid, o->path);
		o->separate_tried = true;
		elf = o->separate.elf;
	}
	if (elf)
		leave_out(elf);
	o->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (o->dwarf)
		end_strings(elf);
	if (o->dwarf && debugfile_supplement(o->dwarf, o->pid, &o->supplement,
					     &o->supplement_dwarf))
		o->inlines = inlines_new(o->dwarf);
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

struct object *object_open(uint32_t pid, const char *path,
			   const uint8_t *build_id, size_t id_size,
			   enum object_state *state)
{
	struct object *o = object_new();

	*state = OBJECT_MISSING;
	if (!o)
		return NULL;
	o->pid = pid;
	o->path = strdup(path);
	if (!o->path)
		err_short_of_memory();
	o->fd = o->path ? root_open(pid, path) : -1;
	if (o->fd < 0)
		goto err;
	*state = OBJECT_NOT_ELF;
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF)
		goto err;
	*state = OBJECT_MISMATCH;
	if (id_size && !same_build_id(o->elf, build_id, id_size))
		goto err;
	*state = OBJECT_NOT_ELF;
	if (!load_head(o))
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
	if (o->cfi && !o->cfi_is_dwarfs)
		dwarf_cfi_end(o->cfi);
	inlines_free(o->inlines);
	/* The supplement is still asked by the Dwarf that it belongs to. */
	dwarf_end(o->dwarf);
	dwarf_end(o->supplement_dwarf);
	object_symbols_free(&o->symbols);
	object_exports_free(&o->exports);
	object_stubs_free(&o->stubs);
	object_fdes_free(&o->fdes);
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

bool object_has_symtab(const struct object *o)
{
	return tables(o)->has_symtab;
}

bool object_is_x86_64(const struct object *o)
{
	return o->x86_64;
}

const struct object_symbol *object_symbol(const struct object *o,
					  uint64_t vaddr)
{
	return object_symbols_find(&tables(o)->symbols, vaddr);
}

size_t object_named(const struct object *o, const char *name, uint64_t *vaddr)
{
	const struct object_symbols *s = &tables(o)->symbols;
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
	const struct object_stub *stub = object_stubs_find(&tables(o)->stubs, vaddr);

	if (!stub)
		return NULL;
	*range = stub->range;
	return stub->name;
}

bool object_export(const struct object *o, const char *name, size_t nth,
		   uint64_t *vaddr, bool *ifunc)
{
	const struct object_exported *e =
		object_exports_find(&tables(o)->exports, name, nth);

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

/* Where the code section begins that holds vaddr. */
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

/* What has a symbol without a size, or is at the entry point, begins there and may end
 * anywhere. */
bool object_unclaimed(const struct object *o, uint64_t vaddr, uint64_t *from)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);
	const struct object_range *fde = object_fdes_before(&o->fdes, vaddr);
	struct object_range stub;

	if ((fde && vaddr < fde->end) || object_plt(o, vaddr, &stub) ||
	    (symbol && (symbol->sized || o->has_symtab)))
		return false;
	*from = section_start(o, vaddr);
	if (fde && fde->end > *from)
		*from = fde->end;
	symbol = object_symbols_before(&o->symbols, vaddr);
	if (symbol && symbol->start >= *from)
		*from = symbol->sized ? symbol->end : symbol->start + 1;
	if (o->entry && o->entry <= vaddr && o->entry >= *from)
		*from = o->entry + 1;
	return true;
}

/* That of .eh_frame, or where there is none, as in Go's programs, of .debug_frame. */
static void load_cfi(struct object *o)
{
	o->cfi_tried = true;
	o->cfi = dwarf_getcfi_elf(o->elf);
	if (o->cfi)
		return;
	if (!o->dwarf_tried)
		load_dwarf(o);
	o->cfi = o->dwarf ? dwarf_getcfi(o->dwarf) : NULL;
	o->cfi_is_dwarfs = true;
}

bool object_cfi(const struct object *o, uint64_t vaddr, struct object_cfi *cfi)
{
	Dwarf_Frame *frame;
	bool known;

	if (!o->x86_64)
		return false;
	/* libdw builds the index on first use: the only thing that changes. */
	if (!o->cfi_tried)
		load_cfi((struct object *)o);
	if (!o->cfi || dwarf_cfi_addrframe(o->cfi, vaddr, &frame))
		return false;
	known = object_cfi_take(frame, cfi);
	free(frame);
	return known;
}

bool object_is_outermost(const struct object *o, uint64_t vaddr)
{
	struct object_cfi cfi;

	tables(o);
	if (vaddr >= o->entry_range.start && vaddr < o->entry_range.end)
		return true;
	return object_cfi(o, vaddr, &cfi) &&
	       cfi.registers[OBJECT_CFI_RETURN_ADDRESS].kind ==
	       OBJECT_CFI_UNDEFINED;
}

uint64_t object_entry(const struct object *o)
{
	return o->entry;
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

size_t object_inlines(const struct object *o, uint64_t vaddr, bool lines,
		      struct inlines_frame frames[INLINES_MAX])
{
	if (!o->dwarf_tried)
		load_dwarf((struct object *)o);
	return o->inlines ? inlines_at(o->inlines, vaddr, lines, frames) : 0;
}
