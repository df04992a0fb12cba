// SPDX-License-Identifier: GPL-2.0
/* ctl/object/object.c and its tables, on compiled programs; the truth is nm's and
 * objdump's. */
#include "program.h"

#include "object/object.h"

/* libelf 0.188 loses memory of its own on some damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so";
}

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#define NI __attribute__((noinline, noclone))\n"
	"volatile unsigned long sink;\n"
	"NI static unsigned long inner(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; return sink; }\n"
	"NI unsigned long outer(unsigned long n) { return inner(n) + 1; }\n"
	"NI int compare(const void *a, const void *b) { sink++; return *(int *)a - *(int *)b; }\n"
	"NI void checked(int n) { int v[64]; if (n > 64) { fprintf(stderr, \"bad %d\\n\", n); abort(); }\n"
	"  for (int i = 0; i < n; i++) v[i] = rand(); qsort(v, n, sizeof(*v), compare); sink += v[0]; }\n"
	"int main(int c, char **v) { sink += outer(c); checked(c); puts(v[0]); return 0; }\n";

static const struct variant {
	const char *name, *flags;
} variants[] = {
	{ "pie", "-pie -fPIE" },
	{ "nopie", "-no-pie -fno-pie" },
	{ "static", "-static" },
	{ "staticpie", "-static-pie -fPIE" },
	{ "bindnow", "-pie -fPIE -Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt" },
	{ "separate", "-pie -fPIE -Wl,-z,separate-code" },
	{ "packed", "-no-pie -Wl,-z,noseparate-code" },
};

static int setup(void **state)
{
	program_setup(state);
	program_write("p.c", source);
	for (size_t i = 0; i < NR(variants); i++) {
		run("gcc -O2 %s -o %s p.c", variants[i].flags, variants[i].name);
		run("strip -o %s.stripped %s", variants[i].name, variants[i].name);
	}
	return 0;
}

static struct truth symbols[8192];

/* First and last byte of every sized function are in the symbol that begins where
 * nm says; the byte behind is not. */
static void symbols_agree_with_nm(void **state)
{
	(void)state;
	for (size_t v = 0; v < NR(variants); v++) {
		struct object *o = program_open(variants[v].name);
		size_t nr = truth_symbols(variants[v].name, symbols, NR(symbols));

		assert_true(nr > 5);
		for (size_t i = 0; i < nr; i++) {
			const struct truth *t = &symbols[i];
			const struct object_symbol *s = object_symbol(o, t->addr);

			assert_non_null(s);
			assert_int_equal(s->start, t->addr);
			s = object_symbol(o, t->addr + t->size - 1);
			assert_non_null(s);
			assert_true(s->start >= t->addr);
			s = object_symbol(o, t->addr + t->size);
			assert_true(!s || s->start != t->addr || s->end > t->addr + t->size);
		}
		object_close(o);
	}
}

/* Without symbols the bounds of these functions are still right, and no name is invented. */
static void stripped_bounds_agree_with_nm(void **state)
{
	static const char *const names[] = {
		"inner", "outer", "compare", "checked", "main", "_start",
	};
	char stripped[64];

	(void)state;
	for (size_t v = 0; v < NR(variants); v++) {
		struct object *o;

		snprintf(stripped, sizeof(stripped), "%s.stripped", variants[v].name);
		o = program_open(stripped);
		for (size_t i = 0; i < NR(names); i++) {
			struct truth t = truth_of(variants[v].name, names[i]);
			struct object_range r;

			for (uint64_t at = t.addr; at < t.addr + t.size; at++) {
				assert_null(object_symbol(o, at));
				assert_true(object_function(o, at, &r));
				assert_int_equal(r.start, t.addr);
				assert_int_equal(r.end, t.addr + t.size);
			}
			assert_true(object_is_entry(o, t.addr));
			assert_false(object_is_entry(o, t.addr + 1));
		}
		object_close(o);
	}
}

/* An exported function without a size extends at most to the next known one. An address
 * without information begins behind both. */
