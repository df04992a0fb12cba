// SPDX-License-Identifier: GPL-2.0
/* ctl/object/inlines.c by way of ctl/object/object.c, on compiled programs: at every instruction, the
 * inlined functions and source lines are those that LLVM's symbolizer finds. */
#include "program.h"

#include "object/object.h"

static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"volatile unsigned long sink;\n"
	"static inline unsigned long third(unsigned long n)\n"
	"{\n"
	"	for (unsigned long i = 0; i < n % 7; i++) {\n"
	"		sink += i;\n"
	"	}\n"
	"	return sink * n;\n"
	"}\n"
	"static inline unsigned long second(unsigned long n)\n"
	"{\n"
	"	return third(n) +\n"
	"	       third(2 * n);\n"
	"}\n"
	"__attribute__((noinline)) unsigned long first(unsigned long n)\n"
	"{\n"
	"	if (n > 1000) {\n"
	"		fprintf(stderr, \"bad %lu\\n\", second(n / 2));\n"
	"		abort();\n"
	"	}\n"
	"	return second(n) + third(n);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return first(argc) == second(argc);\n"
	"}\n";

static const char source_cc[] =
	"#include <algorithm>\n"
	"#include <map>\n"
	"#include <stdexcept>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"volatile int sink;\n"
	"namespace space {\n"
	"struct Box {\n"
	"	std::vector<int> v;\n"
	"	Box(int n) { for (int i = 0; i < n; i++) v.push_back(i); }\n"
	"	template <class F> int each(F f) const { int s = 0; for (int x : v) s += f(x); return s; }\n"
	"};\n"
	"}\n"
	"static inline int twice(int x) { for (int i = 0; i < x % 5; i++) sink += i; return sink * 2; }\n"
	"__attribute__((noinline)) int first(const space::Box &b)\n"
	"{\n"
	"	return b.each([](int x) { return twice(x) + 1; });\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	space::Box b(argc * 10);\n"
	"	std::map<std::string, int> m;\n"
	"	std::sort(b.v.begin(), b.v.end(), [](int x, int y) { return x > y; });\n"
	"	for (int i = 0; i < argc; i++) m[argv[i]] += first(b);\n"
	"	try { if (m.size() > 3) throw std::runtime_error(\"many\"); } catch (std::exception &e) { sink++; }\n"
	"	return m.begin()->second;\n"
	"}\n";

static const struct variant {
	const char *name, *compile;
} variants[] = {
	{ "gcc", "gcc -O2 -g p.c" },
	{ "gcc4", "gcc -O3 -gdwarf-4 -no-pie p.c" },
	{ "gccz", "gcc -O2 -g -gz=zlib p.c" },
	{ "gcclto", "gcc -O2 -g -flto p.c" },
	{ "gcc0", "gcc -O0 -g p.c" },
	{ "clang", "clang -O2 -g p.c" },
	{ "clang4", "clang -O3 -gdwarf-4 p.c" },
	{ "gccsplit", "gcc -O2 -g -gsplit-dwarf p.c" },
	{ "gccsplit4", "gcc -O2 -gdwarf-4 -gsplit-dwarf p.c" },
	{ "gxx", "g++ -O2 -g p.cc" },
	{ "gxxsplit", "g++ -O2 -g -gsplit-dwarf p.cc" },
	{ "gxxsections", "g++ -O2 -g -ffunction-sections -Wl,--gc-sections p.cc" },
	{ "clangxx", "clang++ -O2 -g p.cc" },
};

static int setup(void **state)
{
	program_setup(state);
	program_write("p.c", source);
	program_write("p.cc", source_cc);
	for (size_t i = 0; i < NR(variants); i++) {
		run("%s -o %s", variants[i].compile, variants[i].name);
		/* Every function of this source and of its headers. */
		run("objdump -d -j .text %s | sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' >%s.at",
		    variants[i].name, variants[i].name);
		run("llvm-symbolizer --obj=%s --output-style=GNU --functions=linkage --inlines "
		    "--no-demangle --addresses <%s.at >%s.truth", variants[i].name, variants[i].name,
		    variants[i].name);
	}
	return 0;
}

