// SPDX-License-Identifier: GPL-2.0
/* ctl/object/gotable.c: on stripped programs of the installed Go, by nm and readelf on their
 * unstripped twins, and on tables of each layout, written here by Go's description. */
#include "program.h"

#include <fcntl.h>

#include "object/cfi.h"
#include "object/gotable.h"
#include "object/object.h"

/* libelf 0.188 loses memory of its own on some damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\nleak:libdw.so";
}

static const char go_source[] =
	"package main\n"
	"import (\"fmt\"; \"os\"; \"sort\")\n"
	"type shape interface { area() int }\n"
	"type square struct { side int }\n"
	"//go:noinline\n"
	"func (s *square) area() int { return s.side * s.side }\n"
	"//go:noinline\n"
	"func deep(n int) int { var room [200]int; room[n%200] = n\n"
	"  if n > 0 { return deep(n-1) + room[n%200] }; return room[0] }\n"
	"func main() { var s shape = &square{len(os.Args)}; list := []int{3, 1, 2}\n"
	"  sort.Slice(list, func(a, b int) bool { return list[a] < list[b] })\n"
	"  defer func() { recover(); fmt.Println(list, s.area()) }()\n"
	"  fmt.Println(deep(9)); panic(s) }\n";

/* Two functions: one with a frame of 24 bytes, one that is the outermost one of its thread. */
static const char asm_source[] =
	"	.text\n	.globl _start\n"
	"_start:	sub $24, %rsp\n	.fill 100, 1, 0x90\n	add $24, %rsp\n	ret\n	.fill 63, 1, 0xcc\n"
	"second:	call _start\n	.fill 95, 1, 0x90\n"
	"end:\n"
	"#ifdef MERGED\n"
	"	.section .go.buildinfo, \"aw\"\n	.quad 0\n"
	"	.section .data.rel.ro, \"aw\"\n	.balign 32\n	.quad _start, 0, 0, 0\n"
	"#else\n"
	"	.section .gopclntab, \"a\"\n"
	"#endif\n"
	"table:	.long MAGIC\n	.byte 0, 0, 1, 8\n	.quad 2, 1\n"
	"#ifdef OFFSETS\n"
	"#define AT(place) .long place - _start\n	.quad TEXT\n"
	"#else\n"
	"#define AT(place) .quad place\n"
	"#endif\n"
	"	.quad names - table, 0, 0, steps - table, functions - table\n"
	"names:	.asciz \"main.first\"\n	.asciz \"main.second\"\n"
	"steps:	.byte 0\n	.byte 2, 4, 48, 104, 47, 1, 0\n	.byte 2, 100, 0\n"
	"	.balign 8\n"
	"#ifdef OFFSETS\n"
	"#define RECORD(record) .long record - functions\n"
	"#else\n"
	"#define RECORD(record) .quad record - functions\n"
	"#endif\n"
	"functions:\n	AT(_start)\n	RECORD(records)\n	AT(second)\n	RECORD(other)\n	AT(end)\n"
	"records:	AT(_start)\n	.long 0, 0, 0, 1, 0, 0, 0, 0\n	LINE\n	.byte 0, 0, 0, 0\n"
	"other:	AT(second)\n	.long 11, 0, 0, 8, 0, 0, 0, 0\n	LINE\n	.byte 0, FLAG, 0, 0\n";

static const struct layout {
	const char *name, *flags;
} layouts[] = {
	{ "go1.16", "-DMAGIC=0xfffffffa -DLINE= -DFLAG=1 -no-pie -static" },
	{ "go1.18", "-DMAGIC=0xfffffff0 -DOFFSETS -DTEXT=_start -DLINE= -DFLAG=1 -no-pie -static" },
	{ "go1.20", "-DMAGIC=0xfffffff1 -DOFFSETS -DTEXT=_start -D'LINE=.long 7' -DFLAG=1 -no-pie -static" },
	{ "go1.20.pie", "-DMAGIC=0xfffffff1 -DOFFSETS -DTEXT=_start -D'LINE=.long 7' -DFLAG=1 -DMERGED -pie" },
	{ "go1.26", "-DMAGIC=0xfffffff1 -DOFFSETS -DTEXT=0 -D'LINE=.long 7' -DFLAG=1 -no-pie -static" },
	{ "flagless", "-DMAGIC=0xfffffffa -DLINE= -DFLAG=0 -no-pie -static" },
};

