// SPDX-License-Identifier: GPL-2.0
/* An ELF file: headers, symbols, notes, call frame information, tables of it, DWARF. */
#include "fuzz.h"
#include "object/cfi.h"
#include "object/frame_table.h"
#include "object/object.h"

/* libelf and libdw 0.188 lose memory of their own on some damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\nleak:libdw.so";
}

static void ask(const struct object *o, uint64_t vaddr)
{
	struct inlines_frame frames[INLINES_MAX];
	struct object_range range;
	struct object_cfi cfi;
	unsigned char code[16];
	uint64_t offset;

	object_symbol(o, vaddr);
	object_plt(o, vaddr, &range);
	object_function(o, vaddr, &range);
	object_is_entry(o, vaddr);
	object_is_outermost(o, vaddr);
	object_is_fragment(o, vaddr);
	object_unclaimed(o, vaddr, &offset);
	object_offset(o, vaddr, &offset);
	object_read(o, vaddr, code, sizeof(code));
	object_cfi(o, vaddr, &cfi);
	object_inlines(o, vaddr, true, frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum object_state state;
	struct object *o;
	const void *id;
	uint64_t vaddr;
	size_t table;
	char path[32];
	bool ifunc;
	int fd;

	fuzz_silence();
	fd = fuzz_file(data, size, path);
	o = object_open(NULL, 0, path, NULL, 0, &state);
	if (o) {
		object_build_id(o, &id);
		object_named(o, "main", &vaddr);
		for (size_t at = 0; object_export(o, "main", &at, &vaddr, &ifunc);)
			;
		for (uint64_t offset = 0; offset < size && offset < 1 << 16; offset += 61)
			if (object_vaddr(o, offset, &vaddr))
				ask(o, vaddr);
		ask(o, object_entry(o));
		free(frame_table_of(o, &table));
		object_close(o);
	}
	close(fd);
	return 0;
}
