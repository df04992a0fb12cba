// SPDX-License-Identifier: GPL-2.0
/*
 * The symboliser on hostile files: programs whose ELF headers, symbols, DWARF, call frame
 * information, debug link or .gnu_debugdata were changed at random. Any result is right that
 * comes in time and without a read out of bounds.
 *
 *	ctl_hostile_test [ROUNDS [SEED]]	the same rounds give the same files
 */
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "mapping.h"
#include "profile/symbols.h"
#include "program.h"

#define ROUNDS		700
#define CPU_SECONDS	20	/* that one file may take */

/* libelf 0.188 loses memory of its own on some damaged files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\nleak:libdw.so";
}

static const char source[] =
	"#include <string>\n"
	"#include <vector>\n"
	"volatile int sink;\n"
	"namespace space { struct Box { std::vector<int> v; template <class F> int each(F f) const\n"
	"{ int s = 0; for (int x : v) s += f(x); return s; } }; }\n"
	"static inline int twice(int x) { for (int i = 0; i < x % 5; i++) sink += i; return sink * 2; }\n"
	"__attribute__((noinline)) int first(const space::Box &b) { return b.each([](int x) { return twice(x) + 1; }); }\n"
	"int main(int argc, char **argv) { space::Box b; for (int i = 0; i < argc; i++) b.v.push_back(argv[i][0]);\n"
	"try { return first(b); } catch (...) { return 1; } }\n";

struct seed {
	const char *name;
	unsigned char *bytes;
	size_t size;
	struct piece {
		size_t at, size;	/* in the file */
	} pieces[64];			/* headers, and sections with something to say */
	size_t nr_pieces;
	struct object_range code;
};

static struct seed seeds[] = {
	{ .name = "gcc" }, { .name = "gcc4" }, { .name = "clang" }, { .name = "clang4" },
	{ .name = "packed" }, { .name = "embedded" }, { .name = "linked" },
};

static uint64_t random_state = 88172645463325252ULL;
static unsigned long rounds = ROUNDS;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dULL;
}