static bool has_go;

static int setup(void **state)
{
	program_setup(state);
	program_write("table.S", asm_source);
	for (size_t i = 0; i < NR(layouts); i++) {
		run("gcc -nostdlib -Wl,--build-id=none -o %s.full %s table.S", layouts[i].name, layouts[i].flags);
		run("strip -o %s %s.full", layouts[i].name, layouts[i].name);
	}
	has_go = !system("command -v go >/dev/null");
	if (!has_go)
		return 0;
	program_write("p.go", go_source);
	run("export GO111MODULE=off GOCACHE=${GOCACHE:-$PWD/cache} CGO_ENABLED=0; go build -o plain p.go && "
	    "go build -buildmode=pie -o pie p.go && go build -ldflags='-s -w' -o linked p.go");
	run("strip -o plain.stripped plain; strip -o pie.stripped pie");
	return 0;
}

/* The twins of stripped programs. */
static const struct twin {
	const char *stripped, *whole;
} twins[] = {
	{ "plain.stripped", "plain" }, { "linked", "plain" }, { "pie.stripped", "pie" },
};

/* The symbol table spells two kinds of names otherwise: it tells functions of assembly apart
 * from Go's wrappers of them, and states type arguments. */
static bool is_name(const char *name, const char *truth)
{
	size_t until = strcspn(truth, "[");

	if (truth[until])
		return !strncmp(name, truth, until);
	until = strlen(truth);
	if (until > 5 && !strcmp(truth + until - 5, ".abi0"))
		until -= 5;
	/* truth_symbols() cuts names at blanks. */
	return !strncmp(name, truth, until) && (!name[until] || name[until] == ' ' || until > 120);
}

static void names_agree_with_nm(void **state)
{
	static struct truth symbols[8192];

	(void)state;
	if (!has_go)
		skip();
	for (size_t p = 0; p < NR(twins); p++) {
		struct object *o = program_open(twins[p].stripped);
		size_t nr = truth_symbols(twins[p].whole, symbols, NR(symbols));

		assert_true(nr > 1000);
		for (size_t i = 0; i < nr; i++) {
			const struct truth *t = &symbols[i];
			struct object_range range;

			for (uint64_t at = t->addr; at < t->addr + t->size; at += 1 + t->size / 3) {
				const struct object_symbol *s = object_symbol(o, at);

				if (!s || s->start != t->addr || !is_name(s->name, t->name))
					fail_msg("%s %lx: %s, not %s", twins[p].stripped, at, s ? s->name : "none",
						 t->name);
				assert_true(object_function(o, at, &range));
				assert_int_equal(range.start, t->addr);
			}
			assert_true(object_is_entry(o, t->addr));
		}
		object_close(o);
	}
}

/* Whether the rules are those of a frame with the CFA at rsp + cfa. */
static bool has_frame(const struct object *o, uint64_t at, int64_t cfa)
{
	struct object_cfi cfi;

	return object_cfi(o, at, &cfi) && !cfi.signal && cfi.cfa.kind == OBJECT_CFI_REGISTER &&
	       cfi.cfa.reg == OBJECT_CFI_STACK_POINTER && cfi.cfa.value == cfa &&
	       cfi.registers[OBJECT_CFI_RETURN_ADDRESS].kind == OBJECT_CFI_SAVED &&
	       cfi.registers[OBJECT_CFI_RETURN_ADDRESS].value == -8 &&
	       cfi.registers[OBJECT_CFI_STACK_POINTER].kind == OBJECT_CFI_OFFSET &&
	       !cfi.registers[OBJECT_CFI_STACK_POINTER].value;
}

static void check_row(const struct object *o, uint64_t from, uint64_t to, int64_t cfa, size_t counts[2])
{
	for (uint64_t at = from; at < to; at += 1 + (to - from) / 3) {
		struct object_cfi cfi;
		bool known = object_cfi(o, at, &cfi);

		if (known && !has_frame(o, at, cfa))
			fail_msg("%lx: rsp+%ld, not rsp+%ld", at, cfi.cfa.value, cfa);
		counts[known]++;
	}
}