static void nothing_is_under_the_nearest_export(void **state)
{
	struct truth hidden, known, later;
	struct object_range r;
	struct object *o;
	uint64_t from;

	(void)state;
	program_write("mixed.c",
		"asm(\".globl bare\\n.type bare, @function\\nbare: nop; nop; ret\\n\"\n"
		"    \"hidden: nop; ret\\n.size hidden, . - hidden\");\n"
		"static __attribute__((noipa)) int known(int n) { return n * 3; }\n"
		"asm(\"later: nop; ret\\n.size later, . - later\");\n"
		"int exported(int n) { return known(n); }\n");
	run("gcc -O2 -fno-toplevel-reorder -shared -fPIC -o mixed.so mixed.c");
	run("strip -o mixed.stripped mixed.so");
	hidden = truth_of("mixed.so", "hidden");
	known = truth_of("mixed.so", "known");
	later = truth_of("mixed.so", "later");
	o = program_open("mixed.stripped");
	assert_string_equal(object_symbol(o, hidden.addr - 3)->name, "bare");
	assert_null(object_symbol(o, known.addr));
	assert_true(object_function(o, known.addr + 1, &r));
	assert_int_equal(r.start, known.addr);
	assert_false(object_unclaimed(o, known.addr, &from));
	assert_true(object_unclaimed(o, hidden.addr + 1, &from));
	assert_int_equal(from, hidden.addr - 2);
	assert_null(object_symbol(o, later.addr + 1));
	assert_true(object_unclaimed(o, later.addr + 1, &from));
	assert_int_equal(from, known.addr + known.size);
	object_close(o);
}

/* "0000000000001030 <puts@plt>:" of the disassembly, and back. */
static void stubs_agree_with_objdump(void **state)
{
	(void)state;
	for (size_t v = 0; v < NR(variants); v++) {
		const char *name = variants[v].name;
		struct object *o = program_open(name);
		char line[512];
		size_t nr = 0;
		FILE *in;

		run("objdump -d %s | grep '^[0-9a-f]* <.*@plt>:' > %s.plt || true",
		    name, name);
		snprintf(line, sizeof(line), "%s.plt", name);
		in = fopen(program_path(line), "r");
		while (fgets(line, sizeof(line), in)) {
			struct object_range r;
			char expected[128];
			uint64_t addr;

			assert_int_equal(sscanf(line, "%lx <%127[^>]", &addr, expected), 2);
			assert_string_equal(object_plt(o, addr, &r), expected);
			assert_int_equal(r.start, addr);
			assert_true(object_is_entry(o, addr));
			nr++;
		}
		fclose(in);
		print_message("# %s: %zu stubs\n", name, nr);
		assert_true(nr >= 3 || strstr(name, "static"));
		object_close(o);
	}
}

/* File offset to address, by the section table instead of the segments. */
static void offsets_agree_with_objdump(void **state)
{
	(void)state;
	for (size_t v = 0; v < NR(variants); v++) {
		const char *name = variants[v].name;
		struct object *o = program_open(name);
		uint64_t size, vma, lma, offset, got;
		unsigned char ours[16], theirs[16];
		char line[512];
		FILE *in;

		run("objdump -h %s | grep ' [.]text ' > %s.text", name, name);
		snprintf(line, sizeof(line), "%s.text", name);
		in = fopen(program_path(line), "r");
		assert_int_equal(fscanf(in, " %*d .text %lx %lx %lx %lx", &size, &vma,
					&lma, &offset), 4);
		fclose(in);
		for (uint64_t at = 0; at < size; at += 7) {
			assert_true(object_vaddr(o, offset + at, &got));
			assert_int_equal(got, vma + at);
		}
		in = fopen(program_path(name), "r");
		fseek(in, offset, SEEK_SET);
		assert_int_equal(fread(theirs, 1, 16, in), 16);
		fclose(in);
		assert_int_equal(object_read(o, vma, ours, 16), 16);
		assert_memory_equal(ours, theirs, 16);
		assert_false(object_vaddr(o, 1ULL << 60, &got));
		assert_int_equal(object_read(o, 1ULL << 60, ours, 16), 0);
		object_close(o);
	}
}

/* Only the thread's entry was entered without a call. */
static void only_start_is_outermost(void **state)
{
	(void)state;
	for (size_t v = 0; v < 2 * NR(variants); v++) {
		const char *name = variants[v / 2].name;
		struct truth start = truth_of(name, "_start");
		struct truth not[] = { truth_of(name, "main"), truth_of(name, "inner"),
				       truth_of(name, "checked") };
		char file[64];
		struct object *o;

		snprintf(file, sizeof(file), "%s%s", name, v % 2 ? ".stripped" : "");
		o = program_open(file);
		for (uint64_t at = start.addr; at < start.addr + start.size; at++)
			assert_true(object_is_outermost(o, at));
		for (size_t i = 0; i < NR(not); i++)
			for (uint64_t at = 0; at < not[i].size; at++)
				assert_false(object_is_outermost(o, not[i].addr + at));
		object_close(o);
	}
}

/* musl's start code has neither call frame information nor an end, and a stripped program no symbols:
 * functions lie directly behind the call of the start function. */