/* Reads one line of LLVM's output; false at the end of an address. */
static bool next_line(FILE *in, char *line, size_t size)
{
	int c = getc(in);

	if (c == EOF || (ungetc(c, in), c == '0'))
		return false;
	assert_non_null(fgets(line, size, in));
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* LLVM does not name what is around a function without a linkage name: tests/outputs/names does. */
static bool same_name(const char *ours, const char *name)
{
	const size_t len = strlen(ours), end = strlen(name);

	return !strcmp(ours, name) ||
	       (len > end + 2 && !strncmp(ours + len - end - 2, "::", 2) && !strcmp(ours + len - end, name));
}

/* The last frame is the function itself: LLVM has its name from the symbols, which DWARF
 * knows nothing of ("main.cold"). Line 0 is said of code that no line made. */
static int disagrees(const char *variant, uint64_t addr,
		     const struct inlines_frame *frame, bool last,
		     const char *name, char *place)
{
	char ours[4096];

	snprintf(ours, sizeof(ours), "%s:%u", frame->file ? frame->file : "", frame->line);
	/* "p.c:12 (discriminator 2)" */
	place[strcspn(place, " ")] = '\0';
	if ((last || (frame->name && same_name(frame->name, name))) &&
	    (frame->line ? !strcmp(ours, place) :
	     !strcmp(strrchr(place, ':'), ":0") || !strcmp(place, "??:?")))
		return 0;
	print_error("# %s: %#lx: ours %s %s, LLVM's %s %s\n", variant, addr,
		    frame->name ? frame->name : "(none)", ours, name, place);
	return 1;
}

static void agrees(const struct variant *v)
{
	static char names[INLINES_MAX][16384], places[INLINES_MAX][4096];
	struct object *o = program_open(v->name);
	struct inlines_frame frames[INLINES_MAX];
	size_t addresses = 0, inlined = 0, wrong = 0;
	char line[64];
	FILE *in;

	snprintf(line, sizeof(line), "%s.truth", v->name);
	in = fopen(program_path(line), "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		uint64_t addr = strtoul(line, NULL, 16);
		size_t nr = object_inlines(o, addr, true, frames), want = 0;
		struct inlines_frame names_only[INLINES_MAX];

		/* Without `lines` no line is returned, and the rest is the same. */
		assert_int_equal(object_inlines(o, addr, false, names_only), nr);
		for (size_t i = 0; i < nr; i++) {
			assert_ptr_equal(names_only[i].name, frames[i].name);
			assert_int_equal(names_only[i].line, 0);
			assert_null(names_only[i].file);
		}
		for (; want < INLINES_MAX && next_line(in, names[want], sizeof(names[0])); want++)
			assert_true(next_line(in, places[want], sizeof(places[0])));
		/* The start code has no DWARF; then LLVM goes by the symbols. */
		if (nr != want && !(nr == 0 && strstr(places[0], ":0"))) {
			print_error("# %s: %#lx: %zu frames, LLVM has %zu: %s %s\n", v->name, addr, nr, want, names[0], places[0]);
			wrong++;
			continue;
		}
		for (size_t i = 0; i < nr; i++)
			wrong += disagrees(v->name, addr, &frames[i], i + 1 == nr, names[i], places[i]);
		addresses += nr != 0;
		inlined += nr > 1;
	}
	fclose(in);
	print_message("# %s: %zu addresses, %zu in inlined functions\n", v->name, addresses, inlined);
	assert_int_equal(wrong, 0);
	assert_true(addresses > 90);
	assert_true(inlined > addresses / 2 || !strcmp(v->name, "gcc0"));
	object_close(o);
}

static void agrees_with_llvm(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(variants); i++)
		agrees(&variants[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_llvm),
	};

	return cmocka_run_group_tests_name("inlines", tests, setup, program_teardown);
}