/* Each row that readelf prints of the twin holds; few functions have no frame size. */
static void frame_sizes_agree_with_readelf(void **state)
{
	(void)state;
	if (!has_go)
		skip();
	for (size_t p = 0; p < NR(twins); p++) {
		struct object *o = program_open(twins[p].stripped);
		uint64_t end = 0, last = 0, at;
		int64_t cfa, before = 0;
		size_t counts[2] = { 0 };
		char line[256];
		FILE *in;

		run("readelf --debug-dump=frames-interp %s >rows", twins[p].whole);
		in = fopen(program_path("rows"), "r");
		assert_non_null(in);
		while (fgets(line, sizeof(line), in)) {
			char *range = strstr(line, " pc=");
			uint64_t start, until;

			if (range && sscanf(range, " pc=%lx..%lx", &start, &until) == 2) {
				check_row(o, last, end, before, counts);
				last = start;
				end = until;
			} else if (end && sscanf(line, "%lx rsp+%ld c-8", &at, &cfa) == 2) {
				check_row(o, last, at, before, counts);
				last = at;
				before = cfa;
			}
		}
		check_row(o, last, end, before, counts);
		fclose(in);
		assert_true(counts[true] > 5000);
		assert_true(counts[false] * 50 < counts[true]);
		object_close(o);
	}
}

/* What these have on the stack is not their caller's: they change to another stack, or are the
 * outermost function of a thread. The kernel returns to the last one. */
static void stacks_end_where_gos_do(void **state)
{
	static const char *const names[] = {
		"runtime.mcall", "runtime.systemstack.abi0", "runtime.morestack.abi0", "gogo",
		"runtime.asmcgocall.abi0", "runtime.mstart.abi0", "runtime.rt0_go.abi0", "runtime.goexit.abi0",
		"runtime.sigtramp.abi0",
	};
	struct object_cfi cfi;
	struct object *o;

	(void)state;
	if (!has_go)
		skip();
	o = program_open("plain.stripped");
	for (size_t i = 0; i < NR(names); i++) {
		struct truth t = truth_of("plain", names[i]);

		for (uint64_t at = t.addr; at < t.addr + t.size; at++)
			assert_false(object_cfi(o, at, &cfi));
	}
	object_close(o);
}

static void each_layout_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(layouts); i++) {
		bool flagless = !strcmp(layouts[i].name, "flagless");
		struct object *o = program_open(layouts[i].name);
		uint64_t first, second;
		struct object_cfi cfi;

		first = object_entry(o);
		second = first + 172;
		assert_non_null(object_symbol(o, first));
		assert_string_equal(object_symbol(o, first)->name, "main.first");
		assert_string_equal(object_symbol(o, second - 1)->name, "main.first");
		assert_string_equal(object_symbol(o, second)->name, "main.second");
		assert_string_equal(object_symbol(o, second + 99)->name, "main.second");
		assert_null(object_symbol(o, second + 100));
		assert_int_equal(has_frame(o, first + 3, 8), !flagless);
		assert_int_equal(has_frame(o, first + 4, 32), !flagless);
		assert_int_equal(has_frame(o, first + 107, 32), !flagless);
		assert_int_equal(has_frame(o, first + 108, 8), !flagless);
		assert_false(object_cfi(o, first + 109, &cfi));
		assert_false(object_cfi(o, second, &cfi));
		object_close(o);
	}
}

/* Takes the rows of a file; false if it has none. */
static bool take_rows(const char *name, gotable_row *row, void *ctx)
{
	int fd = open(program_path(name), O_RDONLY);
	struct gotable table = { .format = NULL };
	struct object_range code;
	bool taken;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	gotable_load(&table, elf);
	taken = table.format && gotable_rows(&table, &code, row, ctx);
	elf_end(elf);
	close(fd);
	return taken;
}

struct judge {
	const struct object *whole;
	size_t frames, tops, signals;
};

/* At the first address of each row, libdw finds a frame of the same size in the twin's .debug_frame. */
static bool judge_row(void *ctx, uint64_t vaddr, enum gotable_rule rule, uint64_t bytes)
{
	struct judge *j = ctx;
	struct object_cfi cfi;

	j->tops += rule == GOTABLE_TOP;
	j->signals += rule == GOTABLE_SIGNAL;
	if (rule != GOTABLE_FRAME || !object_cfi(j->whole, vaddr, &cfi))
		return true;
	assert_int_equal(cfi.cfa.kind, OBJECT_CFI_REGISTER);
	assert_int_equal(cfi.cfa.reg, OBJECT_CFI_STACK_POINTER);
	if ((uint64_t)cfi.cfa.value != bytes + 8)
		fail_msg("%#lx: %lu bytes, not %ld", vaddr, bytes, cfi.cfa.value - 8);
	j->frames++;
	return true;
}

