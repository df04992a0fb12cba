// SPDX-License-Identifier: GPL-2.0
/* Writes names of functions for other programs: ELF, and /proc/kallsyms. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "import/image.h"

enum { SECTION_TEXT = 1, SECTION_NOTE, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NAMES, NR_SECTIONS };
static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id";

/* A build id, as the linker writes it. */
struct note {
	Elf64_Nhdr head;
	char owner[4];
	uint8_t id[BUILDID_MAX];
};

struct image {
	struct places_file *file;
	Elf64_Sym *symbols;
	char *strings;
	size_t nr, max, size, room;
};

static int add_symbol(struct image *image, const char *name, const char *mark, uint64_t start, uint64_t end)
{
	const size_t size = strlen(name) + strlen(mark) + 1;

	if (room_for(&image->symbols, image->nr + 1, &image->max, sizeof(*image->symbols)) ||
	    room_for(&image->strings, image->size + size, &image->room, 1))
		return err_fail("out of memory");
	image->symbols[image->nr++] = (Elf64_Sym){
		.st_name = image->size, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SECTION_TEXT,
		.st_value = start, .st_size = end - start,
	};
	snprintf(image->strings + image->size, size, "%s%s", name, mark);
	image->size += size;
	return 0;
}

/* A table of symbols and one of strings begin with an empty one. */
static int add_symbols(struct image *image)
{
	struct places_file *file = image->file;
	size_t conflicts;
	const size_t nr = names_sort(&file->names, &conflicts);
	const struct names *inlined = &file->inlined;
	const char *mark = strcmp(file->path, ITEMS_NO_FILE) ? " (inlined)" : "";
	int err = add_symbol(image, "", "", 0, 0);

	if (conflicts)
		err_warn("%s: %zu of its functions lie within others: the text may be of different files with this name, and some "
			 "samples have the wrong function", file->path, conflicts);
	if (!err)
		image->symbols[0] = (Elf64_Sym){ .st_name = 0 };
	for (size_t i = 0; i < nr && !err; i++)
		err = add_symbol(image, file->names.list[i].text, "", file->names.list[i].start, file->names.list[i].end);
	for (size_t i = 0; i < inlined->index.used && !err; i++)
		err = add_symbol(image, inlined->list[i].text, mark, places_inlined(i), places_inlined(i + 1));
	return err;
}

#define NR_SEGMENTS	3	/* code, inlined functions, note */

/* Where each part is in the file: head, segments, note, symbols, strings, names of sections, sections. */
struct layout {
	uint64_t note, symbols, strings, names, sections;
};

static struct layout layout_of(const struct image *image)
{
	const uint64_t note = sizeof(Elf64_Ehdr) + NR_SEGMENTS * sizeof(Elf64_Phdr);
	const uint64_t symbols = (note + sizeof(struct note) + 7) & ~7UL, strings = symbols + image->nr * sizeof(Elf64_Sym);
	const uint64_t names = strings + image->size;

	return (struct layout){ note, symbols, strings, names, (names + sizeof(section_names) + 7) & ~7UL };
}

/* The segment and, behind all segments, the note. Without a build id it is of no type. */
static void put_note(FILE *out, const struct image *image, const struct layout *at)
{
	static const char zeros[8];
	const struct buildid *id = &image->file->id;
	struct note note = { .head = { sizeof(note.owner), BUILDID_MAX, NT_GNU_BUILD_ID }, .owner = "GNU" };
	const Elf64_Phdr segment = { .p_type = id->size ? PT_NOTE : PT_NULL, .p_flags = PF_R, .p_offset = at->note,
				     .p_filesz = sizeof(note), .p_memsz = sizeof(note), .p_align = 4 };

	memcpy(note.id, id->bytes, BUILDID_MAX);
	fwrite(&segment, sizeof(segment), 1, out);
	fwrite(&note, sizeof(note), 1, out);
	fwrite(zeros, 1, at->symbols - at->note - sizeof(note), out);
}

static void put_head(FILE *out, const struct image *image, const struct layout *at)
{
	const struct places_range *ranges[] = { &image->file->code, &image->file->inlines };
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
		.e_shoff = at->sections, .e_ehsize = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = NR_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = NR_SECTIONS, .e_shstrndx = SECTION_NAMES };

	fwrite(&head, sizeof(head), 1, out);
	for (int i = 0; i < 2; i++) {
		const uint64_t begin = ranges[i]->begin, size = ranges[i]->end - begin;
		const Elf64_Phdr segment = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = begin, .p_vaddr = begin, .p_paddr = begin,
			.p_filesz = size, .p_memsz = size, .p_align = PLACES_PAGE };

		fwrite(&segment, sizeof(segment), 1, out);
	}
	put_note(out, image, at);
}

