// SPDX-License-Identifier: GPL-2.0
/* ctl/object/cfi.c: the rules of call frame information are those that libdw computes, at the bounds of all rows of
 * installed files, and between. */
#include "program.h"

#include <fcntl.h>

#include "libdw_cfi.h"
#include "object/encoded.h"
#include "object/frame_rules.h"
#include "object/tables.h"

/* DWARF's numbers (psABI, figure 3.36). */
enum { RAX = 0, RBX = 3 };

struct file {
	const char *path;
	int fd;
	struct object *object;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi;			/* libdw's */
	bool is_dwarfs;
	size_t nr, expressions;		/* addresses that were compared, and those with expressions, */
	size_t mistakes;		/* and with libdw's mistake */
};

/* truth: the file whose call frame information libdw reads. */
static bool take(struct file *f, const char *path, const char *truth)
{
	enum object_state state;

	*f = (struct file){ .path = path, .fd = open(truth, O_RDONLY | O_CLOEXEC) };
	if (f->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	f->object = object_open(NULL, 0, path, NULL, 0, &state);
	assert_non_null(f->elf);
	assert_non_null(f->object);
	f->cfi = dwarf_getcfi_elf(f->elf);
	if (f->cfi)
		return true;
	f->dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	f->cfi = dwarf_getcfi(f->dwarf);
	f->is_dwarfs = true;
	return true;
}

static void drop(struct file *f)
{
	if (!f->is_dwarfs)
		dwarf_cfi_end(f->cfi);
	dwarf_end(f->dwarf);
	object_close(f->object);
	elf_end(f->elf);
	close(f->fd);
}

static bool same_bytes(const unsigned char **p, size_t size, uint64_t number)
{
	bool same = !memcmp(*p, &number, size);

	*p += size;
	return same;
}

static bool same_operation(const unsigned char **p, const unsigned char *end, const Dwarf_Op *op)
{
	if (*(*p)++ != op->atom)
		return false;
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_deref_size:
	case DW_OP_pick:
		return same_bytes(p, 1, op->number);
	case DW_OP_const2u:
	case DW_OP_const2s:
		return same_bytes(p, 2, op->number);
	case DW_OP_const4u:
	case DW_OP_const4s:
		return same_bytes(p, 4, op->number);
	case DW_OP_const8u:
	case DW_OP_const8s:
		return same_bytes(p, 8, op->number);
	case DW_OP_breg0 ... DW_OP_breg31:
	case DW_OP_consts:
		return (uint64_t)encoded_signed(p, end) == op->number;
	case DW_OP_bregx:
		return encoded_number(p, end) == op->number && (uint64_t)encoded_signed(p, end) == op->number2;
	case DW_OP_constu:
	case DW_OP_plus_uconst:
		return encoded_number(p, end) == op->number;
	default:
		return true;
	}
}

/* The first and the last operation of a register's value are libdw's own. */
static bool same_expression(const struct object_cfi *cfi, const struct object_cfi_rule *a, const struct libdw_rule *b)
{
	const unsigned char *p = cfi->expressions + a->value, *end = p + a->size;
	const size_t own = a != &cfi->cfa, nr = b->nr_ops - (own && b->kind == OBJECT_CFI_VALUE);

	for (size_t i = own; i < nr; i++)
		if (p >= end || !same_operation(&p, end, &b->ops[i]))
			return false;
	return p == end;
}

static bool same_rule(const struct object_cfi *cfi, const struct object_cfi_rule *a, const struct libdw_rule *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case OBJECT_CFI_SAVED:
	case OBJECT_CFI_OFFSET:
		return a->value == b->value;
	case OBJECT_CFI_REGISTER:
		return a->reg == b->reg && a->value == b->value;
	case OBJECT_CFI_EXPRESSION:
	case OBJECT_CFI_VALUE:
		return same_expression(cfi, a, b);
	default:
		return true;
	}
}

/* Where the program says nothing, rbx is unchanged and rax is lost (psABI, figure 3.4). libdw has it the other way
 * round. */
static bool is_libdws_mistake(int i, const struct object_cfi_rule *ours, const struct libdw_rule *theirs)
{
	return (i == RAX && ours->kind == OBJECT_CFI_UNDEFINED && theirs->kind == OBJECT_CFI_SAME) ||
	       (i == RBX && ours->kind == OBJECT_CFI_SAME && theirs->kind == OBJECT_CFI_UNDEFINED);
}

static void compare_at(struct file *f, uint64_t vaddr)
{
	struct libdw_cfi theirs;
	struct object_cfi ours;
	const bool known = libdw_cfi(f->cfi, vaddr, &theirs);

	f->nr++;
	if (object_cfi(f->object, vaddr, &ours) != known)
		fail_msg("%s %#lx: %s rules", f->path, vaddr, known ? "no" : "has");
	if (!known)
		return;
	f->expressions += ours.size != 0;
	if (ours.signal != theirs.signal)
		fail_msg("%s %#lx: signal is %d", f->path, vaddr, ours.signal);
	if (!same_rule(&ours, &ours.cfa, &theirs.cfa))
		fail_msg("%s %#lx: the CFA is %d", f->path, vaddr, ours.cfa.kind);
	f->mistakes += is_libdws_mistake(RBX, &ours.registers[RBX], &theirs.registers[RBX]) &&
		       is_libdws_mistake(RAX, &ours.registers[RAX], &theirs.registers[RAX]);
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		if (!same_rule(&ours, &ours.registers[i], &theirs.registers[i]) &&
		    !is_libdws_mistake(i, &ours.registers[i], &theirs.registers[i]))
			fail_msg("%s %#lx: register %d is %d, not %d", f->path, vaddr, i, ours.registers[i].kind,
				 theirs.registers[i].kind);
}