static void bare_start_code_ends_with_its_call(void **state)
{
	struct truth start, function;
	struct object *o;

	(void)state;
	program_write("bare.c", "__asm__(\".globl _start\\n.type _start, @function\\n_start: xor %ebp, %ebp; mov %rsp, %rdi; \"\n"
		      "\"lea data(%rip), %rsi; and $-16, %rsp; call function\\n.size _start, .-_start\");\n"
		      "int data; void function(void) { for (;;) data++; }\n");
	run("gcc -O2 -nostdlib -static -fno-asynchronous-unwind-tables -o bare bare.c && strip -o bare.stripped bare");
	start = truth_of("bare", "_start");
	function = truth_of("bare", "function");
	o = program_open("bare.stripped");
	for (uint64_t at = start.addr; at < start.addr + start.size; at++)
		assert_true(object_is_outermost(o, at));
	assert_true(function.addr < start.addr + 64);
	for (uint64_t at = 0; at < function.size; at++)
		assert_false(object_is_outermost(o, function.addr + at));
	object_close(o);
}

/* A library's entry point may be set to any function; nothing starts there. */
static void no_library_is_outermost(void **state)
{
	struct truth t;
	struct object *o;

	(void)state;
	run("gcc -O2 -shared -fPIC -o lib.so p.c -Wl,-e,outer");
	t = truth_of("lib.so", "outer");
	o = program_open("lib.so");
	for (uint64_t at = t.addr; at < t.addr + t.size; at++)
		assert_false(object_is_outermost(o, at));
	object_close(o);
}

static void other_build_id_is_refused(void **state)
{
	struct object *o = program_open("pie");
	enum object_state reason;
	unsigned char id[20];
	const void *own;
	size_t size = object_build_id(o, &own);

	(void)state;
	assert_int_equal(size, 20);
	memcpy(id, own, size);
	object_close(o);
	o = object_open(NULL, 0, program_path("pie"), id, size, &reason);
	assert_non_null(o);
	object_close(o);
	id[7] ^= 1;
	assert_null(object_open(NULL, 0, program_path("pie"), id, size, &reason));
	assert_int_equal(reason, OBJECT_MISMATCH);
	assert_null(object_open(NULL, 0, program_path("absent"), NULL, 0, &reason));
	assert_int_equal(reason, OBJECT_MISSING);
	assert_null(object_open(NULL, 0, program_path("p.c"), NULL, 0, &reason));
	assert_int_equal(reason, OBJECT_NOT_ELF);
}

/* A hostile file may give any answer, but must not be read out of bounds. */
static void ask_everything(const char *path)
{
	enum object_state state;
	struct object *o = object_open(NULL, 0, path, NULL, 0, &state);
	struct object_range r;
	unsigned char buf[64];

	if (!o)
		return;
	for (uint64_t at = 0; at < 0x4000; at += 37) {
		const struct object_symbol *s = object_symbol(o, at);
		uint64_t vaddr;

		assert_true(!s || s->end >= s->start);
		object_plt(o, at, &r);
		object_function(o, at, &r);
		object_is_entry(o, at);
		object_is_outermost(o, at);
		object_is_fragment(o, at);
		object_unclaimed(o, at, &vaddr);
		object_vaddr(o, at, &vaddr);
		object_read(o, at, buf, sizeof(buf));
	}
	object_close(o);
}

static void spoilt_files_do_no_harm(void **state)
{
	static unsigned char whole[65536], spoilt[65536];
	FILE *in = fopen(program_path("pie"), "r");
	size_t size;
	uint64_t random = 88172645463325252ULL;

	(void)state;
	assert_non_null(in);
	size = fread(whole, 1, sizeof(whole), in);
	fclose(in);
	for (int round = 0; round < 400; round++) {
		FILE *out = fopen(program_path("spoilt"), "w");
		size_t cut = size;

		memcpy(spoilt, whole, size);
		for (int i = 0; i < 1 + round % 16; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			/* Half of the hits go to the headers. */
			spoilt[random % (i % 2 ? size : 1024)] = random >> 32;
		}
		if (round % 5 == 0)
			cut = random % size;
		assert_int_equal(fwrite(spoilt, 1, cut, out), cut);
		fclose(out);
		ask_everything(program_path("spoilt"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_agree_with_nm),
		cmocka_unit_test(stripped_bounds_agree_with_nm),
		cmocka_unit_test(nothing_is_under_the_nearest_export),
		cmocka_unit_test(stubs_agree_with_objdump),
		cmocka_unit_test(offsets_agree_with_objdump),
		cmocka_unit_test(only_start_is_outermost),
		cmocka_unit_test(bare_start_code_ends_with_its_call),
		cmocka_unit_test(no_library_is_outermost),
		cmocka_unit_test(other_build_id_is_refused),
		cmocka_unit_test(spoilt_files_do_no_harm),
	};

	return cmocka_run_group_tests_name("object", tests, setup, program_teardown);
}