static bool any_row(void *ctx, uint64_t vaddr, enum gotable_rule rule, uint64_t bytes)
{
	(void)ctx, (void)vaddr, (void)bytes;
	assert_in_range(rule, GOTABLE_FRAME, GOTABLE_UNKNOWN);
	return true;
}

/* Asks all questions about all addresses of the code. */
static void ask(const char *name)
{
	enum object_state state;
	struct object *o = object_open(NULL, 0, program_path(name), NULL, 0, &state);

	for (uint64_t offset = 0; o && offset < 0x3000; offset += 7) {
		const struct object_symbol *s;
		struct object_range range;
		struct object_cfi cfi;
		uint64_t vaddr;

		if (!object_vaddr(o, offset, &vaddr))
			continue;
		s = object_symbol(o, vaddr);
		if (s)
			assert_true(strlen(s->name) < 1 << 14);
		object_function(o, vaddr, &range);
		object_cfi(o, vaddr, &cfi);
	}
	object_close(o);
	take_rows(name, any_row, NULL);
}

/* Wrong numbers at each place of a table, and tables that are cut off. */
static void spoilt_tables_do_no_harm(void **state)
{
	static const unsigned char wild[][4] = {
		{ 0, 0, 0, 0 }, { 0xff, 0xff, 0xff, 0xff }, { 0xff, 0xff, 0xff, 0x7f }, { 0x80, 0x80, 0x80, 0x80 },
		{ 1, 0, 0, 0x80 },
	};
	unsigned char bytes[4];
	unsigned long at, size;

	(void)state;
	for (size_t i = 0; i < NR(layouts); i++) {
		char line[128];
		FILE *f;

		if (!strcmp(layouts[i].name, "go1.20.pie"))
			continue;	/* its section has another name */
		run("readelf -SW %s | sed -n 's/.*gopclntab *PROGBITS *[^ ]* //p' >place", layouts[i].name);
		f = fopen(program_path("place"), "r");
		assert_non_null(f);
		assert_non_null(fgets(line, sizeof(line), f));
		fclose(f);
		assert_int_equal(sscanf(line, "%lx %lx", &at, &size), 2);
		run("cp %s spoilt", layouts[i].name);
		f = fopen(program_path("spoilt"), "r+");
		assert_non_null(f);
		setbuf(f, NULL);
		for (size_t place = 0; place + 4 <= size; place += 4) {
			fseek(f, at + place, SEEK_SET);
			assert_int_equal(fread(bytes, 4, 1, f), 1);
			for (size_t w = 0; w < NR(wild); w++) {
				fseek(f, at + place, SEEK_SET);
				assert_int_equal(fwrite(wild[w], 4, 1, f), 1);
				ask("spoilt");
			}
			fseek(f, at + place, SEEK_SET);
			assert_int_equal(fwrite(bytes, 4, 1, f), 1);
		}
		fclose(f);
		run("objcopy --dump-section .gopclntab=table %s", layouts[i].name);
		for (size_t cut = 1; cut < size; cut += 37) {
			run("head -c %zu table >cut; objcopy --update-section .gopclntab=cut %s spoilt 2>/dev/null",
			    cut, layouts[i].name);
			ask("spoilt");
		}
	}
}

static void rows_agree_with_frames(void **state)
{
	(void)state;
	if (!has_go)
		skip();
	for (size_t p = 0; p < NR(twins); p++) {
		struct judge judge = { .whole = program_open(twins[p].whole) };

		assert_true(take_rows(twins[p].stripped, judge_row, &judge));
		print_message("# %s: %zu frames, %zu tops, %zu signals\n", twins[p].stripped, judge.frames, judge.tops, judge.signals);
		assert_true(judge.frames > 5000 && judge.tops && judge.signals == 1);
		object_close((struct object *)judge.whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_agree_with_nm),
		cmocka_unit_test(frame_sizes_agree_with_readelf),
		cmocka_unit_test(rows_agree_with_frames),
		cmocka_unit_test(stacks_end_where_gos_do),
		cmocka_unit_test(each_layout_is_read),
		cmocka_unit_test(spoilt_tables_do_no_harm),
	};

	return cmocka_run_group_tests_name("gotable", tests, setup, program_teardown);
}