static bool compare_row(void *ctx, struct object_range code, const struct frame_rules *rules)
{
	(void)rules;
	compare_at(ctx, code.start);
	compare_at(ctx, code.start + (code.end - code.start) / 2);
	compare_at(ctx, code.end - 1);
	return true;
}

/* Compares at the rows of every nth piece of code, and beside it. */
static void compare_all(struct file *f, size_t every)
{
	struct frames_piece piece;
	struct frames frames;
	Elf *elf = elf_begin(f->fd, ELF_C_READ, NULL);
	size_t nr = 0;

	assert_true(frames_open(&frames, elf, f->is_dwarfs ? ".debug_frame" : ".eh_frame"));
	while (frames_next(&frames, &piece)) {
		if (nr++ % every)
			continue;
		compare_at(f, piece.code.start - 1);
		assert_true(frame_rules_of(&piece, compare_row, f));
		compare_at(f, piece.code.end);
	}
	compare_at(f, 0);
	compare_at(f, UINT64_MAX);
	assert_true(nr);
	frames_close(&frames);
	elf_end(elf);
}

static void compare_file(const char *path, const char *truth, size_t every, size_t *expressions)
{
	struct file f;

	if (!take(&f, path, truth))
		return;
	compare_all(&f, every);
	*expressions += f.expressions;
	assert_true(f.mistakes);
	print_message("# %s: %zu addresses, %zu with expressions\n", path, f.nr, f.expressions);
	drop(&f);
}

/* C, C++, assembly with expressions, PLT stubs, a dynamic linker, a static program; a file of gold, whose .eh_frame_hdr
 * libdw does not use. */
static void installed_files(void **state)
{
	static const struct {
		const char *path;
		size_t every;
	} files[] = {
		{ "/lib/x86_64-linux-gnu/libc.so.6", 1 }, { "/lib64/ld-linux-x86-64.so.2", 1 },
		{ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 3 }, { "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", 3 },
		{ "/lib/x86_64-linux-gnu/libgcc_s.so.1", 1 }, { "/usr/bin/python3", 3 }, { "/usr/bin/perl", 3 },
		{ "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", 97 }, { "/proc/self/exe", 5 },
	};
	size_t expressions = 0;

	(void)state;
	for (size_t i = 0; i < NR(files); i++)
		compare_file(files[i].path, files[i].path, files[i].every, &expressions);
	assert_true(expressions > 50);
}

static const char source[] =
	"#include <signal.h>\n#include <stdio.h>\n#include <string.h>\n"
	"typedef int v8 __attribute__((vector_size(64)));\n"
	"__attribute__((noinline)) int aligned(int n) { volatile v8 v = { n }; char b[n]; memset(b, n, n);\n"
	"  return v[0] + b[n / 2]; }\n"
	"__attribute__((noinline)) int many(int n, const char *s) { if (n > 3) return many(n - 1, s) * aligned(n);\n"
	"  return printf(s, n) + n; }\n"
	"int main(int argc, char **argv) { return many(argc, argv[0]); }\n";

/* Files without .eh_frame_hdr, without section headers, and with .debug_frame alone, which may be packed, or in a file
 * of its own. */
static void other_places(void **state)
{
	static const struct {
		const char *name, *command;
		const char *truth;		/* NULL: the file itself */
	} files[] = {
		{ "lazy", "gcc -O2 -Wl,-z,lazy -o lazy p.c", NULL },
		{ "clang", "clang -O2 -o clang p.c", NULL },
		{ "gold", "! command -v ld.gold || gcc -O2 -fuse-ld=gold -o gold p.c", NULL },
		{ "lld", "clang -O2 -fuse-ld=lld -o lld p.c", NULL },
		{ "bare", "gcc -O2 -Wl,--no-eh-frame-hdr -o bare p.c", NULL },
		{ "static", "gcc -O2 -static -o static p.c", NULL },
		{ "headless", "cp lazy headless && for at in 40 41 60 61 62 63; do"
			      " printf '\\0' | dd of=headless bs=1 seek=$at conv=notrunc 2>/dev/null || exit 1; done", NULL },
		{ "debug", "gcc -O2 -g -fno-asynchronous-unwind-tables -c p.c -o debug.o &&"
			   " gcc -nostartfiles -Wl,-e,main -Wl,--no-ld-generated-unwind-info -o debug debug.o", NULL },
		{ "debug4", "clang -O2 -g -fno-asynchronous-unwind-tables -c p.c -o debug4.o &&"
			    " gcc -nostartfiles -Wl,-e,main -Wl,--no-ld-generated-unwind-info -o debug4 debug4.o", NULL },
		{ "packed", "objcopy --compress-debug-sections=zlib debug packed", NULL },
		{ "packed-gnu", "objcopy --compress-debug-sections=zlib-gnu debug packed-gnu", NULL },
		{ "stripped", "objcopy --only-keep-debug debug stripped.debug &&"
			      " objcopy -S --add-gnu-debuglink=stripped.debug debug stripped", "stripped.debug" },
	};
	size_t expressions = 0;

	(void)state;
	program_write("p.c", source);
	for (size_t i = 0; i < NR(files); i++) {
		char path[128];

		run("%s", files[i].command);
		strcpy(path, program_path(files[i].name));
		compare_file(path, files[i].truth ? program_path(files[i].truth) : path, 1, &expressions);
	}
	assert_true(expressions > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(installed_files),
		cmocka_unit_test(other_places),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
