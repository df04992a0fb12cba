// SPDX-License-Identifier: GPL-2.0
/* ctl/object/exports.c: exported functions are found by each name that nm prints, and by no other; with each kind of
 * hash section, and with a damaged one. */
#include "program.h"

#include <fcntl.h>

#include "object/tables.h"

/* Returns how many exports of a name begin at an address. */
static size_t nr_at(const struct object *o, const char *name, uint64_t vaddr)
{
	size_t position = 0, nr = 0;
	uint64_t found;
	bool ifunc;

	while (object_export(o, name, &position, &found, &ifunc))
		nr += found == vaddr;
	return nr;
}

/* Returns how many functions nm prints of a file, all of which are found. */
static size_t judge_file(const char *path)
{
	enum object_state state;
	struct object *o = object_open(NULL, 0, path, NULL, 0, &state);
	char line[4096], name[4100], type;
	size_t nr = 0;
	uint64_t vaddr;
	FILE *in;

	if (!o)
		return 0;
	snprintf(line, sizeof(line), "nm -D --defined-only %s", path);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%lx %c %4095s", &vaddr, &type, name) != 3 || !strchr("TWi", type))
			continue;
		name[strcspn(name, "@")] = '\0';
		if (!nr_at(o, name, vaddr))
			fail_msg("%s: %s is not at %#lx", path, name, vaddr);
		strcat(name, "!");
		assert_int_equal(nr_at(o, name, vaddr), 0);
		nr++;
	}
	pclose(in);
	object_close(o);
	return nr;
}

static void installed_files(void **state)
{
	static const char *const files[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
		"/usr/bin/python3", "/usr/bin/perl",
	};
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < NR(files); i++)
		nr += judge_file(files[i]);
	assert_true(nr > 5000);
}

static void kinds_of_hashes(void **state)
{
	static const char *const options[] = {
		"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-Wl,--hash-style=both", "-fuse-ld=lld",
		"-Wl,--version-script=v",
	};

	(void)state;
	program_write("p.c", "int one(void) { return 1; }\nint two(void) { return one(); }\n"
			     "int three(void) __attribute__((alias(\"two\")));\nint undefined(void);\n"
			     "int four(void) { return undefined(); }\n");
	program_write("v", "V { global: one; two; local: *; };\n");
	for (size_t i = 0; i < NR(options); i++) {
		run("gcc -shared -fPIC %s -o p.so p.c", options[i]);
		assert_int_equal(judge_file(program_path("p.so")), i < 4 ? 4 : 2);
	}
}

/* Whatever the section says, a question ends. */
static void random_damage(void **state)
{
	size_t position;
	uint64_t vaddr;
	GElf_Shdr shdr;
	bool ifunc;

	(void)state;
	srandom(1);
	run("gcc -shared -fPIC -Wl,--hash-style=gnu -o p.so p.c");
	for (int i = 0; i < 500; i++) {
		struct object_exports exports = { .nr = 0 };
		Elf *elf;
		int fd;

		run("cp p.so copy");
		fd = open(program_path("copy"), O_RDWR | O_CLOEXEC);
		elf = elf_begin(fd, ELF_C_READ, NULL);
		assert_non_null(object_section(elf, ".gnu.hash", &shdr));
		for (int k = 0; k < 1 + i % 3; k++) {
			unsigned char byte = k % 2 ? random() : random() % 4;

			assert_int_equal(pwrite(fd, &byte, 1, shdr.sh_offset + random() % shdr.sh_size), 1);
		}
		elf_end(elf);
		elf = elf_begin(fd, ELF_C_READ, NULL);
		object_exports_load(&exports, elf);
		for (position = 0; object_exports_find(&exports, "one", &position, &vaddr, &ifunc);)
			;
		for (position = 0; object_exports_find(&exports, "none", &position, &vaddr, &ifunc);)
			;
		elf_end(elf);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(installed_files),
		cmocka_unit_test(kinds_of_hashes),
		cmocka_unit_test(random_damage),
	};

	return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