static void put_sections(FILE *out, const struct image *image, const struct layout *at)
{
	const struct places_range *code = &image->file->code;
	const Elf64_Shdr sections[NR_SECTIONS] = {
		/* perf finds the offset of a symbol by the section's. The code is not there. */
		[SECTION_TEXT] = { .sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				   .sh_addr = code->begin, .sh_offset = code->begin, .sh_size = code->end - code->begin,
				   .sh_addralign = 1 },
		[SECTION_NOTE] = { .sh_name = 33, .sh_type = image->file->id.size ? SHT_NOTE : SHT_PROGBITS,
				   .sh_offset = at->note, .sh_size = sizeof(struct note), .sh_addralign = 4 },
		[SECTION_SYMBOLS] = { .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = at->symbols,
				      .sh_size = image->nr * sizeof(Elf64_Sym), .sh_entsize = sizeof(Elf64_Sym),
				      .sh_link = SECTION_STRINGS, .sh_info = 1, .sh_addralign = 8 },
		[SECTION_STRINGS] = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = at->strings, .sh_size = image->size,
				      .sh_addralign = 1 },
		[SECTION_NAMES] = { .sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = at->names,
				    .sh_size = sizeof(section_names), .sh_addralign = 1 },
	};

	fwrite(sections, sizeof(sections), 1, out);
}

/* Returns the file's contents, which the caller frees; NULL: memory is short. */
static char *make(const struct image *image, size_t *size)
{
	static const char zeros[8];
	const struct layout at = layout_of(image);
	char *contents = NULL;
	FILE *out = open_memstream(&contents, size);

	if (!out)
		return NULL;
	put_head(out, image, &at);
	fwrite(image->symbols, sizeof(*image->symbols), image->nr, out);
	fwrite(image->strings, 1, image->size, out);
	fwrite(section_names, sizeof(section_names), 1, out);
	fwrite(zeros, 1, at.sections - at.names - sizeof(section_names), out);
	put_sections(out, image, &at);
	if (!fclose(out))
		return contents;
	free(contents);
	return NULL;
}

int image_write(struct archive_writer *archive, struct places_file *file)
{
	struct image image = { .file = file };
	char name[ARCHIVE_NAME_MAX], *contents = NULL;
	size_t size;
	int err = add_symbols(&image);

	if (!err && !(contents = make(&image, &size)))
		err = err_fail("out of memory");
	if (file->id.size)
		archive_name_id(name, file->id.bytes, file->id.size, ARCHIVE_ELF);
	else
		archive_name_path(name, file->path);
	if (!err)
		err = archive_write(archive, name, contents, size);
	free(contents);
	free(image.symbols);
	free(image.strings);
	return err;
}

/* Returns the name of the module that a file of the kernel is; NULL: the kernel itself. Valid until the next call. */
static const char *image_module(const char *path)
{
	static char module[64];
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	name += *name == '[';
	if (!strncmp(name, "kernel.", 7) || !strncmp(name, "guest.kernel.", 13) || !strncmp(name, "vmlinu", 6))
		return NULL;
	snprintf(module, sizeof(module), "%s", name);
	module[strcspn(module, ".]\t ")] = '\0';
	for (char *at = module; *at; at++)
		*at = *at == '-' ? '_' : *at;
	return *module ? module : NULL;
}

struct symbol {
	uint64_t start;
	const char *name;
	const char *path;
};

static int by_start(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

static struct symbol *kernel_symbols(struct places *places, size_t *nr)
{
	struct symbol *list = NULL;
	size_t max = 0;

	*nr = 0;
	for (size_t i = 0; i < places->file_index.used; i++) {
		const struct places_file *file = &places->files[i];
		const size_t used = file->kernel ? file->names.index.used : 0;

		if (room_for(&list, *nr + used + 1, &max, sizeof(*list))) {
			err_fail("out of memory");
			free(list);
			return NULL;
		}
		for (size_t k = 0; k < used; k++)
			list[(*nr)++] = (struct symbol){ file->code.address + (file->names.list[k].start - file->code.begin),
						       file->names.list[k].text, file->path };
	}
	if (*nr)
		qsort(list, *nr, sizeof(*list), by_start);
	return list;
}

char *image_kernel(struct places *places, size_t *size)
{
	char *text = NULL;
	size_t nr = 0;
	struct symbol *list = kernel_symbols(places, &nr);
	FILE *out = list || !nr ? open_memstream(&text, size) : NULL;

	/* Readers want the beginning of the kernel, which hidden addresses would have at 0. */
	if (out && nr)
		fprintf(out, "%016" PRIx64 " T _text\n", list[0].start & ~(uint64_t)(PLACES_PAGE - 1));
	for (size_t i = 0; out && i < nr; i++) {
		const char *module = image_module(list[i].path);

		fprintf(out, "%016" PRIx64 " t %s", list[i].start, list[i].name);
		fprintf(out, module ? "\t[%s]\n" : "\n", module);
	}
	free(list);
	if (!out || fclose(out)) {
		free(text);
		err_fail("out of memory");
		return NULL;
	}
	return text;
}