static bool says_something(const char *name)
{
	static const char *const names[] = {
		".debug", ".zdebug", ".symtab", ".strtab", ".dynsym", ".dynstr", ".dynamic", ".eh_frame",
		".gnu_debug", ".note", ".rela", ".plt", ".shstrtab",
	};

	for (size_t i = 0; i < NR(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void seed_load(struct seed *s)
{
	int fd = open(program_path(s->name), O_RDONLY);
	Elf_Scn *scn = NULL;
	size_t strings, nr;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	struct stat st;
	Elf *elf;

	assert_int_equal(fstat(fd, &st), 0);
	s->size = st.st_size;
	s->bytes = malloc(s->size);
	assert_int_equal(read(fd, s->bytes, s->size), s->size);
	close(fd);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)s->bytes, s->size);
	assert_non_null(gelf_getehdr(elf, &ehdr));
	assert_int_equal(elf_getshdrstrndx(elf, &strings), 0);
	assert_int_equal(elf_getshdrnum(elf, &nr), 0);
	s->pieces[s->nr_pieces++] = (struct piece){ 0, 64 + 56 * ehdr.e_phnum };
	s->pieces[s->nr_pieces++] = (struct piece){ ehdr.e_shoff, 64 * nr };
	while ((scn = elf_nextscn(elf, scn)) && s->nr_pieces < NR(s->pieces)) {
		const char *name;

		assert_non_null(gelf_getshdr(scn, &shdr));
		name = elf_strptr(elf, strings, shdr.sh_name);
		if (!strcmp(name, ".text"))
			s->code = (struct object_range){ shdr.sh_addr, shdr.sh_addr + shdr.sh_size };
		if (shdr.sh_type != SHT_NOBITS && shdr.sh_size && says_something(name))
			s->pieces[s->nr_pieces++] = (struct piece){ shdr.sh_offset, shdr.sh_size };
	}
	elf_end(elf);
}

static int setup(void **state)
{
	program_setup(state);
	program_write("p.cc", source);
	run("g++ -O2 -g -o gcc p.cc");
	run("g++ -O2 -gdwarf-4 -no-pie -o gcc4 p.cc");
	run("clang++ -O2 -g -o clang p.cc");
	run("clang++ -O2 -gdwarf-4 -o clang4 p.cc");
	run("g++ -O2 -g -gz -o packed p.cc");
	run("objcopy --strip-debug gcc symbols && xz -k symbols && objcopy --strip-all gcc embedded && "
	    "objcopy --add-section .gnu_debugdata=symbols.xz embedded");
	run("objcopy --only-keep-debug gcc linked.debug && objcopy --strip-all --add-gnu-debuglink=linked.debug gcc linked");
	for (size_t i = 0; i < NR(seeds); i++)
		seed_load(&seeds[i]);
	return 0;
}

static int teardown(void **state)
{
	for (size_t i = 0; i < NR(seeds); i++)
		free(seeds[i].bytes);
	return program_teardown(state);
}

/* Bytes of one or two pieces become others: any, or those that limits are made of. */
static void spoil(const struct seed *s, unsigned char *bytes)
{
	static const unsigned char limits[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
	const struct piece *piece = &s->pieces[next_random() % s->nr_pieces];
	unsigned int hits = 1 + next_random() % 12;

	while (hits--) {
		uint64_t random = next_random();
		size_t at = piece->at + random % piece->size;

		if (at >= s->size)
			continue;
		if (random >> 62)
			bytes[at] = limits[(random >> 48) % NR(limits)];
		else
			bytes[at] = random >> 40;
		if (!(random >> 60))
			piece = &s->pieces[next_random() % s->nr_pieces];
	}
}

static void write_file(const char *name, const unsigned char *bytes, size_t size)
{
	FILE *out = fopen(program_path(name), "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* Asks the questions of a report, and all others. Returns the number of addresses with inlined
 * functions. */
static size_t ask(const struct seed *s, const char *name)
{
	size_t inlined = 0;
	struct symbols *symbols;
	struct maps *maps = maps_new(NULL);
	struct object_range r;
	uint64_t offset;
	size_t nr;

	assert_non_null(maps);
	feed_mmap2(maps, 1, 0x10000000, 0x1000000, 0, program_path(name));
	symbols = symbols_new(maps, &(struct symbols_options){ 0 });
	for (uint64_t at = s->code.start; at < s->code.end; at += 1 + next_random() % 13) {
		struct place place = maps_place(maps, 1, 0x10000000 + at, &offset);
		const struct object *o = maps_file(maps, place.file)->object;
		const struct symbols_frame *frames = symbols_frames(symbols, place, &nr);

		assert_in_range(nr, 1, INLINES_MAX);
		inlined += nr > 1;
		for (size_t i = 0; i < nr; i++) {
			const struct symbols_function *f = symbols_function(symbols, frames[i].function);

			assert_true(strlen(f->name) > 0 && strlen(f->object) > 0);
			assert_true(!frames[i].file || strlen(frames[i].file) < 1 << 20);
		}
		if (!o)
			break;
		place.addr = at;
		symbols_find(symbols, place);
		object_function(o, at, &r);
		object_is_entry(o, at);
		object_is_outermost(o, at);
	}
	symbols_free(symbols);
	maps_free(maps);
	return inlined;
}

/* The files that are damaged below were useful before. */
static void whole_files_are_understood(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(seeds); i++)
		assert_true(ask(&seeds[i], seeds[i].name) > 5 || !strcmp(seeds[i].name, "embedded"));
}

static void limit_time(unsigned int seconds)
{
	struct itimerval limit = { .it_value.tv_sec = seconds };

	assert_int_equal(setitimer(ITIMER_VIRTUAL, &limit, NULL), 0);
}

static void spoilt_files_do_no_harm(void **state)
{
	(void)state;
	for (unsigned long round = 0; round < rounds; round++) {
		const struct seed *s = &seeds[round % NR(seeds)];
		unsigned char *bytes = malloc(s->size);
		uint64_t start = random_state;

		assert_non_null(bytes);
		memcpy(bytes, s->bytes, s->size);
		spoil(s, bytes);
		write_file("spoilt", bytes, next_random() % 16 ? s->size : next_random() % s->size);
		free(bytes);
		if (rounds != ROUNDS)
			fprintf(stderr, "# %s, seed %lu\n", s->name, start);
		limit_time(CPU_SECONDS);
		ask(s, "spoilt");
	}
	limit_time(0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_are_understood),
		cmocka_unit_test(spoilt_files_do_no_harm),
	};

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		random_state = strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests_name("hostile", tests, setup, teardown);
}
